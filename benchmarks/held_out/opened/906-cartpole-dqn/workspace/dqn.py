import random

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from replay import ReplayBuffer

SEED = 3
EPISODES = 10
BATCH_SIZE = 32
GAMMA = 0.99
EPS_START, EPS_END, EPS_DECAY = 1.0, 0.05, 400
LEARN_START = 100
TARGET_SYNC = 200

random.seed(SEED)
np.random.seed(SEED)
torch.manual_seed(SEED)


class QNet(nn.Module):
    def __init__(self, n_obs, n_act, hidden=64):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(n_obs, hidden), nn.ReLU(),
            nn.Linear(hidden, hidden), nn.ReLU(),
            nn.Linear(hidden, n_act),
        )

    def forward(self, x):
        return self.net(x)


class Agent:
    def __init__(self, n_obs, n_act):
        self.n_act = n_act
        self.q = QNet(n_obs, n_act)
        self.target = QNet(n_obs, n_act)
        self.target.load_state_dict(self.q.state_dict())
        self.optim = torch.optim.Adam(self.q.parameters(), lr=1e-3)
        self.steps = 0

    def epsilon(self):
        return EPS_END + (EPS_START - EPS_END) * np.exp(-self.steps / EPS_DECAY)

    def act(self, obs):
        self.steps += 1
        if random.random() < self.epsilon():
            return random.randrange(self.n_act)
        with torch.no_grad():
            state = torch.as_tensor(obs, dtype=torch.float32).unsqueeze(0)
            return int(self.q(state).argmax(dim=1).item())

    def learn(self, buffer):
        obs, action, reward, next_obs, done = buffer.sample(BATCH_SIZE)
        q_sa = self.q(obs).gather(1, action)
        with torch.no_grad():
            q_next = self.target(next_obs).max(dim=1, keepdim=True).values
            target = reward + GAMMA * (1 - done) * q_next
        loss = F.smooth_l1_loss(q_sa, target)
        self.optim.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.q.parameters(), 10.0)
        self.optim.step()
        return loss.item()

    def sync(self):
        self.target.load_state_dict(self.q.state_dict())


def play_episode(env, agent, buffer):
    obs, _ = env.reset()
    total, done = 0.0, False
    while not done:
        action = agent.act(obs)
        next_obs, reward, terminated, truncated, _ = env.step(action)
        done = terminated or truncated
        buffer.push(obs, action, reward, next_obs, float(terminated))
        obs = next_obs
        total += reward
        if len(buffer) >= LEARN_START:
            agent.learn(buffer)
        if agent.steps % TARGET_SYNC == 0:
            agent.sync()
    return total


def greedy_score(agent, n=3):
    env = gym.make("CartPole-v1")
    scores = []
    for i in range(n):
        obs, _ = env.reset(seed=100 + i)
        done, total = False, 0.0
        while not done:
            with torch.no_grad():
                a = int(agent.q(torch.as_tensor(obs, dtype=torch.float32)).argmax())
            obs, r, done, _ = env.step(a)
            total += r
        scores.append(total)
    return float(np.mean(scores))


def main():
    env = gym.make("CartPole-v1")
    env.reset(seed=SEED)
    agent = Agent(env.observation_space.shape[0], env.action_space.n)
    buffer = ReplayBuffer(5000)
    history = []
    for ep in range(EPISODES):
        history.append(play_episode(env, agent, buffer))
        if (ep + 1) % 10 == 0:
            print(f"episode {ep + 1:3d}  mean return {np.mean(history[-10:]):6.1f}  eps {agent.epsilon():.2f}")
    print("greedy:", greedy_score(agent))


if __name__ == "__main__":
    main()
