"""Train a small network on two half circles with the SVM loss."""
import argparse
import math
import random

import numpy as np

from micrograd.engine import Value
from micrograd.nn import MLP


def make_moons(n, noise, rng):
    X, y = [], []
    for i in range(n):
        t = math.pi * rng.random()
        if i % 2 == 0:
            X.append([math.cos(t), math.sin(t)])
            y.append(1)
        else:
            X.append([1 - math.cos(t), 0.5 - math.sin(t)])
            y.append(-1)
    X = np.array(X) + noise * np.array([[rng.gauss(0, 1), rng.gauss(0, 1)] for _ in range(n)])
    return X, np.array(y)


def loss(model, X, y, alpha=1e-4):
    inputs = [list(map(Value, row)) for row in X]
    scores = list(map(model, inputs))
    losses = [(1 + -yi * score).relu() for yi, score in zip(y, scores)]
    data_loss = sum(losses) * (1.0 / len(losses))
    reg_loss = alpha * sum(p * p for p in model.parameters())
    accuracy = [(yi > 0) == (score.data > 0) for yi, score in zip(y, scores)]
    return data_loss + reg_loss, sum(accuracy) / len(accuracy)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--points', type=int, default=30)
    parser.add_argument('--steps', type=int, default=15)
    parser.add_argument('--hidden', type=int, nargs='+', default=[8, 8])
    parser.add_argument('--seed', type=int, default=1337)
    args = parser.parse_args()

    random.seed(args.seed)
    X, y = make_moons(args.points, 0.1, random.Random(args.seed))
    model = MLP(2, args.hidden + [1])
    print(model)
    print("number of parameters", len(model.parameters()))
    for k in range(args.steps):
        total, acc = loss(model, X, y)
        model.zero_grad()
        total.backward()
        rate = 1.0 - 0.9 * k / args.steps
        for p in model.parameters():
            p.data -= rate * 0.1 * p.grad
        print(f"step {k} loss {total.data:.4f}, accuracy {acc * 100:.1f}%")


if __name__ == '__main__':
    main()
