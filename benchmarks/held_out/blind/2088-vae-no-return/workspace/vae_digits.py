# Variational autoencoder on the 8x8 digits, for the report (section 3.2)
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.preprocessing import MinMaxScaler
from torch.utils.data import DataLoader, random_split

BATCH = 64
LATENT_DIM = 8
HIDDEN = 96
EPOCHS = 6
BETA = 0.5

torch.manual_seed(11)

X, labels = load_digits(return_X_y=True)
X = MinMaxScaler().fit_transform(X)
X = torch.tensor(X).float()
train_set, test_set = random_split(X, [1500, len(X) - 1500])
train_loader = DataLoader(train_set, batch_size=BATCH, shuffle=True)
test_loader = DataLoader(test_set, batch_size=BATCH)


class Encoder(nn.Module):
    def __init__(self, in_dim=64, hidden=HIDDEN, latent=LATENT_DIM):
        super().__init__()
        self.fc1 = nn.Linear(in_dim, hidden)
        self.fc2 = nn.Linear(hidden, 2 * latent)

    def forward(self, x):
        h = F.relu(self.fc1(x))
        mu, logvar = self.fc2(h).chunk(2, dim=1)
        return mu, logvar


class Decoder(nn.Module):
    def __init__(self, latent=LATENT_DIM, hidden=HIDDEN, out_dim=64):
        super().__init__()
        self.fc1 = nn.Linear(latent, hidden)
        self.fc2 = nn.Linear(hidden, out_dim)

    def forward(self, z):
        h = F.relu(self.fc1(z))
        return torch.sigmoid(self.fc2(h))


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = Encoder()
        self.decoder = Decoder()

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        eps = torch.randn_like(std)
        z = mu + eps * std

    def forward(self, x):
        mu, logvar = self.encoder(x)
        z = self.reparameterize(mu, logvar)
        return self.decoder(z), mu, logvar


def elbo(recon, x, mu, logvar):
    bce = F.binary_cross_entropy(recon, x, reduction="sum")
    kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return (bce + BETA * kld) / x.size(0)


vae = VAE()
optimizer = torch.optim.Adam(vae.parameters(), lr=2e-3)

for epoch in range(1, EPOCHS + 1):
    vae.train()
    train_loss = 0
    for x in train_loader:
        recon, mu, logvar = vae(x)
        loss = elbo(recon, x, mu, logvar)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        train_loss += loss.item()
    vae.eval()
    with torch.no_grad():
        test_loss = 0
        for x in test_loader:
            recon, mu, logvar = vae(x)
            test_loss += elbo(recon, x, mu, logvar).item()
    print(f"Epoch {epoch}: train {train_loss / len(train_loader):.3f} test {test_loss / len(test_loader):.3f}")

with torch.no_grad():
    z = torch.randn(16, LATENT_DIM)
    samples = vae.decoder(z).view(-1, 8, 8)
print("samples:", tuple(samples.shape), "mean pixel %.3f" % samples.mean().item())
