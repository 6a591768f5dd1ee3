import random
from collections import deque, namedtuple

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

random.seed(0)
np.random.seed(0)
torch.manual_seed(0)

Transition = namedtuple("Transition", "state action reward next_state done")


class GridWorld:
    """5x5 grid, start in a corner, goal in the opposite one."""

    moves = [(0, 1), (0, -1), (1, 0), (-1, 0)]

    def __init__(self, size=5):
        self.size = size

    def reset(self):
        self.pos = [0, 0]
        self.t = 0
        return self._obs()

    def _obs(self):
        return np.array(self.pos, dtype=np.float32) / (self.size - 1)

    def step(self, action):
        dx, dy = self.moves[action]
        self.pos[0] = min(max(self.pos[0] + dx, 0), self.size - 1)
        self.pos[1] = min(max(self.pos[1] + dy, 0), self.size - 1)
        self.t += 1
        goal = self.pos == [self.size - 1] * 2
        return self._obs(), (1.0 if goal else -0.01), goal or self.t >= 50


class ReplayMemory:
    def __init__(self, capacity):
        self.memory = deque(maxlen=capacity)

    def push(self, *args):
        self.memory.append(Transition(*args))

    def sample(self, k):
        return Transition(*zip(*random.sample(self.memory, k)))

    def __len__(self):
        return len(self.memory)


class QNet(nn.Module):
    def __init__(self, n_obs, n_actions):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(n_obs, 64), nn.ReLU(), nn.Linear(64, n_actions))

    def forward(self, x):
        return self.net(x)


env = GridWorld()
policy, target = QNet(2, 4), QNet(2, 4)
target.load_state_dict(policy.state_dict())
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
memory = ReplayMemory(5000)
BATCH, GAMMA, EPS = 32, 0.97, 1.0


def optimize():
    batch = memory.sample(BATCH)
    states = torch.from_numpy(np.stack(batch.state))
    actions = torch.tensor(batch.action).unsqueeze(1)
    rewards = torch.tensor(batch.reward)
    next_states = torch.from_numpy(np.stack(batch.next_state))
    done = torch.tensor(batch.done, dtype=torch.float32)

    q = policy(states).gather(1, actions).squeeze(1)
    with torch.no_grad():
        next_q = target(next_states).max(1)
        not_done = 1.0 - done
        expected = rewards + GAMMA * not_done * next_q
    loss = F.smooth_l1_loss(q, expected)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


for episode in range(30):
    state, done, total = env.reset(), False, 0.0
    while not done:
        if random.random() < EPS:
            action = random.randrange(4)
        else:
            with torch.no_grad():
                action = policy(torch.from_numpy(state)[None]).argmax(1).item()
        nxt, reward, done = env.step(action)
        memory.push(state, action, reward, nxt, done)
        state, total = nxt, total + reward
        if len(memory) >= BATCH:
            loss = optimize()
    EPS = max(0.1, EPS * 0.9)
    if episode % 5 == 0:
        target.load_state_dict(policy.state_dict())
        print(f"episode {episode:3d} return {total:6.2f} eps {EPS:.2f}")
