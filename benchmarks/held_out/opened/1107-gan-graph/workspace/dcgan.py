"""Conditional DCGAN on 16x16 procedurally generated glyphs (spectral norm, hinge loss, EMA generator)."""
import copy
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils import parametrizations as P
from torch.utils.data import IterableDataset, DataLoader

nz = 24            # latent size
ngf = 16
ndf = 16
n_classes = 4
batch_size = 32
n_iters = 60
n_critic = 2
out_dir = "samples"


class Glyphs(IterableDataset):
    """Endless stream of (image in [-1, 1], class)."""

    def __init__(self, seed=0):
        self.seed = seed

    def __iter__(self):
        g = torch.Generator().manual_seed(self.seed)
        while True:
            label = int(torch.randint(n_classes, (), generator=g))
            img = torch.full((1, 16, 16), -1.0)
            i, j = torch.randint(2, 8, (2,), generator=g).tolist()
            if label == 0:
                img[:, i:i + 6, j:j + 6] = 1.0
            elif label == 1:
                img[:, i, :] = 1.0
            elif label == 2:
                img[:, :, j] = 1.0
            else:
                idx = torch.arange(16)
                img[0, idx, (idx + j) % 16] = 1.0
            yield img + 0.05 * torch.randn(img.shape, generator=g), label


class CondBatchNorm(nn.Module):
    def __init__(self, ch):
        super().__init__()
        self.bn = nn.BatchNorm2d(ch, affine=False)
        self.embed = nn.Embedding(n_classes, 2 * ch)
        nn.init.normal_(self.embed.weight, 0.0, 0.02)

    def forward(self, x, y):
        gamma, beta = self.embed(y)[:, :, None, None].chunk(2, dim=1)
        return self.bn(x) * (1 + gamma) + beta


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(nz, ngf * 4 * 4 * 4)
        self.up1 = nn.ConvTranspose2d(ngf * 4, ngf * 2, 4, 2, 1)
        self.cbn1 = CondBatchNorm(ngf * 2)
        self.up2 = nn.ConvTranspose2d(ngf * 2, ngf, 4, 2, 1)
        self.cbn2 = CondBatchNorm(ngf)
        self.to_img = nn.Conv2d(ngf, 1, 3, 1, 1)

    def forward(self, z, y):
        x = self.fc(z).unflatten(1, (ngf * 4, 4, 4))
        x = F.relu(self.cbn1(self.up1(x), y))
        x = F.relu(self.cbn2(self.up2(x), y))
        return torch.tanh(self.to_img(x))


class Discriminator(nn.Module):
    """Projection discriminator."""

    def __init__(self):
        super().__init__()
        sn = P.spectral_norm
        self.features = nn.Sequential(
            sn(nn.Conv2d(1, ndf, 4, 2, 1)), nn.LeakyReLU(0.2),
            sn(nn.Conv2d(ndf, ndf * 2, 4, 2, 1)), nn.LeakyReLU(0.2),
            sn(nn.Conv2d(ndf * 2, ndf * 4, 4, 2, 1)), nn.LeakyReLU(0.2),
        )
        self.linear = sn(nn.Linear(ndf * 4, 1))
        self.proj = sn(nn.Embedding(n_classes, ndf * 4))

    def forward(self, x, y):
        h = self.features(x).sum(dim=(2, 3))
        return self.linear(h).squeeze(1) + (self.proj(y) * h).sum(1)


@torch.no_grad()
def update_ema(ema, model, decay=0.98):
    for pe, p in zip(ema.parameters(), model.parameters()):
        pe.lerp_(p, 1 - decay)
    for be, b in zip(ema.buffers(), model.buffers()):
        be.copy_(b)


def d_hinge(real_logits, fake_logits):
    return F.relu(1.0 - real_logits).mean() + F.relu(1.0 + fake_logits).mean()


def ascii_image(img):
    ramp = " .:-=+*#"
    img = ((img.clamp(-1, 1) + 1) / 2 * (len(ramp) - 1)).round().long()
    return "\n".join("".join(ramp[v] * 2 for v in row) for row in img[0].tolist())


torch.manual_seed(1)
loader = iter(DataLoader(Glyphs(), batch_size=batch_size))
netG, netD = Generator(), Discriminator()
emaG = copy.deepcopy(netG).requires_grad_(False)
optG = torch.optim.Adam(netG.parameters(), lr=1e-3, betas=(0.0, 0.9))
optD = torch.optim.Adam(netD.parameters(), lr=2e-3, betas=(0.0, 0.9))
os.makedirs(out_dir, exist_ok=True)

for it in range(1, n_iters + 1):
    # ---- discriminator
    for _ in range(n_critic):
        real, labels = next(loader)
        z = torch.randn(batch_size, nz)
        fake = netG(z, labels)
        lossD = d_hinge(netD(real, labels), netD(fake, labels))
        optD.zero_grad(set_to_none=True)
        lossD.backward()
        optD.step()

    # ---- generator, on the last fakes
    netD.requires_grad_(False)
    lossG = -netD(fake, labels).mean()
    optG.zero_grad(set_to_none=True)
    lossG.backward()
    optG.step()
    netD.requires_grad_(True)
    update_ema(emaG, netG)

    if it % 20 == 0:
        print(f"iter {it:4d}  D {lossD.item():.3f}  G {lossG.item():.3f}")

emaG.eval()
with torch.no_grad():
    grid = emaG(torch.randn(n_classes, nz), torch.arange(n_classes))
torch.save(grid, os.path.join(out_dir, "final.pt"))
print(ascii_image(grid[0]))
