import math

import torch


class SineTask:
    def __init__(self, amplitude, phase, noise):
        self.amplitude, self.phase, self.noise = amplitude, phase, noise

    def points(self, n):
        x = torch.rand(n, 1) * 10 - 5
        y = self.amplitude * torch.sin(x + self.phase)
        return x, y + self.noise * torch.randn_like(y)


class SineTasks:
    """Finn et al. 2017, section 5.1"""

    def __init__(self, amp=(0.5, 3.0), phase=(0.0, math.pi), noise=0.0):
        self.amp, self.phase, self.noise = amp, phase, noise

    def sample(self, n):
        a = torch.empty(n).uniform_(*self.amp).tolist()
        p = torch.empty(n).uniform_(*self.phase).tolist()
        return [SineTask(ai, pi, self.noise) for ai, pi in zip(a, p)]
