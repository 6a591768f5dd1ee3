import jax
import jax.numpy as jnp


def init_ema(params):
    return jax.tree.map(jnp.asarray, params)


@jax.jit
def update_ema(ema, params, step, decay=0.995):
    d = jnp.minimum(decay, (1.0 + step) / (10.0 + step))
    return jax.tree.map(lambda e, p: d * e + (1.0 - d) * p, ema, params)
