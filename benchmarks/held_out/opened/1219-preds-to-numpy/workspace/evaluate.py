import argparse

import torch

from predict import QUANTILES, QuantileNet, pinball, predict
from report import coverage_report, print_report


def heteroscedastic(n, features=6):
    x = torch.rand(n, features) * 2 - 1
    mean = torch.sin(3 * x[:, 0]) + x[:, 1] ** 2
    noise = (0.2 + 0.5 * x[:, 2].abs()) * torch.randn(n)
    return x, mean + noise


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--n", type=int, default=8000)
    ap.add_argument("--iters", type=int, default=300)
    args = ap.parse_args()
    torch.manual_seed(0)
    x, y = heteroscedastic(args.n)
    cut = int(0.75 * args.n)
    xt, yt = x[:cut].cuda(), y[:cut].cuda()
    model = QuantileNet(x.shape[1]).cuda()
    opt = torch.optim.Adam(model.parameters(), lr=5e-3)
    for it in range(args.iters):
        idx = torch.randint(0, cut, (256,), device=xt.device)
        loss = pinball(model(xt[idx]), yt[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        if it % 100 == 0:
            print(f"iter {it} pinball {loss.item():.4f}")
    preds = predict(model, x[cut:])
    rows, width = coverage_report(y[cut:], preds, QUANTILES)
    print_report(rows, width)


if __name__ == "__main__":
    main()
