"""Double DQN with prioritized-ish replay and n-step returns in a small windy grid world."""
import collections
import random
from typing import NamedTuple

import torch
import torch.nn as nn
import torch.nn.functional as F

SEED = 21
GAMMA = 0.97
N_STEP = 3
BATCH = 32
WARMUP = 200
TOTAL_STEPS = 2500
TARGET_EVERY = 100
EPS_START, EPS_END, EPS_DECAY = 1.0, 0.05, 1500


class WindyGrid:
    """6x6 grid, goal in a corner, wind pushes up in two columns. Observation: two one-hot vectors."""

    size = 6
    moves = [(-1, 0), (0, 1), (1, 0), (0, -1)]
    wind = {2: 1, 3: 1}

    def __init__(self, seed):
        self.rng = random.Random(seed)

    def reset(self):
        self.pos = (self.rng.randrange(2, self.size), 0)
        self.t = 0
        return self._obs()

    def _obs(self):
        obs = [0.0] * (2 * self.size)
        obs[self.pos[0]] = 1.0
        obs[self.size + self.pos[1]] = 1.0
        return obs

    def step(self, action):
        dr, dc = self.moves[action]
        r, c = self.pos
        if self.rng.random() < 0.5:
            dr -= self.wind.get(c, 0)
        clip = lambda v: min(max(v, 0), self.size - 1)
        self.pos = (clip(r + dr), clip(c + dc))
        self.t += 1
        done = self.pos == (self.size - 1, self.size - 1)
        truncated = self.t >= 40
        return self._obs(), (1.0 if done else -0.02), done, truncated


class Batch(NamedTuple):
    obs: torch.Tensor
    actions: torch.Tensor
    returns: torch.Tensor
    next_obs: torch.Tensor
    not_done: torch.Tensor
    index: torch.Tensor


class ReplayBuffer:
    def __init__(self, capacity, obs_dim):
        self.capacity = capacity
        self.obs = torch.zeros(capacity, obs_dim)
        self.next_obs = torch.zeros(capacity, obs_dim)
        self.actions = torch.zeros(capacity)
        self.returns = torch.zeros(capacity)
        self.not_done = torch.zeros(capacity)
        self.priority = torch.zeros(capacity)
        self.ptr = self.size = 0

    def push(self, obs, action, ret, next_obs, done):
        i = self.ptr
        self.obs[i] = torch.as_tensor(obs)
        self.next_obs[i] = torch.as_tensor(next_obs)
        self.actions[i] = action
        self.returns[i] = ret
        self.not_done[i] = 0.0 if done else 1.0
        self.priority[i] = self.priority[:max(self.size, 1)].max().clamp(min=1.0)
        self.ptr = (self.ptr + 1) % self.capacity
        self.size = min(self.size + 1, self.capacity)

    def sample(self, n):
        index = torch.multinomial(self.priority[:self.size], n, replacement=True)
        return Batch(self.obs[index], self.actions[index], self.returns[index],
                     self.next_obs[index], self.not_done[index], index)

    def update_priority(self, index, td):
        self.priority[index] = td.abs().pow(0.6) + 1e-3


class DuelingQ(nn.Module):
    def __init__(self, obs_dim, n_actions, hidden=48):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(obs_dim, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.value = nn.Linear(hidden, 1)
        self.advantage = nn.Linear(hidden, n_actions)

    def forward(self, obs):
        h = self.trunk(obs)
        adv = self.advantage(h)
        return self.value(h) + adv - adv.mean(dim=-1, keepdim=True)


class Agent:
    def __init__(self, obs_dim, n_actions):
        self.n_actions = n_actions
        self.online = DuelingQ(obs_dim, n_actions)
        self.target = DuelingQ(obs_dim, n_actions).requires_grad_(False)
        self.sync()
        self.optimizer = torch.optim.Adam(self.online.parameters(), lr=1e-3)

    def sync(self):
        self.target.load_state_dict(self.online.state_dict())

    @torch.no_grad()
    def act(self, obs, eps):
        if random.random() < eps:
            return random.randrange(self.n_actions)
        return self.online(torch.tensor(obs)).argmax().item()

    def learn(self, batch):
        q = self.online(batch.obs).gather(1, batch.actions.unsqueeze(1)).squeeze(1)
        with torch.no_grad():
            best = self.online(batch.next_obs).argmax(1, keepdim=True)
            boot = self.target(batch.next_obs).gather(1, best).squeeze(1)
            goal = batch.returns + GAMMA ** N_STEP * batch.not_done * boot
        loss = F.huber_loss(q, goal)
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.online.parameters(), 10.0)
        self.optimizer.step()
        return loss.item(), (goal - q).detach()


def flush(window, replay, next_obs, done):
    ret = sum(GAMMA ** k * r for k, (_, _, r) in enumerate(window))
    obs, action, _ = window[0]
    replay.push(obs, action, ret, next_obs, done)


def main():
    random.seed(SEED)
    torch.manual_seed(SEED)
    env = WindyGrid(SEED)
    replay = ReplayBuffer(2000, 2 * env.size)
    agent = Agent(2 * env.size, len(env.moves))
    scores, losses = collections.deque(maxlen=20), collections.deque(maxlen=100)
    obs, window, total = env.reset(), collections.deque(maxlen=N_STEP), 0.0
    for step in range(1, TOTAL_STEPS + 1):
        eps = max(EPS_END, EPS_START - step / EPS_DECAY * (EPS_START - EPS_END))
        action = agent.act(obs, eps)
        next_obs, reward, done, truncated = env.step(action)
        total += reward
        window.append((obs, action, reward))
        if len(window) == N_STEP:
            flush(window, replay, next_obs, done)
        obs = next_obs
        if done or truncated:
            while len(window) > 1:
                window.popleft()
                flush(window, replay, next_obs, done)
            scores.append(total)
            obs, total = env.reset(), 0.0
            window.clear()
        if step >= WARMUP and step % 2 == 0:
            batch = replay.sample(BATCH)
            loss, td = agent.learn(batch)
            replay.update_priority(batch.index, td)
            losses.append(loss)
        if step % TARGET_EVERY == 0:
            agent.sync()
        if step % 500 == 0:
            print(f"step {step} eps {eps:.2f} return {sum(scores) / len(scores):.2f} loss {sum(losses) / len(losses):.4f}")


if __name__ == "__main__":
    main()
