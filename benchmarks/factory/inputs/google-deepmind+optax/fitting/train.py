"""An MLP with weight decay on matrices only, a warm-up schedule and accumulated gradients."""
import sys

import jax
import jax.numpy as jnp
import mlp
import numpy as np
import optax
from settings import Settings


def make_optimizer(settings, params):
    schedule = optax.warmup_cosine_decay_schedule(
        init_value=0.0, peak_value=settings.peak, warmup_steps=settings.warmup,
        decay_steps=settings.steps // settings.accumulate,
    )
    matrices = jax.tree.map(lambda p: p.ndim > 1, params)
    head = f"layer{len(params) - 1}"
    labels = {name: jax.tree.map(lambda _: "head" if name == head else "body", layer)
              for name, layer in params.items()}
    inner = optax.chain(
        optax.clip_by_global_norm(settings.clip),
        optax.adamw(schedule, weight_decay=settings.weight_decay, mask=matrices),
        optax.partition({"body": optax.identity(), "head": optax.scale(0.5)}, labels),
    )
    return optax.MultiSteps(inner, every_k_schedule=settings.accumulate)


def make_data(settings, count=512):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(count, settings.features)).astype(np.float32)
    scores = np.stack([x[:, 0] * x[:, 1], x[:, 2], -x[:, 3] ** 2 + 1], axis=1)
    return x, scores[:, : settings.classes].argmax(axis=1)


def main(argv):
    settings = Settings(steps=int(argv[1]) if len(argv) > 1 else Settings.steps)
    x, y = make_data(settings)
    params = mlp.init(jax.random.PRNGKey(0), (settings.features, *settings.hidden, settings.classes))
    optimizer = make_optimizer(settings, params)
    state = optimizer.init(params)
    average = params

    def loss_fn(params, x, y):
        logits = mlp.apply(params, x)
        targets = optax.smooth_labels(jax.nn.one_hot(y, settings.classes), settings.label_smoothing)
        return optax.losses.softmax_cross_entropy(logits, targets).mean()

    @jax.jit
    def step(params, average, state, x, y):
        loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
        updates, state = optimizer.update(grads, state, params)
        params = optax.apply_updates(params, updates)
        average = optax.incremental_update(params, average, step_size=0.2)
        return params, average, state, loss

    for number in range(settings.steps):
        rows = np.random.randint(0, len(x), size=settings.batch_size)
        params, average, state, loss = step(params, average, state, x[rows], y[rows])
        if number % 20 == 19:
            accuracy = jnp.mean(mlp.apply(average, x).argmax(-1) == y)
            print(f"step {number + 1} loss {loss:.4f} accuracy {accuracy:.3f}")


if __name__ == "__main__":
    main(sys.argv)
