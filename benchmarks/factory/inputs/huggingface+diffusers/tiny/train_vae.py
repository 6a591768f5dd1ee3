"""Fit an AutoencoderKL: python tiny/train_vae.py tiny/autoencoder.yaml model.latent_channels=2"""
import sys

import torch
import torch.nn.functional as F
from diffusers import AutoencoderKL
from omegaconf import OmegaConf


def images(count, size):
    """Smooth colour gradients in the range -1 to 1."""
    corners = torch.rand(count, 3, 2, 2) * 2 - 1
    return F.interpolate(corners, size=(size, size), mode="bilinear", align_corners=True)


def main():
    config = OmegaConf.load(sys.argv[1])
    config.merge_with_dotlist(sys.argv[2:])
    model = AutoencoderKL(**OmegaConf.to_container(config.model))
    options = config.training
    optimizer = torch.optim.Adam(model.parameters(), lr=options.lr)
    for step in range(options.steps):
        batch = images(options.batch_size, config.model.sample_size)
        posterior = model.encode(batch).latent_dist
        decoded = model.decode(posterior.sample()).sample
        reconstruction = F.l1_loss(decoded, batch)
        loss = reconstruction + options.kl_weight * posterior.kl().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if (step + 1) % 5 == 0:
            print(f"step {step + 1}: reconstruction {reconstruction.item():.4f}")
    model.save_pretrained("runs/vae")
    again = AutoencoderKL.from_pretrained("runs/vae")
    factor = 2 ** (len(config.model.block_out_channels) - 1)
    latents = again.encode(batch).latent_dist.mode()
    assert latents.shape[-1] == config.model.sample_size // factor, latents.shape


if __name__ == "__main__":
    main()
