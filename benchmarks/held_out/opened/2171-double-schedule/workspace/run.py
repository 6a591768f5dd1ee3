import argparse
import sys

import torch
from sklearn.datasets import make_moons

from diffusion import EpsNet, Schedule
from ema import EMA

parser = argparse.ArgumentParser(description="diffusion on 2-d point clouds")
parser.add_argument("--steps", type=int, default=600)
parser.add_argument("--T", type=int, default=60, help="number of noise levels")
parser.add_argument("--batch", type=int, default=256)
parser.add_argument("--lr", type=float, default=2e-3)
parser.add_argument("--n-samples", type=int, default=500)
args = parser.parse_args()
print(" ".join(sys.argv))
torch.manual_seed(0)

pts, _ = make_moons(4000, noise=0.04, random_state=0)
data = torch.tensor(pts, dtype=torch.float32)
data = (data - data.mean(0)) / data.std(0)

sched = Schedule(args.T)
net = EpsNet()
ema = EMA(net)
opt = torch.optim.Adam(net.parameters(), args.lr)

avg = None
for step in range(args.steps):
    x0 = data[torch.randint(len(data), (args.batch,))]
    t = torch.randint(0, sched.T, (args.batch,))
    noise = torch.randn_like(x0)
    pred = net(sched.q_sample(x0, t, noise), t)
    loss = (pred - noise).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    ema.update(net)
    avg = loss.item() if avg is None else 0.98 * avg + 0.02 * loss.item()
    if step % 100 == 99:
        print(f"step {step + 1} loss {avg:.4f}")

x = sched.sample(ema.net, args.n_samples, 2)
d = torch.cdist(x, data).min(1).values
print(f"samples: mean {x.mean(0).tolist()} median distance to the data {d.median():.4f}")
torch.save({"net": ema.net.state_dict(), "T": args.T}, "ddpm.pt")
