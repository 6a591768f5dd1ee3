"""A metric of one's own, used in a training loop beside the library's."""
import torch
from torch import nn
from torchmetrics import MeanMetric, MeanSquaredError, Metric, R2Score
from torchmetrics.utilities import dim_zero_cat


class QuantileError(Metric):
    """The pinball loss of a quantile over all that was seen."""

    full_state_update = False
    is_differentiable = False
    higher_is_better = False

    def __init__(self, quantile=0.9, **kwargs):
        super().__init__(**kwargs)
        self.quantile = quantile
        self.add_state("errors", default=[], dist_reduce_fx="cat")
        self.add_state("total", default=torch.tensor(0), dist_reduce_fx="sum")

    def update(self, preds, target):
        if preds.shape != target.shape:
            raise ValueError(f"preds {tuple(preds.shape)} and target {tuple(target.shape)} differ")
        self.errors.append(target - preds)
        self.total += target.numel()

    def compute(self):
        errors = dim_zero_cat(self.errors)
        loss = torch.maximum(self.quantile * errors, (self.quantile - 1) * errors)
        return loss.sum() / self.total


def main():
    x = torch.rand(400, 6)
    y = (x @ torch.arange(6.0) / 6 + 0.1 * torch.randn(400)).unsqueeze(1)
    model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    running, mse, r2, tail = MeanMetric(), MeanSquaredError(), R2Score(), QuantileError(0.9)
    for epoch in range(4):
        for start in range(0, 320, 32):
            batch = slice(start, start + 32)
            loss = nn.functional.mse_loss(model(x[batch]), y[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            running.update(loss.detach())
        with torch.no_grad():
            preds = model(x[320:])
        for metric in (mse, r2, tail):
            metric.update(preds, y[320:])
        print(f"epoch {epoch}: train {running.compute():.4f} mse {mse.compute():.4f}"
              f" r2 {r2.compute():.3f} tail {tail.compute():.4f}")
        for metric in (running, mse, r2, tail):
            metric.reset()


if __name__ == "__main__":
    main()
