import copy

import torch


class EMA:
    def __init__(self, net, decay=0.99):
        self.net = copy.deepcopy(net).requires_grad_(False)
        self.decay = decay

    @torch.no_grad()
    def update(self, net):
        for p, q in zip(self.net.parameters(), net.parameters()):
            p.lerp_(q, 1 - self.decay)
