"""Fine-tune the pre-trained encoder for day-ahead load forecasts.

    python forecast.py [settings.toml]
"""
import pathlib
import sys
import tomllib

import flax
import jax
import jax.numpy as jnp
import numpy as np
import optax

import nets
import series


def make_optimizer(cfg, params):
    def schedule(peak):
        return optax.warmup_cosine_decay_schedule(0.0, peak, cfg["warmup"], cfg["steps"])

    labels = flax.traverse_util.path_aware_map(
        lambda path, _: "encoder" if path[0] == "encoder" else "head", params
    )
    groups = {
        "encoder": optax.adamw(schedule(cfg["lr"] * cfg["encoder_lr_scale"])),
        "head": optax.adamw(schedule(cfg["lr"])),
    }
    return optax.chain(optax.clip_by_global_norm(cfg["clip"]), optax.multi_transform(groups, labels))


def load_encoder(params, path):
    restored = flax.serialization.from_bytes(params["encoder"], pathlib.Path(path).read_bytes())
    return {**params, "encoder": restored}


def main(path="settings.toml"):
    cfg = tomllib.loads(pathlib.Path(path).read_text())
    dcfg, tcfg = cfg["data"], cfg["train"]

    rows = series.read_table(dcfg)
    a, b = series.split_points(len(rows), dcfg)
    scaler = series.fit_scaler(rows[:a])
    parts = {}
    for name, lo, hi in [("train", 0, a), ("valid", a - dcfg["history"], b), ("test", b - dcfg["history"], len(rows))]:
        parts[name] = series.windows(series.transform(scaler, rows[lo:hi]), dcfg["history"], dcfg["horizon"])
        print(f"{name:>5}: {parts[name][0].shape} -> {parts[name][1].shape}")

    net = nets.Forecaster(**cfg["model"], horizon=dcfg["horizon"])
    params = net.init(jax.random.key(tcfg["seed"]), parts["train"][0][:1])["params"]
    params = load_encoder(params, tcfg["weights"])
    tx = make_optimizer(tcfg, params)
    opt_state = tx.init(params)

    def loss_fn(p, x, y):
        return jnp.mean(optax.huber_loss(net.apply({"params": p}, x), y))

    @jax.jit
    def train_step(p, opt_state, x, y):
        loss, grads = jax.value_and_grad(loss_fn)(p, x, y)
        updates, opt_state = tx.update(grads, opt_state, p)
        return optax.apply_updates(p, updates), opt_state, loss

    @jax.jit
    def mae(p, x, y):
        err = jnp.abs(net.apply({"params": p}, x) - y)
        return jnp.mean(err) * scaler["scale"][0]

    stream = series.batches(np.random.default_rng(tcfg["seed"]), *parts["train"], tcfg["batch"])
    for i in range(1, tcfg["steps"] + 1):
        params, opt_state, loss = train_step(params, opt_state, *next(stream))
        if i % 40 == 0:
            print(f"step {i:4d}  huber {float(loss):.4f}  valid MAE {float(mae(params, *parts['valid'])):.1f} MW")
    print(f"test MAE {float(mae(params, *parts['test'])):.1f} MW")


if __name__ == "__main__":
    main(*sys.argv[1:])
