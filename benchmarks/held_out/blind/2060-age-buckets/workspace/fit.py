import torch
import torch.nn as nn
from torch.utils.data import DataLoader

from net import AgeNet
from survey import N_ITEMS, SurveyDataset


class Fitter:
    def __init__(self, model, lr=5e-3):
        self.model = model
        self.criterion = nn.CrossEntropyLoss(label_smoothing=0.05)
        self.opt = torch.optim.Adam(model.parameters(), lr=lr)

    def step(self, batch):
        logits = self.model(batch)
        loss = self.criterion(logits, batch["target"])
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()

    @torch.no_grad()
    def accuracy(self, loader):
        self.model.eval()
        hits = [(self.model(b).argmax(-1) == b["target"]).float() for b in loader]
        return torch.cat(hits).mean().item()

    def fit(self, train, valid, epochs):
        for e in range(epochs):
            self.model.train()
            losses = [self.step(b) for b in train]
            print(f"epoch {e + 1}/{epochs} loss={sum(losses) / len(losses):.4f} acc={self.accuracy(valid):.3f}")


def main():
    torch.manual_seed(3)
    train = DataLoader(SurveyDataset(1500, 0, "train"), batch_size=64, shuffle=True)
    valid = DataLoader(SurveyDataset(400, 1, "valid"), batch_size=200)
    Fitter(AgeNet(N_ITEMS)).fit(train, valid, epochs=6)


if __name__ == "__main__":
    main()
