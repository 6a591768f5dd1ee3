"""Train a teacher, distil it into a student, prune the student and save it."""
import argparse
import logging

import torch
import torch.nn.functional as F
from torch.nn.utils import prune
from torch.utils.data import DataLoader, TensorDataset

from nets import DepthwiseStudent, make_teacher, prunable, synth

log = logging.getLogger("compress")


def accuracy(model, x, y):
    model.eval()
    with torch.no_grad():
        return (model(x).argmax(1) == y).float().mean().item()


def fit(model, loader, epochs, lr, teacher=None, T=3.0, alpha=0.7):
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    for _ in range(epochs):
        model.train()
        for x, y in loader:
            logits = model(x)
            loss = F.cross_entropy(logits, y)
            if teacher is not None:
                with torch.no_grad():
                    soft = F.log_softmax(teacher(x) / T, dim=-1)
                kd = F.kl_div(F.log_softmax(logits / T, dim=-1), soft, reduction="batchmean", log_target=True)
                loss = alpha * T * T * kd + (1 - alpha) * loss
            opt.zero_grad()
            loss.backward()
            opt.step()
    return model


def sparsity(model):
    zeros = sum((getattr(m, n) == 0).sum().item() for m, n in prunable(model))
    total = sum(getattr(m, n).numel() for m, n in prunable(model))
    return zeros / total


def prune_gradually(student, loader, teacher, amounts):
    for amount in amounts:
        prune.global_unstructured(prunable(student), pruning_method=prune.L1Unstructured, amount=amount)
        fit(student, loader, epochs=1, lr=2e-3, teacher=teacher)
        log.info("pruned to %.1f%% zeros", 100 * sparsity(student))
    return student


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--out", default="student.pt")
    ap.add_argument("--amounts", type=float, nargs="+", default=[0.2, 0.2])
    args = ap.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    torch.manual_seed(0)
    x, y = synth(640, seed=0)
    xv, yv = synth(200, seed=1)
    loader = DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True)

    teacher = fit(make_teacher(), loader, epochs=3, lr=2e-3)
    teacher.eval().requires_grad_(False)
    log.info("teacher accuracy %.3f", accuracy(teacher, xv, yv))
    student = fit(DepthwiseStudent(), loader, epochs=6, lr=5e-3, teacher=teacher)
    log.info("student accuracy %.3f", accuracy(student, xv, yv))
    student = prune_gradually(student, loader, teacher, args.amounts)
    log.info("pruned student accuracy %.3f", accuracy(student, xv, yv))
    torch.save(student.state_dict(), args.out)
    log.info("wrote %s", args.out)


if __name__ == "__main__":
    main()
