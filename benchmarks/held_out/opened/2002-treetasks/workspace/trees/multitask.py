import torch.nn as nn
import torch.nn.functional as F


class MultiTaskNet(nn.Module):
    def __init__(self, in_dim, trunk, dropout, tasks):
        super().__init__()
        layers = []
        for width in trunk:
            layers += [nn.Linear(in_dim, width), nn.ReLU(), nn.Dropout(dropout)]
            in_dim = width
        self.trunk = nn.Sequential(*layers)
        self.heads = nn.ModuleDict()
        for name, spec in tasks.items():
            out = len(spec["classes"]) if spec["kind"] == "classification" else 1
            self.heads[name] = nn.Linear(in_dim, out)

    def forward(self, x):
        h = self.trunk(x)
        return {name: head(h) for name, head in self.heads.items()}


LOSSES = {
    "classification": lambda out, t: F.cross_entropy(out, t),
    "regression": lambda out, t: F.smooth_l1_loss(out.squeeze(1), t),
    "binary": lambda out, t: F.binary_cross_entropy_with_logits(out.squeeze(1), t),
}


def multitask_loss(outputs, targets, tasks):
    parts = {name: LOSSES[spec["kind"]](outputs[name], targets[name]) for name, spec in tasks.items()}
    total = sum(tasks[name]["weight"] * value for name, value in parts.items())
    return total, {name: value.item() for name, value in parts.items()}
