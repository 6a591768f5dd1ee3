import numpy as np
import torch
from torch.utils.data import DataLoader

from .autoencoder import ConvAE


class Detector:
    def __init__(self, cfg):
        self.cfg = cfg
        self.net = ConvAE(len(cfg["channels"]), cfg["width"], cfg["code"])
        self.threshold = None

    def fit(self, windows):
        opt = torch.optim.Adam(self.net.parameters(), lr=self.cfg["lr"])
        loader = DataLoader(windows, batch_size=self.cfg["batch"], shuffle=True)
        for epoch in range(self.cfg["epochs"]):
            losses = []
            for x in loader:
                loss = (self.net(x) - x).pow(2).mean()
                opt.zero_grad()
                loss.backward()
                opt.step()
                losses.append(loss.item())
            if epoch % 3 == 2:
                print(f"epoch {epoch + 1}: reconstruction loss {np.mean(losses):.4f}")
        self.threshold = float(np.quantile(self.scores(windows), self.cfg["quantile"]))

    def scores(self, windows):
        self.net.eval()
        with torch.no_grad():
            err = (self.net(windows) - windows).pow(2)
        return err.mean(dim=(1, 2)).numpy()

    def flags(self, windows):
        return self.scores(windows) > self.threshold
