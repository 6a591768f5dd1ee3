import math
import torch
import torch.nn as nn

torch.manual_seed(0)
LATENT = 8
BATCH = 64
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def real_batch(n):
    a = torch.rand(n) * 2 * math.pi
    pts = torch.stack([a.cos(), a.sin()], dim=1) * 2
    return (pts + 0.05 * torch.randn(n, 2)).to(device)


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(
            nn.Linear(LATENT, 32),
            nn.BatchNorm1d(32),
            nn.ReLU(True),
            nn.Linear(32, 32),
            nn.ReLU(True),
            nn.Linear(32, 2),
        )

    def forward(self, z):
        return self.main(z)


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(
            nn.Linear(2, 32),
            nn.LeakyReLU(0.2),
            nn.Linear(32, 32),
            nn.LeakyReLU(0.2),
            nn.Linear(32, 1),
        )

    def forward(self, x):
        return self.main(x)


netG = Generator().to(device)
netD = Discriminator().to(device)
criterion = nn.BCEWithLogitsLoss()
optD = torch.optim.Adam(netD.parameters(), lr=1e-3, betas=(0.5, 0.999))
optG = torch.optim.Adam(netG.parameters(), lr=1e-3, betas=(0.5, 0.999))
ones = torch.ones(BATCH, 1, device=device)
zeros = torch.zeros(BATCH, 1, device=device)

for it in range(1500):
    # (1) update D: maximize log(D(x)) + log(1 - D(G(z)))
    netD.zero_grad()
    real = real_batch(BATCH)
    errD_real = criterion(netD(real), ones)
    errD_real.backward()

    noise = torch.randn(BATCH, LATENT, device=device)
    fake = netG(noise)
    errD_fake = criterion(netD(fake), zeros)
    errD_fake.backward()
    optD.step()

    # (2) update G: maximize log(D(G(z)))
    netG.zero_grad()
    errG = criterion(netD(fake), ones)
    errG.backward()
    optG.step()

    if it % 250 == 0:
        print("[%4d] Loss_D %.4f Loss_G %.4f" % (it, (errD_real + errD_fake).item(), errG.item()))

with torch.no_grad():
    netG.eval()
    radius = netG(torch.randn(500, LATENT, device=device)).norm(dim=1)
print("mean radius of samples", radius.mean().item())
