import sys
import tomllib

import jax
import jax.numpy as jnp
import optax

import optimizer
from net import SpectraNet
from spectra import TARGETS, batches, simulate


def main(path="experiment.toml"):
    with open(path, "rb") as f:
        cfg = tomllib.load(f)

    x, y = simulate(**cfg["data"])
    cut = int(0.8 * len(x))
    model = SpectraNet(**cfg["model"])
    params = model.init(jax.random.PRNGKey(0), jnp.zeros((1, x.shape[1])))["params"]
    n = sum(p.size for p in jax.tree_util.tree_leaves(params))
    print(f"SpectraNet: {n} parameters in {sorted(params)}")

    tx, groups = optimizer.build(params, cfg["optim"])
    state = tx.init(params)
    print("learning rate groups:", ", ".join(groups))

    @jax.jit
    def step(params, state, xb, yb):
        def loss_fn(p):
            return jnp.mean((model.apply({"params": p}, xb) - yb) ** 2)

        loss, g = jax.value_and_grad(loss_fn)(params)
        upd, state = tx.update(g, state, params)
        return optax.apply_updates(params, upd), state, loss

    opt_cfg = cfg["optim"]
    for i, (xb, yb) in enumerate(batches(x[:cut], y[:cut], opt_cfg["batch"], opt_cfg["steps"])):
        params, state, loss = step(params, state, xb, yb)
        if (i + 1) % 20 == 0:
            pred = model.apply({"params": params}, x[cut:])
            rmse = jnp.sqrt(jnp.mean((pred - y[cut:]) ** 2, axis=0))
            print(f"step {i + 1}: loss {loss:.4f}", *(f"{t}={r:.3f}" for t, r in zip(TARGETS, rmse)))


if __name__ == "__main__":
    main(*sys.argv[1:])
