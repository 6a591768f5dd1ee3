import sys

import torch
from omegaconf import OmegaConf

from mae import MaskedAutoencoder
from patches import unpatchify
from waves import wave_images

OmegaConf.register_new_resolver("div", lambda a, b: int(a) // int(b))


@torch.no_grad()
def report(model, images, cfg):
    model.eval()
    loss, pred, mask = model(images, cfg.mask_ratio)
    rebuilt = unpatchify(pred, cfg.image.patch, cfg.image.channels)
    psnr = 10 * torch.log10(4.0 / (rebuilt - images).pow(2).mean())
    model.train()
    return loss.item(), psnr.item()


def main():
    cfg = OmegaConf.merge(OmegaConf.load("conf/mae.yaml"), OmegaConf.from_cli(sys.argv[1:]))
    torch.manual_seed(cfg.seed)
    print(OmegaConf.to_yaml(cfg.optim).strip())
    make = lambda n, seed: wave_images(n, cfg.image.size, cfg.image.channels, cfg.data.waves, seed)
    train, held = make(cfg.data.count, cfg.seed), make(64, cfg.seed + 1)

    model = MaskedAutoencoder(cfg.image, **cfg.model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.optim.lr, betas=tuple(cfg.optim.betas))
    print(f"parameters: {sum(p.numel() for p in model.parameters()):,}")
    for epoch in range(cfg.optim.epochs):
        order = torch.randperm(len(train))
        running = 0.0
        for step in range(cfg.optim.steps_per_epoch):
            rows = order[step * cfg.optim.batch_size:(step + 1) * cfg.optim.batch_size]
            loss, _, _ = model(train[rows], cfg.mask_ratio)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            running += loss.item()
        held_loss, psnr = report(model, held, cfg)
        print(f"epoch {epoch}: masked mse {running / cfg.optim.steps_per_epoch:.4f}, "
              f"held-out {held_loss:.4f}, psnr {psnr:.2f} dB")


if __name__ == "__main__":
    main()
