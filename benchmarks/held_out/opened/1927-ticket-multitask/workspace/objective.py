import torch
from torch import nn

from settings import UNKNOWN


class JointLoss(nn.Module):
    """Weighted sum of the task losses; returns the parts for the log too."""

    def __init__(self, tasks):
        super().__init__()
        self.tasks = vars(tasks)
        self.ce = nn.CrossEntropyLoss()
        self.huber = nn.SmoothL1Loss()

    def forward(self, out, target):
        parts = {}
        for name, task in self.tasks.items():
            if task["kind"] == "class":
                parts[name] = self.ce(out[name], target[name])
            else:
                parts[name] = self.huber(out[name].squeeze(-1), target[name])
        total = sum(self.tasks[n]["weight"] * v for n, v in parts.items())
        return total, {n: v.item() for n, v in parts.items()}


@torch.no_grad()
def scores(out, target):
    res = {}
    for name in ("priority", "team"):
        known = target[name] != UNKNOWN
        hit = out[name].argmax(-1) == target[name]
        res[name] = (hit & known).sum().item() / max(1, known.sum().item())
    res["hours_mae"] = (out["hours"].squeeze(-1) - target["hours"]).abs().mean().item()
    return res
