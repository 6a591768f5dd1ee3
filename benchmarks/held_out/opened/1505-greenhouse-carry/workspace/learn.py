import argparse
import pathlib

import torch

from agent import RecurrentActorCritic, Segment, gae
from climate import Greenhouse


class Runner:
    def __init__(self, env, net, horizon):
        self.env, self.net, self.horizon = env, net, horizon
        self.obs = torch.from_numpy(env.reset())
        self.state = net.initial_state(env.bays)

    def collect(self):
        seg = Segment()
        state = self.state
        for _ in range(self.horizon):
            dist, value, state = self.net(self.obs, state)
            action = dist.sample()
            obs, reward, done = self.env.step(action.numpy())
            alive = 1.0 - torch.from_numpy(done).float()
            seg.add(
                logp=dist.log_prob(action), value=value, entropy=dist.entropy(),
                reward=torch.from_numpy(reward), alive=alive,
            )
            self.obs = torch.from_numpy(obs)
            state = state * alive.unsqueeze(1)
        with torch.no_grad():
            _, last_value, _ = self.net(self.obs, state)
        self.state = state
        return seg, last_value


def update(net, opt, seg, last_value, a):
    value, reward = seg.stacked("value"), seg.stacked("reward")
    adv = gae(reward, value.detach(), seg.stacked("alive"), last_value, a.gamma, a.lam)
    returns = adv + value.detach()
    adv = (adv - adv.mean()) / (adv.std() + 1e-6)
    pg = -(seg.stacked("logp") * adv).mean()
    vf = torch.nn.functional.smooth_l1_loss(value, returns)
    ent = seg.stacked("entropy").mean()
    loss = pg + 0.5 * vf - a.ent_coef * ent
    opt.zero_grad()
    loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(net.parameters(), 0.5)
    opt.step()
    return {"pg": pg.item(), "vf": vf.item(), "ent": ent.item(), "norm": norm.item(), "rew": reward.mean().item()}


def main():
    p = argparse.ArgumentParser(description="recurrent A2C for the greenhouse")
    p.add_argument("--bays", type=int, default=24)
    p.add_argument("--horizon", type=int, default=24)
    p.add_argument("--updates", type=int, default=120)
    p.add_argument("--gamma", type=float, default=0.9)
    p.add_argument("--lam", type=float, default=0.92)
    p.add_argument("--ent-coef", type=float, default=0.01)
    p.add_argument("--lr", type=float, default=4e-3)
    p.add_argument("--out", type=pathlib.Path, default=pathlib.Path("out"))
    a = p.parse_args()

    torch.manual_seed(7)
    env = Greenhouse(a.bays, seed=7)
    net = RecurrentActorCritic(env.obs_size, env.n_actions)
    opt = torch.optim.RMSprop(net.parameters(), lr=a.lr, alpha=0.99, eps=1e-5)
    runner = Runner(env, net, a.horizon)
    best = float("-inf")
    a.out.mkdir(exist_ok=True)
    for u in range(1, a.updates + 1):
        seg, last_value = runner.collect()
        m = update(net, opt, seg, last_value, a)
        if u % 20 == 0:
            print(f"update {u:3d} | " + " ".join(f"{k} {v:+.3f}" for k, v in m.items()))
            if m["rew"] > best:
                best = m["rew"]
                ckpt = {"actor_critic": net.state_dict(), "hidden": net.hidden, "update": u, "reward": best}
                torch.save(ckpt, a.out / "best.pt")
    print(f"best mean reward {best:.3f}")


if __name__ == "__main__":
    main()
