"""Fit a curve with L-BFGS and find its best parameters on a schedule that reacts to plateaus."""
import argparse

import jax
import jax.numpy as jnp
import optax
import optax.tree

parser = argparse.ArgumentParser()
parser.add_argument("--iterations", type=int, default=15)
parser.add_argument("--memory", type=int, default=5)
parser.add_argument("--tolerance", type=float, default=1e-4)
parser.add_argument("--delta", type=float, default=1.0)
args = parser.parse_args()

t = jnp.linspace(0, 4, 60)
observed = 1.5 * jnp.exp(-0.7 * t) + 0.3 + 0.02 * jnp.sin(40 * t)


def objective(params):
    fitted = params["scale"] * jnp.exp(-params["rate"] * t) + params["offset"]
    return jnp.sum(optax.losses.huber_loss(fitted, observed, delta=args.delta))


params = {"scale": jnp.array(0.5), "rate": jnp.array(0.1), "offset": jnp.array(0.0)}
solver = optax.lbfgs(memory_size=args.memory)
state = solver.init(params)
value_and_grad = optax.value_and_grad_from_state(objective)


@jax.jit
def iterate(params, state):
    value, grad = value_and_grad(params, state=state)
    updates, state = solver.update(grad, state, params, value=value, grad=grad, value_fn=objective)
    return optax.apply_updates(params, updates), state, value, optax.tree.norm(grad)


for i in range(args.iterations):
    params, state, value, norm = iterate(params, state)
    print(f"iteration {i}: objective {value:.5f} gradient {norm:.2e}")
    if norm < args.tolerance:
        break
print({name: round(float(p), 3) for name, p in params.items()})
