import torch
from torch import nn

from config import Config
from data import SYMBOLS, loaders
from model import BeatNet


def run_epoch(net, loader, loss_fn, opt=None):
    net.train(opt is not None)
    total, hits, n = 0.0, 0, 0
    with torch.set_grad_enabled(opt is not None):
        for beat, rr, y in loader:
            out = net(beat, rr)
            loss = loss_fn(out, y)
            if opt is not None:
                opt.zero_grad()
                loss.backward()
                opt.step()
            total += loss.item() * len(y)
            hits += (out.argmax(1) == y).sum().item()
            n += len(y)
    return total / n, hits / n


def main():
    cfg = Config()
    torch.manual_seed(cfg.seed)
    train_dl, val_dl = loaders(cfg)
    net = BeatNet(cfg)
    print(f"{sum(p.numel() for p in net.parameters())} parameters, classes {SYMBOLS}")
    opt = torch.optim.Adam(net.parameters(), lr=cfg.lr)
    loss_fn = nn.CrossEntropyLoss()
    for epoch in range(1, cfg.epochs + 1):
        tl, ta = run_epoch(net, train_dl, loss_fn, opt)
        vl, va = run_epoch(net, val_dl, loss_fn)
        print(f"epoch {epoch}: train {tl:.3f}/{ta:.3f} val {vl:.3f}/{va:.3f}")


if __name__ == "__main__":
    main()
