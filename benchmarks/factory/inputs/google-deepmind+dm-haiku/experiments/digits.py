"""A convolutional classifier with batch norm on the 8x8 digits of scikit-learn."""
from typing import NamedTuple

from absl import app
from absl import flags
import haiku as hk
import jax
import jax.numpy as jnp
import numpy as np
import optax
from sklearn import datasets

STEPS = flags.DEFINE_integer("steps", 40, "Number of updates.")
BATCH_SIZE = flags.DEFINE_integer("batch_size", 64, "Examples per update.")
LEARNING_RATE = flags.DEFINE_float("learning_rate", 3e-3, "Peak learning rate.")
NUM_CLASSES = 10


class Batch(NamedTuple):
  image: np.ndarray  # [B, H, W, 1]
  label: np.ndarray  # [B]


class TrainState(NamedTuple):
  params: hk.Params
  state: hk.State
  opt_state: optax.OptState


def load(split: str) -> Batch:
  digits = datasets.load_digits()
  images = (digits.images / 16.0).astype(np.float32)[..., None]
  cut = 1500
  part = slice(0, cut) if split == "train" else slice(cut, None)
  return Batch(images[part], digits.target[part])


def network(images: jax.Array, is_training: bool) -> jax.Array:
  x = images
  for channels in (8, 16):
    x = hk.Conv2D(channels, kernel_shape=3, with_bias=False)(x)
    x = hk.BatchNorm(create_scale=True, create_offset=True, decay_rate=0.9)(x, is_training)
    x = jax.nn.relu(x)
    x = hk.MaxPool(window_shape=2, strides=2, padding="SAME")(x)
  x = hk.Flatten()(x)
  if is_training:
    x = hk.dropout(hk.next_rng_key(), 0.1, x)
  return hk.Linear(NUM_CLASSES)(x)


def main(_):
  model = hk.transform_with_state(network)
  schedule = optax.cosine_decay_schedule(LEARNING_RATE.value, STEPS.value)
  optimizer = optax.chain(optax.scale_by_adam(), optax.scale_by_schedule(schedule),
                          optax.scale(-1.0))

  def loss_fn(params, state, rng, batch):
    logits, state = model.apply(params, state, rng, batch.image, is_training=True)
    loss = optax.softmax_cross_entropy_with_integer_labels(logits, batch.label).mean()
    return loss, state

  @jax.jit
  def update(train_state: TrainState, rng, batch: Batch):
    grads_fn = jax.value_and_grad(loss_fn, has_aux=True)
    (loss, state), grads = grads_fn(train_state.params, train_state.state, rng, batch)
    updates, opt_state = optimizer.update(grads, train_state.opt_state)
    params = optax.apply_updates(train_state.params, updates)
    return TrainState(params, state, opt_state), loss

  @jax.jit
  def evaluate(params, state, batch: Batch):
    logits, _ = model.apply(params, state, None, batch.image, is_training=False)
    return jnp.mean(jnp.argmax(logits, axis=-1) == batch.label)

  train, test = load("train"), load("test")
  rng = jax.random.PRNGKey(0)
  params, state = model.init(rng, train.image[:1], is_training=True)
  train_state = TrainState(params, state, optimizer.init(params))
  for step in range(STEPS.value):
    index = np.random.randint(0, len(train.label), size=BATCH_SIZE.value)
    rng, step_rng = jax.random.split(rng)
    batch = Batch(train.image[index], train.label[index])
    train_state, loss = update(train_state, step_rng, batch)
    if step % 20 == 19:
      accuracy = evaluate(train_state.params, train_state.state, test)
      print(f"[step {step + 1}] loss: {loss:.4f}, test accuracy: {accuracy:.3f}")


if __name__ == "__main__":
  app.run(main)
