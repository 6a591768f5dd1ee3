import torch
import torch.nn as nn

torch.manual_seed(0)

LATENT = 10
BATCH = 64


class Generator(nn.Module):
    def __init__(self, latent, n_points=32):
        super().__init__()
        self.main = nn.Sequential(
            nn.Linear(latent, 64),
            nn.BatchNorm1d(64),
            nn.LeakyReLU(0.2),
            nn.Linear(64, n_points),
            nn.Tanh(),
        )

    def forward(self, z):
        return self.main(z)


class Discriminator(nn.Module):
    def __init__(self, n_points=32):
        super().__init__()
        self.main = nn.Sequential(
            nn.Linear(n_points, 64),
            nn.LeakyReLU(0.2),
            nn.Dropout(0.3),
            nn.Linear(64, 1),
        )

    def forward(self, x):
        return self.main(x).view(-1)


def real_batch(n):
    t = torch.linspace(0, 6.28, 32)
    freq = torch.rand(n, 1) + 0.5
    return torch.sin(freq * t)


G = Generator(LATENT)
D = Discriminator()
opt_g = torch.optim.Adam(G.parameters(), lr=2e-4, betas=(0.5, 0.999))
opt_d = torch.optim.Adam(D.parameters(), lr=2e-4, betas=(0.5, 0.999))
criterion = nn.BCEWithLogitsLoss()

real_label = torch.ones(BATCH)
fake_label = torch.zeros(BATCH)

for it in range(201):
    # (1) update D: maximize log(D(x)) + log(1 - D(G(z)))
    D.zero_grad()
    real = real_batch(BATCH)
    loss_real = criterion(D(real), real_label)
    loss_real.backward()

    noise = torch.randn(BATCH, LATENT)
    fake = G(noise)
    loss_fake = criterion(D(fake), fake_label)
    loss_fake.backward()
    opt_d.step()

    # (2) update G: maximize log(D(G(z)))
    G.zero_grad()
    loss_g = criterion(D(fake), real_label)
    loss_g.backward()
    opt_g.step()

    if it % 100 == 0:
        print(f"{it:5d} D {loss_real.item() + loss_fake.item():.3f}  G {loss_g.item():.3f}")

with torch.no_grad():
    G.eval()
    print("sample range", G(torch.randn(5, LATENT)).abs().max().item())
