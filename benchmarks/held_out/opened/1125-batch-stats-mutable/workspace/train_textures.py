"""Texture classification with a small ResNet in flax.linen: batch norm, EMA weights, optax schedule.

    python train_textures.py --steps 45 --width 8
"""
import argparse
import functools
import time
from typing import Any

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import struct
from flax.training import train_state

CLASSES = ("stripes", "checker", "blobs", "noise")


def synthesize(rng: np.random.Generator, n: int, size: int = 20):
    labels = rng.integers(0, len(CLASSES), n)
    grid = np.stack(np.meshgrid(np.arange(size), np.arange(size), indexing="ij"), -1).astype(np.float32)
    images = np.empty((n, size, size, 1), np.float32)
    for i, lab in enumerate(labels):
        freq, phase = rng.uniform(0.6, 1.4), rng.uniform(0, 6.28)
        angle = rng.uniform(0, np.pi)
        u = grid @ np.array([np.cos(angle), np.sin(angle)], np.float32)
        if lab == 0:
            img = np.sin(freq * u + phase)
        elif lab == 1:
            img = np.sign(np.sin(freq * grid[..., 0] + phase) * np.sin(freq * grid[..., 1]))
        elif lab == 2:
            centers = rng.uniform(0, size, (4, 2))
            d2 = ((grid[:, :, None] - centers) ** 2).sum(-1)
            img = 2 * np.exp(-d2 / 8).max(-1) - 1
        else:
            img = rng.normal(0, 1, (size, size))
        images[i, ..., 0] = img + rng.normal(0, 0.3, (size, size))
    return images, labels.astype(np.int32)


class ResidualBlock(nn.Module):
    filters: int
    stride: int = 1
    norm: Any = nn.BatchNorm

    @nn.compact
    def __call__(self, x):
        y = nn.Conv(self.filters, (3, 3), (self.stride, self.stride), use_bias=False)(x)
        y = self.norm()(y)
        y = nn.relu(y)
        y = nn.Conv(self.filters, (3, 3), use_bias=False)(y)
        y = self.norm(scale_init=nn.initializers.zeros)(y)
        if x.shape != y.shape:
            x = nn.Conv(self.filters, (1, 1), (self.stride, self.stride), name="proj")(x)
        return nn.relu(x + y)


class TextureNet(nn.Module):
    n_classes: int
    width: int = 16

    @nn.compact
    def __call__(self, x, train: bool):
        norm = functools.partial(nn.BatchNorm, use_running_average=not train, momentum=0.9)
        x = nn.Conv(self.width, (3, 3), name="stem")(x)
        for i, mult in enumerate((1, 2, 4)):
            x = ResidualBlock(self.width * mult, stride=1 if i == 0 else 2, norm=norm)(x)
        x = x.mean(axis=(1, 2))
        return nn.Dense(self.n_classes, name="head")(x)


class State(train_state.TrainState):
    batch_stats: Any
    ema: Any
    decay: float = struct.field(pytree_node=False, default=0.95)

    def apply_gradients(self, *, grads, **kw):
        new = super().apply_gradients(grads=grads, **kw)
        ema = optax.incremental_update(new.params, self.ema, 1.0 - self.decay)
        return new.replace(ema=ema)


def smooth_ce(logits, labels, eps=0.05):
    target = optax.smooth_labels(jax.nn.one_hot(labels, logits.shape[-1]), eps)
    return optax.softmax_cross_entropy(logits, target).mean()


@jax.jit
def train_step(state: State, images, labels):
    def loss_fn(params):
        logits, updates = state.apply_fn(
            {"params": params, "batch_stats": state.batch_stats},
            images,
            train=True,
        )
        return smooth_ce(logits, labels), (logits, updates)

    (loss, (logits, updates)), grads = jax.value_and_grad(loss_fn, has_aux=True)(state.params)
    state = state.apply_gradients(grads=grads, batch_stats=updates["batch_stats"])
    acc = (logits.argmax(-1) == labels).mean()
    return state, {"loss": loss, "acc": acc, "gnorm": optax.global_norm(grads)}


@functools.partial(jax.jit, static_argnames="use_ema")
def eval_step(state: State, images, labels, use_ema=True):
    params = state.ema if use_ema else state.params
    logits = state.apply_fn({"params": params, "batch_stats": state.batch_stats}, images, train=False)
    return jnp.zeros((len(CLASSES), len(CLASSES)), int).at[labels, logits.argmax(-1)].add(1)


def create_state(key, args):
    net = TextureNet(len(CLASSES), args.width)
    variables = net.init(key, jnp.zeros((1, 20, 20, 1)), train=False)
    schedule = optax.warmup_cosine_decay_schedule(0.0, args.lr, 10, args.steps, args.lr / 50)
    mask = lambda tree: jax.tree.map(lambda p: p.ndim > 1, tree)
    tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(schedule, weight_decay=1e-3, mask=mask))
    n = sum(p.size for p in jax.tree.leaves(variables["params"]))
    print(f"{n:,} parameters on {jax.devices()[0].platform}")
    return State.create(
        apply_fn=net.apply,
        params=variables["params"],
        batch_stats=variables["batch_stats"],
        ema=variables["params"],
        tx=tx,
    )


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--steps", type=int, default=45)
    ap.add_argument("--batch", type=int, default=48)
    ap.add_argument("--width", type=int, default=8)
    ap.add_argument("--lr", type=float, default=8e-3)
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()

    rng = np.random.default_rng(args.seed)
    x, y = synthesize(rng, 1200)
    x_test, y_test = synthesize(rng, 256)
    state = create_state(jax.random.key(args.seed), args)

    t0 = time.perf_counter()
    for step in range(1, args.steps + 1):
        take = rng.integers(0, len(x), args.batch)
        state, metrics = train_step(state, x[take], y[take])
        if step % 15 == 0:
            m = jax.device_get(metrics)
            print(f"step {step:3d}  loss {m['loss']:.3f}  acc {m['acc']:.2f}  |g| {m['gnorm']:.2f}  "
                  f"{time.perf_counter() - t0:.1f}s")

    for use_ema in (False, True):
        conf = np.asarray(eval_step(state, x_test, y_test, use_ema=use_ema))
        recall = conf.diagonal() / conf.sum(1)
        print("ema " if use_ema else "last", f"accuracy {conf.trace() / conf.sum():.3f}",
              {c: round(float(r), 2) for c, r in zip(CLASSES, recall)})


if __name__ == "__main__":
    main()
