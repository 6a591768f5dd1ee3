import torch
from torch.quasirandom import SobolEngine


class Collocation:
    """Scrambled Sobol points in (0, 1), redrawn every `every` calls."""

    def __init__(self, n, every=25, seed=0):
        self.n = n
        self.every = every
        self.engine = SobolEngine(1, scramble=True, seed=seed)
        self._calls = 0
        self._points = None

    def __call__(self):
        if self._points is None or self._calls % self.every == 0:
            self._points = self.engine.draw(self.n)
        self._calls += 1
        return self._points.clone()


def end_points():
    ends = torch.tensor([[0.0], [1.0]])
    ends.requires_grad_(True)
    return ends
