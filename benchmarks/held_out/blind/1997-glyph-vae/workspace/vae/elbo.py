import torch
import torch.nn.functional as F


def reconstruction(recon, x):
    return F.binary_cross_entropy(recon, x, reduction="sum") / x.size(0)


def kl_divergence(mu, logvar):
    return -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp()) / mu.size(0)


class BetaSchedule:
    def __init__(self, beta, anneal_epochs):
        self.beta, self.anneal = beta, anneal_epochs

    def __call__(self, epoch):
        return self.beta * min(1.0, (epoch + 1) / max(1, self.anneal))
