import jax
import jax.numpy as jnp
import numpy as np
from jax import grad, jit, random
from sklearn.datasets import make_moons

X, y = make_moons(n_samples=300, noise=0.1, random_state=0)
X = jnp.array(X)
y = jnp.array(y)


def init_params(key, sizes):
    params = []
    for n_in, n_out in zip(sizes[:-1], sizes[1:]):
        key, sub = random.split(key)
        W = random.normal(sub, (n_in, n_out)) * jnp.sqrt(2.0 / n_in)
        b = jnp.zeros(n_out)
        params.append((W, b))
    return params


def forward(params, x):
    for W, b in params[:-1]:
        x = jnp.tanh(x @ W + b)
    W, b = params[-1]
    return (x @ W + b)[:, 0]


def loss_fn(params, x, y):
    logits = forward(params, x)
    return jnp.maximum(logits, 0) - logits * y + jnp.log1p(jnp.exp(-jnp.abs(logits)))


@jit
def update(params, x, y, lr):
    grads = grad(loss_fn)(params, x, y)
    return [(W - lr * dW, b - lr * db) for (W, b), (dW, db) in zip(params, grads)]


params = init_params(random.PRNGKey(0), [2, 16, 16, 1])
rng = np.random.default_rng(0)
for epoch in range(30):
    perm = rng.permutation(len(X))
    for i in range(0, len(X), 50):
        idx = perm[i:i + 50]
        params = update(params, X[idx], y[idx], 0.3)
    if epoch % 5 == 0:
        acc = jnp.mean((forward(params, X) > 0) == y)
        print(f'epoch {epoch} loss {loss_fn(params, X, y):.4f} acc {acc:.3f}')

print('final loss', float(loss_fn(params, X, y)))
