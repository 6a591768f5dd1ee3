# metric: spread error ([\d.]+|nan) lower
import torch
from torch import nn

torch.manual_seed(2)
real_mean, real_std = torch.tensor([2.0, -1.0]), torch.tensor([0.6, 0.3])
generator = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
discriminator = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
g_opt = torch.optim.Adam(generator.parameters(), lr=1e-3, betas=(0.5, 0.999))
d_opt = torch.optim.Adam(discriminator.parameters(), lr=1e-3, betas=(0.5, 0.999))
bce = nn.BCEWithLogitsLoss()
ones, zeros = torch.ones(128, 1), torch.zeros(128, 1)

for step in range(800):
    real = real_mean + real_std * torch.randn(128, 2)
    fake = generator(torch.randn(128, 4))
    d_loss = bce(discriminator(real), ones) + bce(discriminator(fake.detach()), zeros)
    d_opt.zero_grad()
    d_loss.backward()
    d_opt.step()

    g_loss = bce(discriminator(fake), ones)
    g_opt.zero_grad()
    g_loss.backward()
    g_opt.step()
    if step % 100 == 0:
        print(f"step {step} d_loss {d_loss.item():.4f} g_loss {g_loss.item():.4f}")

with torch.no_grad():
    sample = generator(torch.randn(2000, 4))
error = (sample.mean(0) - real_mean).abs().max().item()
print(f"spread error {error:.4f}")
