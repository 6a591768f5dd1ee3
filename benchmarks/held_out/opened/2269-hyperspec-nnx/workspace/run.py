import argparse

import optax
from flax import nnx

from loop import eval_step, train_step
from net import SpectraNet
from spectra import MINERALS, loader, make_spectra


def get_args():
    p = argparse.ArgumentParser(description="Mineral classification from reflectance spectra")
    p.add_argument("--epochs", type=int, default=2)
    p.add_argument("--batch-size", type=int, default=32)
    p.add_argument("--width", type=int, default=8)
    p.add_argument("--lr", type=float, default=5e-3)
    return p.parse_args()


def main():
    args = get_args()
    train, test = make_spectra(384, seed=1), make_spectra(96, seed=2)
    model = SpectraNet(len(MINERALS), args.width, rngs=nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adamw(args.lr), wrt=nnx.Param)
    metrics = nnx.MultiMetric(accuracy=nnx.metrics.Accuracy(), loss=nnx.metrics.Average("loss"))

    for epoch in range(args.epochs):
        model.train()
        for x, y in loader(*train, args.batch_size, seed=epoch):
            train_step(model, optimizer, metrics, x, y)
        line = f"[{epoch}] train " + " ".join(f"{k}={float(v):.3f}" for k, v in metrics.compute().items())
        metrics.reset()
        model.eval()
        for x, y in loader(*test, args.batch_size, seed=0):
            eval_step(model, metrics, x, y)
        print(line, "| test", " ".join(f"{k}={float(v):.3f}" for k, v in metrics.compute().items()))
        metrics.reset()


if __name__ == "__main__":
    main()
