import argparse, json, os
import numpy as np
import torch

from lander import Lander
from policy import Policy

ap = argparse.ArgumentParser()
ap.add_argument("--history", type=int, default=4)
ap.add_argument("--updates", type=int, default=60)
ap.add_argument("--envs", type=int, default=64)
ap.add_argument("--horizon", type=int, default=32)
ap.add_argument("--gamma", type=float, default=0.98)
ap.add_argument("--lam", type=float, default=0.95)
ap.add_argument("--lr", type=float, default=3e-3)
ap.add_argument("--ent", type=float, default=0.01)
ap.add_argument("--out", required=True)
a = ap.parse_args()

torch.manual_seed(0)
torch.set_num_threads(1)
env = Lander(a.envs, a.history, seed=1)
net = Policy(a.history)
opt = torch.optim.Adam(net.parameters(), lr=a.lr)
obs = torch.from_numpy(env.observe())
softs = []

for up in range(1, a.updates + 1):
    O, A, R, D, V = [], [], [], [], []
    ended = soft_n = 0
    for _ in range(a.horizon):
        with torch.no_grad():
            dist, v = net(obs)
            act = dist.sample()
        nxt, r, done, soft = env.step(act.numpy())
        O.append(obs); A.append(act); V.append(v)
        R.append(torch.from_numpy(r)); D.append(torch.from_numpy(done).float())
        ended += done.sum(); soft_n += soft.sum()
        obs = torch.from_numpy(nxt)
    with torch.no_grad():
        last = net(obs)[1]
    adv, gae = [], torch.zeros(a.envs)
    for t in reversed(range(a.horizon)):
        nv = last if t == a.horizon - 1 else V[t + 1]
        delta = R[t] + a.gamma * nv * (1 - D[t]) - V[t]
        gae = delta + a.gamma * a.lam * (1 - D[t]) * gae
        adv.insert(0, gae)
    O, A, V, adv = torch.cat(O), torch.cat(A), torch.cat(V), torch.cat(adv)
    ret = adv + V
    adv = (adv - adv.mean()) / (adv.std() + 1e-6)
    old = net(O)[0].log_prob(A).detach()
    for _ in range(4):
        dist, v = net(O)
        ratio = (dist.log_prob(A) - old).exp()
        pg = -torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean()
        loss = pg + 0.5 * (v - ret).pow(2).mean() - a.ent * dist.entropy().mean()
        opt.zero_grad(); loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 0.5)
        opt.step()
    softs.append(soft_n / max(1, ended))
    if up % 20 == 0:
        print(f"update {up:3d} loss {loss.item():.3f} soft landings {np.mean(softs[-20:]):.2f}")

os.makedirs(a.out, exist_ok=True)
torch.save(net.state_dict(), os.path.join(a.out, "policy.pt"))
json.dump({"history": a.history, "soft": float(np.mean(softs[-10:]))}, open(os.path.join(a.out, "result.json"), "w"))
