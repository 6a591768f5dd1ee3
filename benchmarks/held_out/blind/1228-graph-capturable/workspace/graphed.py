"""Whole-step CUDA graph: forward, backward and optimizer replayed from static buffers."""
import time
from dataclasses import dataclass, field

import torch
from torch import nn


@dataclass
class Settings:
    batch: int = 256
    features: int = 32
    hidden: int = 128
    warmup: int = 5
    steps: int = 300
    lr: float = 2e-3
    betas: tuple = field(default=(0.9, 0.95))


def build(s: Settings):
    model = nn.Sequential(
        nn.Linear(s.features, s.hidden), nn.SiLU(),
        nn.Linear(s.hidden, s.hidden), nn.SiLU(), nn.Linear(s.hidden, 1),
    ).cuda()
    opt = torch.optim.Adam(model.parameters(), lr=s.lr, betas=s.betas)
    return model, opt


class GraphedStep:
    def __init__(self, model, opt, loss_fn, settings):
        self.model, self.opt, self.loss_fn = model, opt, loss_fn
        self.x = torch.zeros(settings.batch, settings.features, device="cuda")
        self.y = torch.zeros(settings.batch, 1, device="cuda")
        self._warmup(settings.warmup)
        self._capture()

    def _step(self):
        loss = self.loss_fn(self.model(self.x), self.y)
        loss.backward()
        self.opt.step()
        return loss

    def _warmup(self, n):
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(n):
                self.opt.zero_grad(set_to_none=True)
                self._step()
        torch.cuda.current_stream().wait_stream(side)

    def _capture(self):
        self.graph = torch.cuda.CUDAGraph()
        self.opt.zero_grad(set_to_none=True)
        with torch.cuda.graph(self.graph):
            self.loss = self._step()

    def __call__(self, x, y):
        self.x.copy_(x)
        self.y.copy_(y)
        self.graph.replay()
        return self.loss


def teacher(x, w):
    return torch.tanh(x @ w).sum(1, keepdim=True) * 0.3


def main():
    s = Settings()
    torch.manual_seed(0)
    model, opt = build(s)
    step = GraphedStep(model, opt, nn.SmoothL1Loss(), s)
    w = torch.randn(s.features, 8, device="cuda") / s.features**0.5
    torch.cuda.synchronize()
    start = time.perf_counter()
    for i in range(s.steps):
        x = torch.randn(s.batch, s.features, device="cuda")
        loss = step(x, teacher(x, w))
        if i % 100 == 0:
            print(f"step {i} loss {loss.item():.5f}")
    torch.cuda.synchronize()
    took = time.perf_counter() - start
    print(f"final loss {loss.item():.5f}, {1e3 * took / s.steps:.3f} ms/step")


if __name__ == "__main__":
    main()
