"""Learn to reach with a planar three-link arm by back-propagating through the simulation."""
import argparse
from functools import partial

import jax
import jax.numpy as jnp
import optax

from arm_model import DT, ArmState, dynamics, reset, tip
from policy import apply_mlp, init_mlp, observe

MAX_TORQUE = 2.0
KI = 0.1


def rollout(params, goal, steps, explore=False, key=None):
    def step(carry, k):
        state = carry
        xy = tip(state.q)
        action = MAX_TORQUE * jnp.tanh(apply_mlp(params, observe(state, xy, goal)))
        if explore:
            action = action + 0.05 * jax.random.normal(k, action.shape)
        state = state._replace(integral=state.integral + DT * action)
        state = dynamics(state, action - KI * state.integral)
        dist = jnp.sum((xy - goal) ** 2)
        return state, (dist, jnp.sum(action ** 2))

    keys = jax.random.split(key, steps) if explore else jnp.zeros((steps, 2), dtype=jnp.uint32)
    final, (dist, effort) = jax.lax.scan(step, reset(), keys)
    return dist.mean() + 1e-3 * effort.mean(), tip(final.q)


@partial(jax.jit, static_argnames=("steps",))
def batch_loss(params, goals, key, steps, explore):
    keys = jax.random.split(key, goals.shape[0])
    costs, tips = jax.vmap(lambda g, k: rollout(params, g, steps, explore, k))(goals, keys)
    return costs.mean(), jnp.linalg.norm(tips - goals, axis=-1).mean()


def sample_goals(key, n):
    ka, kr = jax.random.split(key)
    angle = jax.random.uniform(ka, (n,), minval=-1.2, maxval=1.2)
    radius = jax.random.uniform(kr, (n,), minval=0.5, maxval=1.0)
    return jnp.stack([radius * jnp.cos(angle), radius * jnp.sin(angle)], axis=-1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--iters", type=int, default=30)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--goals", type=int, default=16)
    parser.add_argument("--lr", type=float, default=1e-2)
    args = parser.parse_args()

    key = jax.random.PRNGKey(0)
    key, sub = jax.random.split(key)
    params = init_mlp(sub, [11, 32, 3])
    opt = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(args.lr))
    opt_state = opt.init(params)
    grad_fn = jax.value_and_grad(batch_loss, has_aux=True)

    for it in range(args.iters):
        key, kg, kn = jax.random.split(key, 3)
        (loss, miss), grads = grad_fn(params, sample_goals(kg, args.goals), kn, steps=args.steps, explore=True)
        updates, opt_state = opt.update(grads, opt_state)
        params = optax.apply_updates(params, updates)
        if it % 10 == 0 or it == args.iters - 1:
            print(f"iter {it:3d}  cost {loss:.4f}  final miss {miss:.3f} m")

    test_goals = sample_goals(jax.random.PRNGKey(99), 32)
    cost, miss = batch_loss(params, test_goals, key, steps=args.steps, explore=False)
    print(f"test cost {cost:.4f}  final miss {miss:.3f} m")


if __name__ == "__main__":
    main()
