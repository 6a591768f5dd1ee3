import torch
from torch import nn
from torch.nn import functional as F
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=5)
parser.add_argument("--batch-size", type=int, default=64)
parser.add_argument("--z", type=int, default=4)
args = parser.parse_args()

torch.manual_seed(7)


def get_digits(n=1000):
    from sklearn.datasets import load_digits
    d = load_digits()
    return torch.tensor(d.images[:n] / 16.0, dtype=torch.float32)


class VAE(nn.Module):
    def __init__(self, z_dim):
        super(VAE, self).__init__()
        self.fc1 = nn.Linear(64, 40)
        self.fc_mu = nn.Linear(40, z_dim)
        self.fc_var = nn.Linear(40, z_dim)
        self.fc3 = nn.Linear(z_dim, 40)
        self.fc4 = nn.Linear(40, 64)

    def encode(self, x):
        h = F.relu(self.fc1(x))
        return self.fc_mu(h), self.fc_var(h)

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        eps = torch.randn_like(std)
        return mu + eps * std

    def decode(self, z):
        return torch.sigmoid(self.fc4(F.relu(self.fc3(z))))

    def forward(self, x):
        mu, logvar = self.encode(x.view(-1, 64))
        z = self.reparameterize(mu, logvar)
        return mu, logvar, self.decode(z)


def loss_function(recon_x, x, mu, logvar):
    BCE = F.binary_cross_entropy(recon_x, x.view(-1, 64), reduction="sum")
    KLD = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return BCE + KLD


images = get_digits()
loader = torch.utils.data.DataLoader(images, batch_size=args.batch_size, shuffle=True)
model = VAE(args.z)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

for epoch in range(1, args.epochs + 1):
    model.train()
    train_loss = 0
    for data in loader:
        optimizer.zero_grad()
        recon, mu, logvar = model(data)
        loss = loss_function(recon, data, mu, logvar)
        loss.backward()
        train_loss += loss.item()
        optimizer.step()
    print("====> Epoch: {} Average loss: {:.4f}".format(epoch, train_loss / len(images)))

model.eval()
with torch.no_grad():
    sample = model.decode(torch.randn(3, args.z)).view(3, 8, 8)
    print(sample[0].round(decimals=1))
