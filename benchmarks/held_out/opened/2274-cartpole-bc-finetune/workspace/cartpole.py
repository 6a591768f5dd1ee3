import math
import random


class CartPole:
    """The classic control task (Barto et al.), without gym."""

    def __init__(self, seed=0, max_steps=200):
        self.rng = random.Random(seed)
        self.max_steps = max_steps

    def reset(self):
        self.state = [self.rng.uniform(-0.05, 0.05) for _ in range(4)]
        self.t = 0
        return list(self.state)

    def step(self, action):
        x, v, th, w = self.state
        force = 10.0 if action == 1 else -10.0
        cos, sin = math.cos(th), math.sin(th)
        temp = (force + 0.05 * w * w * sin) / 1.1
        acc_th = (9.8 * sin - cos * temp) / (0.5 * (4 / 3 - 0.1 * cos * cos / 1.1))
        acc_x = temp - 0.05 * acc_th * cos / 1.1
        self.state = [x + 0.02 * v, v + 0.02 * acc_x, th + 0.02 * w, w + 0.02 * acc_th]
        self.t += 1
        failed = abs(self.state[0]) > 2.4 or abs(self.state[2]) > 0.21
        return list(self.state), 1.0, failed or self.t >= self.max_steps


def expert(state):
    x, v, th, w = state
    return int(th + 0.3 * w + 0.02 * x + 0.05 * v > 0)
