import jax
import jax.numpy as jnp
from jax import random

key = random.PRNGKey(0)
k1, k2, k3 = random.split(key, 3)

true_w = jnp.array([1.5, -2.0, 0.7])
X = random.normal(k1, (64, 3))
y = X @ true_w + 0.3 + 0.05 * random.normal(k2, (64,))

params = {"w": random.normal(k3, (3,)), "b": 0.0}


def predict(params, x):
    return jnp.dot(x, params["w"]) + params["b"]


def loss_fn(params, x, y):
    err = predict(params, x) - y
    return err ** 2


@jax.jit
def update(params, x, y, lr=0.1):
    grads = jax.grad(loss_fn)(params, x, y)
    return jax.tree_util.tree_map(lambda p, g: p - lr * g, params, grads)


for i in range(100):
    params = update(params, X, y)
    if i % 25 == 0:
        print(i, loss_fn(params, X, y))
print(params)
