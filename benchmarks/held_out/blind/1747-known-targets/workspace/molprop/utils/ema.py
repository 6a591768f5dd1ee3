import copy

import torch


class ModelEMA:
    def __init__(self, model, decay):
        self.shadow = copy.deepcopy(model)
        self.decay = decay
        for p in self.shadow.parameters():
            p.requires_grad_(False)

    @torch.no_grad()
    def update(self, model):
        for s, p in zip(self.shadow.parameters(), model.parameters()):
            s.mul_(self.decay).add_(p, alpha=1 - self.decay)
