import numpy as np
import jax, jax.numpy as jnp
from jax import grad, jit, vmap, random

sizes = [8, 16, 3]

def init_layer(m, n, key, scale=1e-1):
    wk, bk = random.split(key)
    return scale * random.normal(wk, (n, m)), scale * random.normal(bk, (n,))

def init_network(sizes, key):
    keys = random.split(key, len(sizes))
    return [init_layer(m, n, k) for m, n, k in zip(sizes[:-1], sizes[1:], keys)]

def predict(params, x):
    # one example
    for w, b in params[:-1]:
        x = jnp.maximum(0, jnp.dot(w, x) + b)
    w, b = params[-1]
    logits = jnp.dot(w, x) + b
    return logits - jax.scipy.special.logsumexp(logits)

batched_predict = vmap(predict, in_axes=0)

def one_hot(y, k):
    return jnp.array(y[:, None] == jnp.arange(k), jnp.float32)

def loss(params, images, targets):
    preds = batched_predict(params, images)
    return -jnp.mean(preds * targets)

@jit
def step(params, x, y):
    grads = grad(loss)(params, x, y)
    return [(w - 0.1 * dw, b - 0.1 * db) for (w, b), (dw, db) in zip(params, grads)]

rng = np.random.default_rng(0)
x = rng.normal(size=(32, 8)).astype(np.float32)
y = one_hot(rng.integers(0, 3, 32), 3)
params = init_network(sizes, random.PRNGKey(1))
for _ in range(5):
    params = step(params, x, y)
    print(loss(params, x, y))
