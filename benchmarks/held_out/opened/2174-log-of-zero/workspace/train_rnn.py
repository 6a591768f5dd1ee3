import numpy as np
import torch
from torch import nn

from prepare import LABELS, build


class BandGRU(nn.Module):
    def __init__(self, bands, n_out, hidden=24):
        super().__init__()
        self.gru = nn.GRU(bands, hidden, batch_first=True, bidirectional=True)
        self.head = nn.Linear(2 * hidden, n_out)

    def forward(self, x):
        out, _ = self.gru(x)
        return self.head(out.mean(1))


def load(path):
    with np.load(path) as z:
        arr = {k: torch.from_numpy(z[k]) for k in z.files}
    mu = arr["train_x"].mean((0, 1))
    sd = arr["train_x"].std((0, 1))
    for k in ("train_x", "valid_x"):
        arr[k] = (arr[k] - mu) / sd
    return arr


def main():
    torch.manual_seed(0)
    d = load(build())
    net = BandGRU(d["train_x"].shape[-1], len(LABELS))
    opt = torch.optim.Adam(net.parameters(), 0.01)
    for epoch in range(1, 31):
        net.train()
        perm = torch.randperm(len(d["train_x"]))
        for idx in perm.split(9):
            loss = nn.functional.cross_entropy(net(d["train_x"][idx]), d["train_y"][idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
        if epoch % 10 == 0:
            net.eval()
            with torch.no_grad():
                acc = (net(d["valid_x"]).argmax(1) == d["valid_y"]).float().mean()
            print(f"epoch {epoch} loss {loss.item():.3f} valid acc {acc:.2f}")


if __name__ == "__main__":
    main()
