# DQN on my own 5x5 grid world. The agent starts in a corner and must reach the goal without touching a wall of fire.
import random
from collections import deque, namedtuple

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

random.seed(4)
np.random.seed(4)
torch.manual_seed(4)

Transition = namedtuple("Transition", ["state", "action", "reward", "next_state", "done"])


class GridEnv:
    """Same interface as gymnasium."""

    moves = [(-1, 0), (1, 0), (0, -1), (0, 1)]

    def __init__(self, size=5, max_steps=40):
        self.size = size
        self.max_steps = max_steps
        self.goal = (size - 1, size - 1)
        self.fire = {(1, 2), (2, 2), (3, 1)}
        self.n_actions = 4
        self.n_obs = 4

    def _obs(self):
        r, c = self.pos
        gr, gc = self.goal
        return np.array([r, c, gr - r, gc - c], dtype=np.float32) / self.size

    def reset(self, seed=None):
        self.pos = (0, 0)
        self.t = 0
        return self._obs(), {"pos": self.pos}

    def step(self, action):
        dr, dc = self.moves[action]
        r = min(max(self.pos[0] + dr, 0), self.size - 1)
        c = min(max(self.pos[1] + dc, 0), self.size - 1)
        self.pos = (r, c)
        self.t += 1
        if self.pos in self.fire:
            return self._obs(), -1.0, True, False, {}
        if self.pos == self.goal:
            return self._obs(), 1.0, True, False, {}
        return self._obs(), -0.02, False, self.t >= self.max_steps, {}


class DQN(nn.Module):
    def __init__(self, n_obs, n_actions, hidden=48):
        super(DQN, self).__init__()
        self.fc1 = nn.Linear(n_obs, hidden)
        self.fc2 = nn.Linear(hidden, hidden)
        self.fc3 = nn.Linear(hidden, n_actions)

    def forward(self, x):
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        return self.fc3(x)


class ReplayMemory:
    def __init__(self, capacity):
        self.memory = deque(maxlen=capacity)

    def push(self, *args):
        self.memory.append(Transition(*args))

    def sample(self, n):
        return Transition(*zip(*random.sample(self.memory, n)))

    def __len__(self):
        return len(self.memory)


class Agent:
    def __init__(self, env, gamma=0.95, lr=1e-3, batch_size=32):
        self.env = env
        self.gamma = gamma
        self.batch_size = batch_size
        self.policy_net = DQN(env.n_obs, env.n_actions)
        self.target_net = DQN(env.n_obs, env.n_actions)
        self.memory = ReplayMemory(3000)
        self.optimizer = torch.optim.Adam(self.policy_net.parameters(), lr=lr)
        self.update_target()

    def update_target(self):
        self.target_net.load_state_dict(self.policy_net)

    def act(self, state, eps):
        if random.random() < eps:
            return random.randrange(self.env.n_actions)
        with torch.no_grad():
            q = self.policy_net(torch.as_tensor(state).unsqueeze(0))
        return q.argmax(1).item()

    def learn(self):
        if len(self.memory) < self.batch_size:
            return None
        batch = self.memory.sample(self.batch_size)
        states = torch.tensor(np.array(batch.state))
        next_states = torch.tensor(np.array(batch.next_state))
        actions = torch.tensor(batch.action).unsqueeze(1)
        rewards = torch.tensor(batch.reward)
        done = torch.tensor(batch.done, dtype=torch.float32)

        q = self.policy_net(states).gather(1, actions).squeeze(1)
        with torch.no_grad():
            q_next = self.target_net(next_states).max(1).values
        target = rewards + self.gamma * (1 - done) * q_next
        loss = F.smooth_l1_loss(q, target)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()


env = GridEnv()
agent = Agent(env)
eps = 1.0
returns, losses = [], []

for episode in range(1, 181):
    state, _ = env.reset()
    total, finished = 0.0, False
    while not finished:
        action = agent.act(state, eps)
        next_state, reward, terminated, truncated, _ = env.step(action)
        agent.memory.push(state, action, reward, next_state, terminated)
        loss = agent.learn()
        if loss is not None:
            losses.append(loss)
        state = next_state
        total += reward
        finished = terminated or truncated
    returns.append(total)
    eps = max(0.05, eps * 0.975)
    if episode % 10 == 0:
        agent.update_target()
    if episode % 30 == 0:
        print("episode %d  mean return %.2f  loss %.4f  eps %.2f" % (episode, np.mean(returns[-30:]), np.mean(losses[-200:]), eps))

print("last 20 episodes:", round(float(np.mean(returns[-20:])), 3))
