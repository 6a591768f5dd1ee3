import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax.training import train_state

from config import get_config
from network import CNN
from shapes import batches, make_split


def create_state(rng, config, steps_per_epoch):
    model = CNN(tuple(config.features), config.hidden, config.num_classes)
    dummy = jnp.ones((1, config.image_size, config.image_size, 1))
    params = model.init(rng, dummy, train=False)["params"]
    schedule = optax.warmup_cosine_decay_schedule(
        0.0, config.learning_rate, config.warmup_steps, steps_per_epoch * config.num_epochs)
    return train_state.TrainState.create(apply_fn=model.apply, params=params, tx=optax.adam(schedule))


def cross_entropy(logits, labels):
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()


@jax.jit
def train_step(state, batch, rng):
    def loss_fn(params):
        logits = state.apply_fn({"params": params}, batch["image"], train=True, rngs={"dropout": rng})
        return cross_entropy(logits, batch["label"]), logits

    (loss, logits), grads = jax.value_and_grad(loss_fn, has_aux=True)(state.params)
    acc = (logits.argmax(-1) == batch["label"]).mean()
    return state.apply_gradients(grads=grads), {"loss": loss, "accuracy": acc}


@jax.jit
def eval_step(state, batch):
    logits = state.apply_fn({"params": state.params}, batch["image"], train=False)
    return (logits.argmax(-1) == batch["label"]).mean()


def summarize(metrics):
    keys = metrics[0].keys()
    return {k: float(np.mean([m[k] for m in metrics])) for k in keys}


def main():
    config = get_config()
    train = make_split(160, config.image_size, config.num_classes, seed=1)
    test = make_split(48, config.image_size, config.num_classes, seed=2)
    rng = jax.random.PRNGKey(config.seed)
    rng, init_rng = jax.random.split(rng)
    state = create_state(init_rng, config, len(train["label"]) // config.batch_size)
    order = np.random.default_rng(0)
    for epoch in range(config.num_epochs):
        metrics = []
        for batch in batches(train, config.batch_size, order):
            rng, step_rng = jax.random.split(rng)
            state, m = train_step(state, batch, step_rng)
            metrics.append(m)
        s = summarize(metrics)
        acc = float(np.mean([eval_step(state, b) for b in batches(test, config.batch_size)]))
        print(f"epoch {epoch}: loss {s['loss']:.4f} acc {s['accuracy']:.3f} test_acc {acc:.3f}")


if __name__ == "__main__":
    main()
