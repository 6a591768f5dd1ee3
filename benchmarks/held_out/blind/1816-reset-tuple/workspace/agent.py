import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical


class RecurrentActorCritic(nn.Module):
    def __init__(self, obs_size, n_actions, hidden):
        super().__init__()
        self.hidden = hidden
        self.encoder = nn.Linear(obs_size, hidden)
        self.core = nn.GRUCell(hidden, hidden)
        self.policy = nn.Linear(hidden, n_actions)
        self.value = nn.Linear(hidden, 1)

    def initial_state(self):
        return torch.zeros(1, self.hidden)

    def forward(self, obs, state):
        state = self.core(torch.tanh(self.encoder(obs)), state)
        return Categorical(logits=self.policy(state)), self.value(state).squeeze(-1), state


class A2C:
    def __init__(self, env, hidden=48, gamma=0.97, lr=2e-3, entropy=0.02, rollout=16):
        self.env = env
        self.net = RecurrentActorCritic(env.obs_size, env.n_actions, hidden)
        self.opt = torch.optim.Adam(self.net.parameters(), lr=lr)
        self.gamma, self.entropy, self.rollout = gamma, entropy, rollout
        self.returns, self._running = [], 0.0
        self.begin_episode()

    def begin_episode(self):
        obs, _ = self.env.reset()
        self.obs = torch.from_numpy(obs).unsqueeze(0)
        self.state = self.net.initial_state()
        self._running = 0.0

    def collect(self):
        logps, values, entropies, rewards, masks = [], [], [], [], []
        for _ in range(self.rollout):
            dist, value, self.state = self.net(self.obs, self.state)
            action = dist.sample()
            obs, reward, terminated, truncated, _ = self.env.step(action.item())
            self._running += reward
            logps.append(dist.log_prob(action))
            values.append(value)
            entropies.append(dist.entropy())
            rewards.append(reward)
            masks.append(0.0 if terminated or truncated else 1.0)
            self.obs = torch.from_numpy(obs).unsqueeze(0)
            if terminated or truncated:
                self.returns.append(self._running)
                self.begin_episode()
        self.state = self.state.detach()
        with torch.no_grad():
            _, bootstrap, _ = self.net(self.obs, self.state)
        return torch.cat(logps), torch.cat(values), torch.cat(entropies), rewards, masks, bootstrap.item()

    def discounted(self, rewards, masks, bootstrap):
        out, running = [], bootstrap
        for r, m in zip(reversed(rewards), reversed(masks)):
            running = r + self.gamma * m * running
            out.append(running)
        return torch.tensor(out[::-1])

    def update(self):
        logps, values, entropies, rewards, masks, bootstrap = self.collect()
        targets = self.discounted(rewards, masks, bootstrap)
        advantage = (targets - values).detach()
        policy_loss = -(logps * advantage).mean()
        value_loss = F.mse_loss(values, targets)
        loss = policy_loss + 0.5 * value_loss - self.entropy * entropies.mean()
        self.opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.net.parameters(), 0.5)
        self.opt.step()
        return loss.item()

    @torch.no_grad()
    def evaluate(self, env, episodes=5):
        scores = []
        for _ in range(episodes):
            obs = env.reset()
            state, score, done = self.net.initial_state(), 0.0, False
            while not done:
                dist, _, state = self.net(torch.from_numpy(obs).unsqueeze(0), state)
                obs, reward, terminated, truncated, _ = env.step(dist.probs.argmax(-1).item())
                score += reward
                done = terminated or truncated
            scores.append(score)
        return sum(scores) / len(scores)
