import argparse

import torch

from evaluation import evaluate, format_curve
from learner import Regressor
from maml import MAML
from tasks import SineTasks


def get_args():
    p = argparse.ArgumentParser()
    p.add_argument("--meta-iters", type=int, default=200)
    p.add_argument("--meta-batch", type=int, default=6)
    p.add_argument("--meta-lr", type=float, default=3e-3)
    p.add_argument("--inner-lr", type=float, default=0.02)
    p.add_argument("--inner-steps", type=int, default=2)
    p.add_argument("--shots", type=int, default=10)
    p.add_argument("--queries", type=int, default=15)
    p.add_argument("--hidden", type=int, default=32)
    p.add_argument("--first-order", action="store_true")
    p.add_argument("--eval-every", type=int, default=100)
    p.add_argument("--eval-tasks", type=int, default=25)
    p.add_argument("--eval-steps", type=int, default=4)
    p.add_argument("--seed", type=int, default=0)
    return p.parse_args()


def main():
    args = get_args()
    torch.manual_seed(args.seed)
    tasks = SineTasks()
    learner = Regressor(args.hidden)
    maml = MAML(learner, args.inner_lr, args.inner_steps, args.first_order)
    optimizer = torch.optim.Adam(learner.parameters(), lr=args.meta_lr)
    print(f"{'first-order ' if args.first_order else ''}MAML, {args.shots}-shot, "
          f"{args.inner_steps} inner steps at lr {args.inner_lr}")

    smooth = None
    for it in range(1, args.meta_iters + 1):
        loss = maml.meta_loss(tasks.sample(args.meta_batch), args.shots, args.queries)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        smooth = loss.item() if smooth is None else 0.95 * smooth + 0.05 * loss.item()
        if it % 50 == 0:
            print(f"iter {it}: meta loss {smooth:.3f}")
        if it % args.eval_every == 0:
            curve = evaluate(maml, tasks, args.eval_tasks, args.shots, args.queries, args.eval_steps)
            print(f"  unseen tasks, mse by step: {format_curve(curve)}")


if __name__ == "__main__":
    main()
