import jax
import jax.numpy as jnp
import optax
from jax import random

key = random.PRNGKey(0)
sizes = [3, 32, 32, 1]


def init_layer(n_in, n_out, key):
    w_key, b_key = random.split(key)
    return {"w": random.normal(w_key, (n_in, n_out)) * jnp.sqrt(2.0 / n_in), "b": jnp.zeros(n_out)}


def init_mlp(sizes, key):
    keys = random.split(key, len(sizes) - 1)
    return [init_layer(i, o, k) for i, o, k in zip(sizes[:-1], sizes[1:], keys)]


def predict(params, x):
    for layer in params[:-1]:
        x = jax.nn.relu(x @ layer["w"] + layer["b"])
    return x @ params[-1]["w"] + params[-1]["b"]


def loss_fn(params, x, y):
    pred = predict(params, x)[:, 0]
    return jnp.mean((pred - y) ** 2)


# projectile distance from speed, angle, drag
key, k1, k2 = random.split(key, 3)
x = random.uniform(k1, (1024, 3), minval=0.1, maxval=1.0)
y = x[:, 0] ** 2 * jnp.sin(2 * x[:, 1]) * jnp.exp(-x[:, 2])
y = y + 0.01 * random.normal(k2, y.shape)

params = init_mlp(sizes, key)
optimizer = optax.adam(1e-3)
opt_state = optimizer.init(params)


@jax.jit
def step(params, opt_state, xb, yb):
    loss, grads = jax.value_and_grad(loss_fn)(params, xb, yb)
    opt_state, updates = optimizer.update(grads, opt_state)
    params = optax.apply_updates(params, updates)
    return params, opt_state, loss


batch_size = 128
for epoch in range(20):
    key, sub = random.split(key)
    perm = random.permutation(sub, len(x))
    for i in range(0, len(x), batch_size):
        idx = perm[i:i + batch_size]
        params, opt_state, loss = step(params, opt_state, x[idx], y[idx])
    if epoch % 4 == 0:
        print("epoch", epoch, "loss", float(loss))

print("speed 0.8 angle 0.7 drag 0.2 ->", predict(params, jnp.array([[0.8, 0.7, 0.2]]))[0, 0])
