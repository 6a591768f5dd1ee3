import random
from collections import deque, namedtuple
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

Transition = namedtuple("Transition", ("state", "action", "reward", "next_state", "done"))


class Corridor:
    """walk right to reach the goal"""

    def __init__(self, n=8):
        self.n = n

    def reset(self):
        self.pos = 0
        self.t = 0
        return self._obs()

    def _obs(self):
        o = np.zeros(self.n, dtype=np.float32)
        o[self.pos] = 1
        return o

    def step(self, a):
        self.t += 1
        self.pos = min(self.n - 1, max(0, self.pos + (1 if a == 1 else -1)))
        done = self.pos == self.n - 1 or self.t >= 40
        reward = 1.0 if self.pos == self.n - 1 else -0.01
        return self._obs(), reward, done


class ReplayMemory:
    def __init__(self, size):
        self.memory = deque(maxlen=size)

    def push(self, *args):
        self.memory.append(Transition(*args))

    def sample(self, batch_size):
        batch = Transition(*zip(*random.sample(self.memory, batch_size)))
        states = torch.tensor(np.array(batch.state))
        actions = torch.tensor(batch.action, dtype=torch.float32).unsqueeze(1)
        rewards = torch.tensor(batch.reward)
        next_states = torch.tensor(np.array(batch.next_state))
        dones = torch.tensor(batch.done, dtype=torch.float32)
        return states, actions, rewards, next_states, dones

    def __len__(self):
        return len(self.memory)


class DQN:
    def __init__(self, n_states, n_actions, gamma=0.95):
        self.policy = nn.Sequential(nn.Linear(n_states, 32), nn.ReLU(), nn.Linear(32, n_actions))
        self.target = nn.Sequential(nn.Linear(n_states, 32), nn.ReLU(), nn.Linear(32, n_actions))
        self.target.load_state_dict(self.policy.state_dict())
        self.optim = torch.optim.Adam(self.policy.parameters(), lr=3e-3)
        self.gamma = gamma
        self.n_actions = n_actions

    def act(self, state, eps):
        if random.random() < eps:
            return random.randrange(self.n_actions)
        with torch.no_grad():
            return self.policy(torch.from_numpy(state)).argmax().item()

    def learn(self, memory, batch_size=32):
        s, a, r, s2, d = memory.sample(batch_size)
        q = self.policy(s).gather(1, a).squeeze(1)
        with torch.no_grad():
            q_next = self.target(s2).max(1)[0]
        target = r + self.gamma * q_next * (1 - d)
        loss = F.smooth_l1_loss(q, target)
        self.optim.zero_grad()
        loss.backward()
        self.optim.step()


random.seed(0)
torch.manual_seed(0)
env = Corridor()
agent = DQN(8, 2)
mem = ReplayMemory(2000)
eps = 1.0
for ep in range(60):
    s = env.reset()
    done = False
    total = 0
    while not done:
        a = agent.act(s, eps)
        s2, r, done = env.step(a)
        mem.push(s, a, r, s2, done)
        s = s2
        total += r
        if len(mem) > 64:
            agent.learn(mem)
    eps = max(0.05, eps * 0.93)
    if ep % 5 == 0:
        agent.target.load_state_dict(agent.policy.state_dict())
        print("episode", ep, "reward %.2f" % total, "eps %.2f" % eps)
