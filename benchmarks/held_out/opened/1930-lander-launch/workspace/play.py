import argparse
import torch
from lander import Lander
from policy import Policy

ap = argparse.ArgumentParser()
ap.add_argument("--run", required=True)
ap.add_argument("--history", type=int, default=4)
ap.add_argument("--wind", type=float, default=0.0)
ap.add_argument("--steps", type=int, default=300)
a = ap.parse_args()

env = Lander(100, a.history, wind=a.wind, seed=77)
net = Policy(a.history)
net.load_state_dict(torch.load(a.run + "/policy.pt"))
obs, ended, soft = env.observe(), 0, 0
for _ in range(a.steps):
    with torch.no_grad():
        act = net(torch.from_numpy(obs))[0].probs.argmax(-1)
    obs, _, d, s = env.step(act.numpy())
    ended += d.sum()
    soft += s.sum()
print(f"wind {a.wind}: {ended} episodes, {soft / max(ended, 1):.2f} soft")
