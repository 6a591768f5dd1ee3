# learn the dynamics of a pendulum with a small residual net
import jax
import jax.numpy as jnp
import numpy as np
import optax

DT = 0.1


def simulate(theta0, steps, g=9.81, damping=0.2):
    state = np.array([theta0, 0.0])
    out = [state]
    for _ in range(steps):
        th, om = state
        om = om + DT * (-g * np.sin(th) - damping * om)
        state = np.array([th + DT * om, om])
        out.append(state)
    return np.stack(out).astype("float32")


trajectories = jnp.array([simulate(th, 25) for th in np.linspace(-1.2, 1.2, 16)])
start, target = trajectories[:, 0], trajectories[:, 1:]
print("trajectories", trajectories.shape)


def init(key, hidden=32):
    k1, k2 = jax.random.split(key)
    return {
        "w1": 0.3 * jax.random.normal(k1, (2, hidden)), "b1": jnp.zeros(hidden),
        "w2": 0.1 * jax.random.normal(k2, (hidden, 2)), "b2": jnp.zeros(2),
    }


def step(params, state):
    h = jnp.tanh(state @ params["w1"] + params["b1"])
    return state + DT * (h @ params["w2"] + params["b2"])


@jax.jit
def rollout(params, state, n_steps):
    states = []
    for _ in range(n_steps):
        state = step(params, state)
        states.append(state)
    return jnp.stack(states, axis=1)


def loss_fn(params, start, target, n_steps):
    pred = rollout(params, start, n_steps)
    return jnp.mean((pred - target[:, :n_steps]) ** 2)


params = init(jax.random.key(0))
tx = optax.adam(1e-2)
opt_state = tx.init(params)

for epoch in range(60):
    horizon = 5 if epoch < 30 else 15          # curriculum
    loss, grads = jax.value_and_grad(loss_fn)(params, start, target, horizon)
    updates, opt_state = tx.update(grads, opt_state)
    params = optax.apply_updates(params, updates)
    if epoch % 15 == 0:
        print(epoch, horizon, f"{loss:.5f}")

print("full horizon:", float(loss_fn(params, start, target, 25)))
