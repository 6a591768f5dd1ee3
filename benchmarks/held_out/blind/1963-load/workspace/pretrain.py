import pathlib
import tomllib

import flax
import jax
import jax.numpy as jnp
import numpy as np
import optax

import nets
import series

cfg = tomllib.loads(pathlib.Path("settings.toml").read_text())
rows = series.read_table(cfg["data"])
a, _ = series.split_points(len(rows), cfg["data"])
scaler = series.fit_scaler(rows[:a])
x, y = series.windows(series.transform(scaler, rows[:a]), cfg["data"]["history"], cfg["data"]["horizon"])

net = nets.Reconstructor(**cfg["model"], features=x.shape[-1])
params = net.init(jax.random.key(1), x[:1])["params"]
tx = optax.adam(cfg["pretrain"]["lr"])
opt = tx.init(params)


@jax.jit
def step(params, opt, key, xb):
    mask = jax.random.bernoulli(key, cfg["pretrain"]["mask_rate"], xb.shape[:2])[..., None]

    def loss_fn(p):
        out = net.apply({"params": p}, jnp.where(mask, 0.0, xb))
        return jnp.sum(mask * (out - xb) ** 2) / (mask.sum() * xb.shape[-1])

    loss, grads = jax.value_and_grad(loss_fn)(params)
    updates, opt = tx.update(grads, opt)
    return optax.apply_updates(params, updates), opt, loss


it = series.batches(np.random.default_rng(0), x, y, 32)
key = jax.random.key(2)
for i in range(cfg["pretrain"]["steps"]):
    key, sub = jax.random.split(key)
    params, opt, loss = step(params, opt, sub, next(it)[0])
    if i % 50 == 0:
        print("pretrain", i, float(loss))

pathlib.Path(cfg["train"]["weights"]).write_bytes(flax.serialization.to_bytes(params["encoder"]))
print("wrote", cfg["train"]["weights"])
