from typing import NamedTuple

import jax
import jax.numpy as jnp


class ArmState(NamedTuple):
    q: jax.Array
    dq: jax.Array
    integral: jax.Array


LINKS = jnp.array([0.5, 0.4, 0.25])
INERTIA = jnp.array([1.2, 0.7, 0.3])
DAMPING = 0.4
DT = 0.02


def reset(n_joints=3):
    return ArmState(
        q=jnp.zeros(n_joints),
        dq=jnp.zeros(n_joints),
        integral=jnp.zeros(n_joints),
    )


def tip(q):
    angles = jnp.cumsum(q)
    return jnp.array([jnp.sum(LINKS * jnp.cos(angles)), jnp.sum(LINKS * jnp.sin(angles))])


def dynamics(state, torque):
    ddq = (torque - DAMPING * state.dq) / INERTIA
    dq = state.dq + DT * ddq
    return state._replace(q=state.q + DT * dq, dq=dq)
