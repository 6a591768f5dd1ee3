import argparse

import torch
from torch import nn, optim
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset

parser = argparse.ArgumentParser(description="small VAE")
parser.add_argument("--batch-size", type=int, default=64)
parser.add_argument("--epochs", type=int, default=2)
parser.add_argument("--latent", type=int, default=8)
args = parser.parse_args()

torch.manual_seed(1)


class Blobs(Dataset):
    def __init__(self, n=1024, size=16, transform=None):
        g = torch.Generator().manual_seed(0)
        yy, xx = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
        c = torch.randint(3, size - 3, (n, 2), generator=g)
        d = (yy - c[:, 0, None, None]) ** 2 + (xx - c[:, 1, None, None]) ** 2
        self.imgs = (255 * torch.exp(-d / 6.0)).to(torch.uint8)
        self.transform = transform

    def __len__(self):
        return len(self.imgs)

    def __getitem__(self, i):
        img = self.imgs[i].float()
        if self.transform is not None:
            img = self.transform(img)
        return img


def scale(img):
    return (img / 255.0 - 0.5) / 0.5


train_loader = DataLoader(Blobs(transform=scale), batch_size=args.batch_size, shuffle=True)


class VAE(nn.Module):
    def __init__(self, dim=256, latent=8):
        super().__init__()
        self.fc1 = nn.Linear(dim, 64)
        self.fc21 = nn.Linear(64, latent)
        self.fc22 = nn.Linear(64, latent)
        self.fc3 = nn.Linear(latent, 64)
        self.fc4 = nn.Linear(64, dim)

    def encode(self, x):
        h1 = F.relu(self.fc1(x))
        return self.fc21(h1), self.fc22(h1)

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        eps = torch.randn_like(std)
        return mu + eps * std

    def decode(self, z):
        h3 = F.relu(self.fc3(z))
        return torch.sigmoid(self.fc4(h3))

    def forward(self, x):
        mu, logvar = self.encode(x.view(-1, 256))
        z = self.reparameterize(mu, logvar)
        return self.decode(z), mu, logvar


model = VAE(latent=args.latent)
optimizer = optim.Adam(model.parameters(), lr=1e-3)


def loss_function(recon_x, x, mu, logvar):
    BCE = F.binary_cross_entropy(recon_x, x.view(-1, 256), reduction="sum")
    KLD = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return BCE + KLD


for epoch in range(1, args.epochs + 1):
    model.train()
    train_loss = 0
    for data in train_loader:
        optimizer.zero_grad()
        recon_batch, mu, logvar = model(data)
        loss = loss_function(recon_batch, data, mu, logvar)
        loss.backward()
        train_loss += loss.item()
        optimizer.step()
    print(f"====> Epoch: {epoch} Average loss: {train_loss / len(train_loader.dataset):.4f}")

with torch.no_grad():
    sample = model.decode(torch.randn(4, args.latent))
print("samples", tuple(sample.shape), float(sample.min()), float(sample.max()))
