import jax
import jax.numpy as jnp
import optax


def init(key, sizes):
    params = []
    for k, a, b in zip(jax.random.split(key, len(sizes) - 1), sizes[:-1], sizes[1:]):
        params.append({"w": jax.random.normal(k, (a, b)) * jnp.sqrt(2 / a), "b": jnp.zeros(b)})
    return params


def apply(params, x):
    for layer in params[:-1]:
        x = jax.nn.relu(x @ layer["w"] + layer["b"])
    return (x @ params[-1]["w"] + params[-1]["b"])[:, 0]


def train(params, x, y, steps, lr=3e-3, decay=1e-2):
    tx = optax.adamw(optax.cosine_decay_schedule(lr, steps), weight_decay=decay)
    state = tx.init(params)

    @jax.jit
    def step(params, state):
        loss, g = jax.value_and_grad(lambda p: jnp.mean((apply(p, x) - y) ** 2))(params)
        up, state = tx.update(g, state, params)
        return optax.apply_updates(params, up), state, loss

    for _ in range(steps):
        params, state, loss = step(params, state)
    return params, float(loss)
