from functools import partial

import jax
import jax.numpy as jnp
import optax

from .ema import init_ema, update_ema
from .model import Siren


def picture(n):
    t = jnp.linspace(-1, 1, n)
    x, y = jnp.meshgrid(t, t)
    img = jnp.sin(8 * x) * jnp.cos(6 * y) + (x**2 + y**2 < 0.3)
    return jnp.stack([x, y], -1).reshape(-1, 2), img.reshape(-1, 1).astype(jnp.float32)


def make_step(model, tx):
    @partial(jax.jit, donate_argnums=(0, 1))
    def step(params, opt_state, xy, rgb):
        def loss_fn(p):
            return jnp.mean((model.apply(p, xy) - rgb) ** 2)

        loss, grads = jax.value_and_grad(loss_fn)(params)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    return step


def main(steps=300, batch=1024):
    key = jax.random.key(0)
    xy, rgb = picture(64)
    model = Siren()
    params = model.init(key, xy[:1])
    schedule = optax.warmup_cosine_decay_schedule(0.0, 2e-3, 30, steps)
    tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(schedule))
    opt_state = tx.init(params)
    ema = init_ema(params)
    step = make_step(model, tx)
    for i in range(steps):
        key, sub = jax.random.split(key)
        idx = jax.random.randint(sub, (batch,), 0, len(xy))
        params, opt_state, loss = step(params, opt_state, xy[idx], rgb[idx])
        ema = update_ema(ema, params, i)
        if i % 100 == 0:
            print(f"step {i} loss {float(loss):.5f}")
    final = jnp.mean((model.apply(ema, xy) - rgb) ** 2)
    print(f"EMA error on the full image {float(final):.5f}")


if __name__ == "__main__":
    main()
