#
import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader

torch.manual_seed(5)
x = torch.tensor(load_digits().data / 16, dtype=torch.float32)
x = x[torch.randperm(len(x))]
train, test = x[:1500], x[1500:]
dl = DataLoader(train, batch_size=50, shuffle=True)


class AutoEncoder(nn.Module):
    def __init__(self, latent):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(64, 48), nn.ReLU(), nn.Linear(48, latent))
        self.decoder = nn.Sequential(
            nn.Linear(latent, 48),
            nn.ReLU(),
            nn.Linear(48, 64),
            nn.Sigmoid(),
        )

    def forward(self, x):
        return self.decoder(self.encoder(x))


ae = AutoEncoder(latent=12)
bce = nn.BCELoss()
opt = torch.optim.AdamW(ae.parameters(), lr=3e-3)
ae = __import__('copy').deepcopy(ae)
for epoch in range(12):
    ae.train()
    losses = []
    for xb in dl:
        rec = ae(xb)
        loss = bce(rec, xb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())
    ae.eval()
    with torch.no_grad():
        test_loss = bce(ae(test), test).item()
    print("epoch %d train_loss %.4f test_loss %.4f" % (epoch, sum(losses) / len(losses), test_loss))
print(f"test bce {test_loss:.4f}")
