"""Pretrain on four shapes, then fit a new head for three other ones."""
import argparse

import torch

from convnet import ConvNet
from engine import fit
from shapes import ALL, loaders

SOURCE, TARGET = ALL[:4], ALL[4:]


def get_optimizer(model, lr):
    params = [p for p in model.parameters() if p.requires_grad]
    return torch.optim.Adam(params, lr=lr)


def pretrain(args):
    model = ConvNet(len(SOURCE))
    train, test = loaders(SOURCE, 400, 120, seed=10)
    fit(model, train, test, get_optimizer(model, args.lr), args.pretrain_epochs, "pretrain")
    return model


def finetune(model, args):
    train, test = loaders(TARGET, 180, 120, seed=20)
    model.freeze_backbone()
    optimizer = get_optimizer(model, args.head_lr)
    model.reset_head(len(TARGET))
    fit(model, train, test, optimizer, args.finetune_epochs, "finetune")


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--lr", type=float, default=2e-3)
    ap.add_argument("--head-lr", type=float, default=1e-2)
    ap.add_argument("--pretrain-epochs", type=int, default=3)
    ap.add_argument("--finetune-epochs", type=int, default=6)
    args = ap.parse_args()
    torch.manual_seed(42)
    print("source:", SOURCE, "target:", TARGET)
    finetune(pretrain(args), args)


if __name__ == "__main__":
    main()
