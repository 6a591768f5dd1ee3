import torch
from torch import nn


class LogitObjective(nn.Module):
    def __init__(self):
        super().__init__()
        self.loss = nn.BCEWithLogitsLoss()

    def forward(self, logits, target):
        return self.loss(logits, target)


class ProbabilityObjective(nn.Module):
    def __init__(self):
        super().__init__()
        self.loss = nn.BCELoss()

    def forward(self, logits, target):
        return self.loss(torch.sigmoid(logits), target)


OBJECTIVES = {"bce": ProbabilityObjective, "bce_logits": LogitObjective}
