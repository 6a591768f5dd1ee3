"""Fit MADE to small binary pictures of horizontal and vertical bars."""
import argparse

import numpy as np
import torch
import torch.nn.functional as F

from made import MADE


def bars(n, side, rng):
    images = np.zeros((n, side, side), dtype=np.float32)
    for image in images:
        k = rng.integers(side)
        if rng.random() < 0.5:
            image[k, :] = 1
        else:
            image[:, k] = 1
    return images.reshape(n, side * side)


def evaluate(model, x, samples):
    model.eval()
    with torch.no_grad():
        logits = torch.zeros_like(x)
        for _ in range(samples):
            model.update_masks()
            logits += model(x)
        logits /= samples
        return F.binary_cross_entropy_with_logits(logits, x, reduction='sum') / len(x)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('-q', '--hiddens', type=str, default='64')
    parser.add_argument('-n', '--num-masks', type=int, default=2)
    parser.add_argument('-e', '--epochs', type=int, default=20)
    parser.add_argument('--natural', action='store_true')
    args = parser.parse_args()

    torch.manual_seed(42)
    rng = np.random.default_rng(42)
    train = torch.from_numpy(bars(400, 6, rng))
    test = torch.from_numpy(bars(100, 6, rng))
    hidden = [int(h) for h in args.hiddens.split(',')]
    model = MADE(36, hidden, 36, num_masks=args.num_masks, natural_ordering=args.natural)
    opt = torch.optim.Adam(model.parameters(), 1e-2, weight_decay=1e-4)
    sched = torch.optim.lr_scheduler.StepLR(opt, step_size=10, gamma=0.5)
    for epoch in range(args.epochs):
        model.train()
        for i in range(0, len(train), 50):
            xb = train[i:i + 50]
            model.update_masks()
            loss = F.binary_cross_entropy_with_logits(model(xb), xb, reduction='sum') / len(xb)
            opt.zero_grad()
            loss.backward()
            opt.step()
        sched.step()
        if epoch % 5 == 4:
            print('epoch %d test loss %.4f' % (epoch, evaluate(model, test, args.num_masks)))


if __name__ == '__main__':
    main()
