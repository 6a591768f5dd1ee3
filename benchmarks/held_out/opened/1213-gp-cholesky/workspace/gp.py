import math

import torch
from torch import nn


class ExactGP(nn.Module):
    """Zero-mean GP with an RBF kernel; hyperparameters are learned in log space."""

    def __init__(self, lengthscale, outputscale, noise):
        super().__init__()
        self.log_ls = nn.Parameter(torch.tensor(math.log(lengthscale)))
        self.log_os = nn.Parameter(torch.tensor(math.log(outputscale)))
        self.register_buffer("noise", torch.tensor(float(noise)))

    def kernel(self, a, b):
        d2 = (a[:, None, :] - b[None, :, :]).pow(2).sum(-1)
        return self.log_os.exp() * torch.exp(-0.5 * d2 / self.log_ls.exp() ** 2)

    def cov(self, x):
        eye = torch.eye(len(x), device=x.device)
        return self.kernel(x, x) + self.noise * eye

    def nll(self, x, y):
        chol = torch.linalg.cholesky(self.cov(x))
        alpha = torch.cholesky_solve(y[:, None], chol)
        fit = 0.5 * (y[:, None] * alpha).sum()
        logdet = chol.diagonal().log().sum()
        return (fit + logdet + 0.5 * len(y) * math.log(2 * math.pi)) / len(y)

    @torch.no_grad()
    def predict(self, x, y, new):
        chol = torch.linalg.cholesky(self.cov(x))
        ks = self.kernel(new, x)
        mean = ks @ torch.cholesky_solve(y[:, None], chol)
        v = torch.linalg.solve_triangular(chol, ks.T, upper=False)
        var = self.log_os.exp() - v.pow(2).sum(0)
        return mean.squeeze(-1), var.clamp(min=0)
