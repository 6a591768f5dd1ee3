"""Score stored predictions with the metrics that a JSON file names."""
import argparse
import json

import torch
import torchmetrics
from torchmetrics import MetricCollection
from torchmetrics.wrappers import BootStrapper, MetricTracker

from predictions import batches


def build(specs):
    metrics = {}
    for name, spec in specs.items():
        spec = dict(spec)
        cls = getattr(torchmetrics, spec.pop("metric"))
        copies = spec.pop("bootstrap", 0)
        metric = cls(**spec)
        metrics[name] = BootStrapper(metric, num_bootstraps=copies) if copies else metric
    return MetricCollection(metrics)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default="quality/metrics.json")
    parser.add_argument("--epochs", type=int, default=2)
    args = parser.parse_args()
    with open(args.config) as file:
        config = json.load(file)

    tracker = MetricTracker(build(config["metrics"]), maximize=config["maximize"])
    for epoch in range(args.epochs):
        tracker.increment()
        for logits, labels in batches(config["classes"], skill=1.0 + epoch):
            tracker.update(logits, labels)
        values = {name: v.mean().item() for name, v in tracker.compute().items()}
        print(f"epoch {epoch}", {name: round(v, 4) for name, v in values.items()})
    best, steps = tracker.best_metric(return_step=True)
    print("best step", steps["accuracy"])
    confusion = torchmetrics.ConfusionMatrix(task="multiclass", num_classes=config["classes"])
    for logits, labels in batches(config["classes"], skill=2.0):
        confusion.update(logits.softmax(dim=-1), labels)
    table = confusion.compute()
    print(f"share on the diagonal {(table.diag().sum() / table.sum()).item():.4f}")


if __name__ == "__main__":
    main()
