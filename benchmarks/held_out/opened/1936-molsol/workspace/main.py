import argparse

import torch
from torch.utils.data import DataLoader, random_split

from graphs import MoleculeFile, collate
from net import SolubilityNet


def get_args():
    p = argparse.ArgumentParser()
    p.add_argument("--data", default="molecules.jsonl")
    p.add_argument("--dim", type=int, default=32)
    p.add_argument("--depth", type=int, default=3)
    p.add_argument("--virtual-atom", action="store_true",
                   help="link all atoms of a molecule to one extra atom")
    p.add_argument("--epochs", type=int, default=6)
    p.add_argument("--batch-size", type=int, default=16)
    p.add_argument("--lr", type=float, default=3e-3)
    p.add_argument("--seed", type=int, default=1)
    return p.parse_args()


def run_epoch(model, loader, opt=None):
    model.train(opt is not None)
    total, n = 0.0, 0
    for batch in loader:
        with torch.set_grad_enabled(opt is not None):
            err = (model(batch) - batch.y) ** 2
        if opt is not None:
            opt.zero_grad()
            err.mean().backward()
            opt.step()
        total += err.sum().item()
        n += len(err)
    return (total / n) ** 0.5


def main():
    args = get_args()
    torch.manual_seed(args.seed)
    data = MoleculeFile(args.data, virtual_atom=args.virtual_atom)
    n_test = len(data) // 5
    train, test = random_split(data, [len(data) - n_test, n_test])
    print(f"{len(train)} molecules for training, {len(test)} for testing")
    train_loader = DataLoader(train, args.batch_size, shuffle=True, collate_fn=collate)
    test_loader = DataLoader(test, args.batch_size, collate_fn=collate)

    model = SolubilityNet(args.dim, args.depth)
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        tr = run_epoch(model, train_loader, opt)
        te = run_epoch(model, test_loader)
        print(f"[{epoch + 1}/{args.epochs}] rmse train {tr:.3f} test {te:.3f}")


if __name__ == "__main__":
    main()
