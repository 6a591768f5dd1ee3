# simple GAN to learn a ring of 2d points
import math
import torch
import torch.nn as nn

torch.manual_seed(42)
latent_dim = 8
batch_size = 64
n_steps = 300
lr = 2e-4


def sample_real(n):
    t = torch.rand(n) * 2 * math.pi
    r = 2 + 0.1 * torch.randn(n)
    return torch.stack([r * torch.cos(t), r * torch.sin(t)], dim=1)


generator = nn.Sequential(
    nn.Linear(latent_dim, 64),
    nn.LeakyReLU(0.2),
    nn.Linear(64, 64),
    nn.LeakyReLU(0.2),
    nn.Linear(64, 2),
)

discriminator = nn.Sequential(
    nn.Linear(2, 64),
    nn.LeakyReLU(0.2),
    nn.Linear(64, 64),
    nn.LeakyReLU(0.2),
    nn.Linear(64, 1),
    nn.Sigmoid(),
)

bce = nn.BCELoss()
opt_g = torch.optim.Adam(generator.parameters(), lr=lr, betas=(0.5, 0.999))
opt_d = torch.optim.Adam(discriminator.parameters(), lr=lr, betas=(0.5, 0.999))

real_label = torch.ones(batch_size, 1)
fake_label = torch.zeros(batch_size, 1)

for step in range(n_steps):
    # ---- train D ----
    real = sample_real(batch_size)
    noise = torch.randn(batch_size, latent_dim)
    fake = generator(noise)

    d_real = bce(discriminator(real), real_label)
    d_fake = bce(discriminator(fake), fake_label)
    d_loss = (d_real + d_fake) / 2
    opt_d.zero_grad()
    d_loss.backward()
    opt_d.step()

    # ---- train G ----
    g_loss = bce(discriminator(fake), real_label)
    opt_g.zero_grad()
    g_loss.backward()
    opt_g.step()

    if step % 50 == 0:
        print(f"step {step}  D: {d_loss.item():.4f}  G: {g_loss.item():.4f}")

with torch.no_grad():
    pts = generator(torch.randn(5, latent_dim))
print(pts)
