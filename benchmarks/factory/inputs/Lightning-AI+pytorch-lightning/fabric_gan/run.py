"""A generative adversarial network on a ring of points, with Fabric."""
import argparse
import math

import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def ring(size):
    angle = 2 * math.pi * torch.rand(size)
    return torch.stack([angle.cos(), angle.sin()], dim=1) + 0.05 * torch.randn(size, 2)


def mlp(*sizes):
    layers = []
    for a, b in zip(sizes[:-2], sizes[1:-1]):
        layers += [nn.Linear(a, b), nn.LeakyReLU(0.2)]
    return nn.Sequential(*layers, nn.Linear(sizes[-2], sizes[-1]))


def main(args):
    fabric = L.Fabric(accelerator="cpu", devices=1, precision=args.precision)
    generator, critic = mlp(args.latent, 32, 32, 2), mlp(2, 32, 32, 1)
    opt_g = torch.optim.Adam(generator.parameters(), lr=args.lr, betas=(0.5, 0.9))
    opt_c = torch.optim.Adam(critic.parameters(), lr=args.lr, betas=(0.5, 0.9))
    generator, opt_g = fabric.setup(generator, opt_g)
    critic, opt_c = fabric.setup(critic, opt_c)
    loader = fabric.setup_dataloaders(
        DataLoader(TensorDataset(ring(512)), batch_size=args.batch_size, shuffle=True, drop_last=True)
    )

    for epoch in range(args.epochs):
        for (real,) in loader:
            noise = torch.randn(len(real), args.latent, device=fabric.device)
            fake = generator(noise)
            ones, zeros = torch.ones(len(real), 1), torch.zeros(len(real), 1)

            loss_c = F.binary_cross_entropy_with_logits(critic(real), ones)
            loss_c = loss_c + F.binary_cross_entropy_with_logits(critic(fake.detach()), zeros)
            opt_c.zero_grad()
            fabric.backward(loss_c)
            opt_c.step()

            loss_g = F.binary_cross_entropy_with_logits(critic(fake), ones)
            opt_g.zero_grad()
            fabric.backward(loss_g)
            opt_g.step()
        radius = fake.detach().norm(dim=1).mean()
        fabric.print(f"epoch {epoch}: critic {loss_c:.4f}, generator {loss_g:.4f}, radius {radius:.3f}")

    state = {"generator": generator, "critic": critic, "opt_g": opt_g, "epoch": epoch}
    fabric.save("gan.ckpt", state)
    fabric.load("gan.ckpt", state)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--latent", type=int, default=4)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--precision", default="32-true")
    main(parser.parse_args())
