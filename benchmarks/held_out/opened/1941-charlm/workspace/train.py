import argparse
import os

import torch
import torch.nn.functional as F

from network import CharGRU
from textdata import CharData


def get_parser():
    p = argparse.ArgumentParser()
    p.add_argument("--corpus", default="corpus.txt")
    p.add_argument("--width", type=int, default=48)
    p.add_argument("--layers", type=int, default=1)
    p.add_argument("--block", type=int, default=32)
    p.add_argument("--batch-size", type=int, default=16)
    p.add_argument("--epochs", type=int, default=8, help="length of the whole schedule")
    p.add_argument("--stop-after", type=int, default=None,
                   help="leave after this epoch (to go on later with --resume)")
    p.add_argument("--steps-per-epoch", type=int, default=25)
    p.add_argument("--max-lr", type=float, default=1e-2)
    p.add_argument("--ckpt", default="ckpt.pt")
    p.add_argument("--resume", action="store_true")
    p.add_argument("--seed", type=int, default=0)
    return p


def save(path, epoch, model, opt, sched):
    tmp = path + ".tmp"
    torch.save({"epoch": epoch, "model": model.state_dict(), "opt": opt.state_dict(),
                "sched": sched.state_dict()}, tmp)
    os.replace(tmp, path)


def evaluate(model, data, batch_size):
    model.eval()
    gen = torch.Generator().manual_seed(99)
    with torch.no_grad():
        x, y = data.batch(batch_size * 4, gen, "val")
        logits, _ = model(x)
        return F.cross_entropy(logits.transpose(1, 2), y).item()


def main():
    args = get_parser().parse_args()
    torch.manual_seed(args.seed)
    gen = torch.Generator().manual_seed(args.seed)
    data = CharData(args.corpus, args.block)
    model = CharGRU(len(data.chars), args.width, args.layers)
    opt = torch.optim.AdamW(model.parameters(), lr=args.max_lr)
    sched = torch.optim.lr_scheduler.OneCycleLR(
        opt, args.max_lr, total_steps=args.epochs * args.steps_per_epoch)

    first = 1
    if args.resume:
        state = torch.load(args.ckpt)
        model.load_state_dict(state["model"])
        opt.load_state_dict(state["opt"])
        sched.load_state_dict(state["sched"])
        first = state["epoch"] + 1
        gen.manual_seed(args.seed + first)
        print(f"resumed from {args.ckpt} at epoch {first}")

    last = args.stop_after or args.epochs
    for epoch in range(first, last + 1):
        model.train()
        total = 0.0
        for _ in range(args.steps_per_epoch):
            x, y = data.batch(args.batch_size, gen)
            logits, _ = model(x)
            loss = F.cross_entropy(logits.transpose(1, 2), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            total += loss.item()
        val = evaluate(model, data, args.batch_size)
        print(f"epoch {epoch} train {total / args.steps_per_epoch:.3f} val {val:.3f} "
              f"lr {sched.get_last_lr()[0]:.2e}")
        save(args.ckpt, epoch, model, opt, sched)

    if last == args.epochs:
        print(data.decode(model.generate(data.chars.index("T"), 80)))


if __name__ == "__main__":
    main()
