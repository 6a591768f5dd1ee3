import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr


class RecurrentClassifier(eqx.Module):
    hidden_size: int
    cell: eqx.nn.GRUCell
    norm: eqx.nn.LayerNorm
    linear: eqx.nn.Linear

    def __init__(self, in_size, hidden_size, out_size, *, key):
        cell_key, linear_key = jr.split(key)
        self.hidden_size = hidden_size
        self.cell = eqx.nn.GRUCell(in_size, hidden_size, key=cell_key)
        self.norm = eqx.nn.LayerNorm(hidden_size)
        self.linear = eqx.nn.Linear(hidden_size, out_size, key=linear_key)

    def __call__(self, xs):
        def scan_step(state, x):
            return self.cell(x, state), None

        state, _ = jax.lax.scan(scan_step, jnp.zeros(self.hidden_size), xs)
        return self.linear(self.norm(state))


class ConvClassifier(eqx.Module):
    layers: list
    head: eqx.nn.Linear

    def __init__(self, in_size, hidden_size, out_size, *, key):
        k1, k2, k3 = jr.split(key, 3)
        self.layers = [
            eqx.nn.Conv1d(in_size, hidden_size, kernel_size=3, padding=1, key=k1),
            jax.nn.relu,
            eqx.nn.Conv1d(hidden_size, hidden_size, kernel_size=3, stride=2, key=k2),
            jax.nn.relu,
        ]
        self.head = eqx.nn.Linear(hidden_size, out_size, key=k3)

    def __call__(self, xs):
        x = jnp.swapaxes(xs, 0, 1)
        for layer in self.layers:
            x = layer(x)
        return self.head(jnp.mean(x, axis=-1))


KINDS = {"gru": RecurrentClassifier, "conv": ConvClassifier}


def build_model(options, *, key):
    options = dict(options)
    return KINDS[options.pop("kind")](**options, key=key)
