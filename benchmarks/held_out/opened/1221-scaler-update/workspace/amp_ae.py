"""Convolutional autoencoder with fp16 autocast, gradient clipping and EMA weights."""
import argparse
import copy

import torch
from torch import nn
from torch.amp import GradScaler, autocast


class AutoEncoder(nn.Module):
    def __init__(self, latent=32, width=32):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(1, width, 4, 2, 1), nn.LeakyReLU(0.2),
            nn.Conv2d(width, 2 * width, 4, 2, 1), nn.BatchNorm2d(2 * width), nn.LeakyReLU(0.2),
            nn.Flatten(), nn.Linear(2 * width * 64, latent),
        )
        self.decoder = nn.Sequential(
            nn.Linear(latent, 2 * width * 64), nn.Unflatten(1, (2 * width, 8, 8)),
            nn.ConvTranspose2d(2 * width, width, 4, 2, 1), nn.BatchNorm2d(width), nn.ReLU(),
            nn.ConvTranspose2d(width, 1, 4, 2, 1),
        )

    def forward(self, x):
        return self.decoder(self.encoder(x))


class EMA:
    def __init__(self, model, decay=0.99):
        self.decay = decay
        self.shadow = copy.deepcopy(model).requires_grad_(False).eval()

    @torch.no_grad()
    def update(self, model):
        for s, p in zip(self.shadow.parameters(), model.parameters()):
            s.lerp_(p, 1 - self.decay)
        for s, b in zip(self.shadow.buffers(), model.buffers()):
            s.copy_(b)


def ellipses(n, size=32, device="cuda"):
    yy, xx = torch.meshgrid(*[torch.linspace(-1, 1, size, device=device)] * 2, indexing="ij")
    c = torch.rand(n, 2, 1, 1, device=device) - 0.5
    r = 0.2 + 0.4 * torch.rand(n, 2, 1, 1, device=device)
    d = ((xx - c[:, 0]) / r[:, 0]) ** 2 + ((yy - c[:, 1]) / r[:, 1]) ** 2
    return torch.sigmoid(8 * (1 - d)).unsqueeze(1)


class Trainer:
    def __init__(self, args):
        self.args = args
        self.device = "cuda"
        self.model = AutoEncoder().to(self.device)
        self.ema = EMA(self.model)
        self.opt = torch.optim.Adam(self.model.parameters(), lr=args.lr, betas=(0.9, 0.98))
        self.scaler = GradScaler(self.device, init_scale=2.0**12)

    def step(self, it):
        x = ellipses(self.args.batch_size, device=self.device)
        with autocast(self.device, dtype=torch.float16):
            recon = self.model(x)
        loss = nn.functional.mse_loss(recon.float(), x)
        self.opt.zero_grad(set_to_none=True)
        self.scaler.scale(loss).backward()
        self.scaler.unscale_(self.opt)
        norm = nn.utils.clip_grad_norm_(self.model.parameters(), self.args.clip)
        self.scaler.step(self.opt)
        self.ema.update(self.model)
        if it % self.args.log_every == self.args.log_every - 1:
            self.scaler.update()
            print(f"it {it + 1} loss {loss.item():.4f} grad {norm.item():.3f} scale {self.scaler.get_scale():.0f}")

    @torch.no_grad()
    def evaluate(self):
        x = ellipses(256, device=self.device)
        return nn.functional.mse_loss(self.ema.shadow(x), x).item()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--iters", type=int, default=500)
    ap.add_argument("--batch-size", type=int, default=64)
    ap.add_argument("--lr", type=float, default=1e-3)
    ap.add_argument("--clip", type=float, default=1.0)
    ap.add_argument("--log-every", type=int, default=20)
    args = ap.parse_args()
    torch.manual_seed(0)
    trainer = Trainer(args)
    for it in range(args.iters):
        trainer.step(it)
    print(f"EMA reconstruction error {trainer.evaluate():.4f}")


if __name__ == "__main__":
    main()
