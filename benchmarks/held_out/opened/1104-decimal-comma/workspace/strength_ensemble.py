"""Deep ensemble for concrete strength, all members trained at once with torch.func.vmap.

    python strength_ensemble.py data/mixes.csv --members 8
"""
import argparse
import copy

import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.func import functional_call, grad, stack_module_state, vmap

NUMERIC = ["cement", "slag", "water", "superplasticizer", "aggregate", "age_days"]
TARGET = "strength_mpa"


def load_table(path):
    df = pd.read_csv(path)
    df = df.dropna(subset=[TARGET])
    df = df[df["age_days"] >= 3].reset_index(drop=True)
    plants = pd.get_dummies(df["plant"], prefix="plant", dtype=np.float32)
    features = pd.concat([df[NUMERIC], plants], axis=1)
    X = features.to_numpy(dtype=np.float32)
    y = df[TARGET].to_numpy(dtype=np.float32)
    return X, y, list(features.columns)


def split_indices(n, seed, fractions=(0.7, 0.15)):
    order = np.random.default_rng(seed).permutation(n)
    a, b = int(fractions[0] * n), int(sum(fractions) * n)
    return order[:a], order[a:b], order[b:]


class HeteroscedasticMLP(nn.Module):
    def __init__(self, n_in, width=24):
        super().__init__()
        self.l1 = nn.Linear(n_in, width)
        self.l2 = nn.Linear(width, width)
        self.mean = nn.Linear(width, 1)
        self.logvar = nn.Linear(width, 1)

    def forward(self, x):
        h = nn.functional.silu(self.l1(x))
        h = h + nn.functional.silu(self.l2(h))
        return self.mean(h).squeeze(-1), self.logvar(h).squeeze(-1).clamp(-6, 4)


class VmapEnsemble:
    def __init__(self, n_in, members, lr):
        models = [HeteroscedasticMLP(n_in) for _ in range(members)]
        self.params, self.buffers = stack_module_state(models)
        self.members = members
        self.skeleton = copy.deepcopy(models[0]).to("meta")
        self.optimizer = torch.optim.Adam(self.params.values(), lr=lr)

    def call_one(self, params, buffers, x):
        return functional_call(self.skeleton, (params, buffers), (x,))

    def predict_all(self, x):
        return vmap(self.call_one, in_dims=(0, 0, None))(self.params, self.buffers, x)

    def train_step(self, x, y, generator):
        # every member sees its own bootstrap of the batch
        idx = torch.randint(len(y), (self.members, len(y)), generator=generator)
        mean, logvar = vmap(self.call_one)(self.params, self.buffers, x[idx])
        nll = 0.5 * (logvar + (y[idx] - mean) ** 2 / logvar.exp())
        loss = nll.mean(dim=1).sum()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item() / self.members

    @torch.no_grad()
    def predict(self, x):
        mean, logvar = self.predict_all(x)
        mu = mean.mean(0)
        var = (logvar.exp() + mean ** 2).mean(0) - mu ** 2
        return mu, var.sqrt()

    def sensitivities(self, x):
        """Mean |d prediction / d feature| by per-sample gradients of the first member."""
        p0 = {k: v[0].detach() for k, v in self.params.items()}

        def f(row):
            return self.call_one(p0, {}, row)[0]

        return vmap(grad(f))(x).abs().mean(0)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("csv")
    ap.add_argument("--members", type=int, default=6)
    ap.add_argument("--steps", type=int, default=240)
    ap.add_argument("--batch", type=int, default=64)
    ap.add_argument("--lr", type=float, default=8e-3)
    a = ap.parse_args()

    torch.manual_seed(0)
    X, y, names = load_table(a.csv)
    tr, va, te = split_indices(len(y), seed=0)
    mu, sd = X[tr].mean(0), X[tr].std(0) + 1e-6
    ymu, ysd = y[tr].mean(), y[tr].std()
    X = torch.from_numpy((X - mu) / sd)
    y_std = torch.from_numpy((y - ymu) / ysd)
    print(f"{len(y)} mixes, {X.shape[1]} features")

    ens = VmapEnsemble(X.shape[1], a.members, a.lr)
    gen = torch.Generator().manual_seed(1)
    for step in range(1, a.steps + 1):
        pick = torch.from_numpy(tr)[torch.randperm(len(tr), generator=gen)[: a.batch]]
        loss = ens.train_step(X[pick], y_std[pick], gen)
        if step % 80 == 0:
            m, _ = ens.predict(X[va])
            rmse = ((m - y_std[va]).pow(2).mean().sqrt() * ysd).item()
            print(f"step {step}: nll {loss:.3f}  valid RMSE {rmse:.2f} MPa")
    m, s = ens.predict(X[te])
    inside = ((m - y_std[te]).abs() < 1.96 * s).float().mean()
    print(f"test: 95% interval coverage {inside:.2f}")
    for name, v in sorted(zip(names, ens.sensitivities(X[te]).tolist()), key=lambda kv: -kv[1])[:4]:
        print(f"  {name:18s} {v:.3f}")


if __name__ == "__main__":
    main()
