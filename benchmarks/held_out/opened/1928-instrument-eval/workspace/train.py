import argparse
import pathlib

import torch
import torch.nn.functional as F
from sklearn.metrics import f1_score

from mfcc import matrix
from net import FamilyNet
from notes import FAMILIES, corpus


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--out", type=pathlib.Path, required=True)
    p.add_argument("--n-train", type=int, default=320)
    p.add_argument("--n-coef", type=int, default=13)
    p.add_argument("--snr", type=float, default=2.0)
    p.add_argument("--hidden", type=int, default=64)
    p.add_argument("--lr", type=float, default=2e-3)
    p.add_argument("--epochs", type=int, default=25)
    p.add_argument("--seed", type=int, default=0)
    return p.parse_args()


def main():
    args = parse()
    args.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(args.seed)

    waves, y = corpus(args.n_train, seed=args.seed, snr_db=args.snr)
    x, y = torch.from_numpy(matrix(waves, args.n_coef)), torch.from_numpy(y)
    n_val = len(x) // 5
    x_val, y_val, x, y = x[:n_val], y[:n_val], x[n_val:], y[n_val:]

    net = FamilyNet(x.shape[1], args.hidden, len(FAMILIES))
    net.fit_scaler(x)
    opt = torch.optim.Adam(net.parameters(), lr=args.lr)
    best = -1.0
    for epoch in range(args.epochs):
        net.train()
        for idx in torch.randperm(len(x)).split(32):
            loss = F.cross_entropy(net(x[idx]), y[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
        net.eval()
        with torch.no_grad():
            pred = net(x_val).argmax(1)
        f1 = float(f1_score(y_val, pred, average="macro"))
        if f1 > best:
            best = f1
            torch.save({"state": net.state_dict(),
                        "hparams": vars(args),
                        "epoch": epoch, "f1": f1},
                       args.out / "best.pt")
        if epoch % 5 == 4:
            print(f"epoch {epoch + 1} loss {loss.item():.3f} val f1 {f1:.3f} best {best:.3f}")
    print("saved", args.out / "best.pt")


if __name__ == "__main__":
    main()
