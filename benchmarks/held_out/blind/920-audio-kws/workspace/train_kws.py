import torch
import torch.nn as nn
import yaml
from torch.utils.data import DataLoader

from kws_data import KeywordDataset

WORDS = ["go", "stop", "left"]


class KWSNet(nn.Module):
    def __init__(self, n_mels, n_words):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv1d(n_mels, 32, 5, padding=2),
            nn.ReLU(),
            nn.MaxPool1d(2),
            nn.Conv1d(32, 32, 3, padding=1),
            nn.ReLU(),
        )
        self.fc = nn.Linear(32, n_words)

    def forward(self, x):
        x = self.conv(x)
        return self.fc(x.mean(dim=-1))


def accuracy(model, loader):
    model.eval()
    hit = n = 0
    with torch.no_grad():
        for mel, y in loader:
            hit += (model(mel).argmax(-1) == y).sum().item()
            n += len(y)
    return hit / n


if __name__ == "__main__":
    torch.manual_seed(0)
    with open("audio.yaml") as f:
        cfg = yaml.safe_load(f)

    train = KeywordDataset("wavs/manifest.csv", cfg, WORDS, train=True)
    test = KeywordDataset("wavs/manifest.csv", cfg, WORDS, train=False)
    print("clips:", len(train), "train,", len(test), "test")
    train_loader = DataLoader(train, batch_size=6, shuffle=True, num_workers=2)
    test_loader = DataLoader(test, batch_size=6, num_workers=0)

    model = KWSNet(cfg["n_mels"], len(WORDS))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    loss_fn = nn.CrossEntropyLoss()

    for epoch in range(4):
        model.train()
        for step, (mel, y) in enumerate(train_loader):
            loss = loss_fn(model(mel), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch} last loss {loss.item():.3f} test acc {accuracy(model, test_loader):.2f}")
