"""Train a character model on one text file; options as in train.py, through tyro."""
from dataclasses import dataclass, field
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
import tyro
from flax.training.train_state import TrainState

from model import GPT, GPTConfig


@dataclass(frozen=True)
class TrainConfig:
    text: str = 'data/story.txt'
    seed: int = 0
    steps: int = 12
    batch_size: int = 8
    eval_interval: int = 4
    learning_rate: float = 3e-3
    warmup_steps: int = 2
    weight_decay: float = 1e-2
    grad_clip: float = 1.0
    model: GPTConfig = field(default_factory=lambda: GPTConfig(
        block_size=16, vocab_size=32, num_layers=1, num_heads=2, num_embeds=32,
        dropout_rate=0.1, dtype='float32'))


def read(path, vocab_size):
    with open(path) as f:
        text = f.read()
    chars = sorted(set(text))
    assert len(chars) <= vocab_size, f'{len(chars)} characters, vocabulary of {vocab_size}'
    codes = {c: i for i, c in enumerate(chars)}
    ids = np.array([codes[c] for c in text], dtype=np.int32)
    split = int(0.9 * len(ids))
    return ids[:split], ids[split:]


def get_batch(rng, ids, batch_size, block_size):
    starts = rng.integers(0, len(ids) - block_size - 1, size=batch_size)
    return np.stack([ids[s:s + block_size + 1] for s in starts])


def loss_fn(params, apply_fn, tokens, deterministic, key):
    X, Y = tokens[:, :-1], tokens[:, 1:]
    logits = apply_fn(params, X, deterministic, rngs={'dropout': key})
    return optax.softmax_cross_entropy_with_integer_labels(logits, Y).mean()


@jax.jit
def train_step(state, tokens, key):
    key = jax.random.fold_in(key, state.step)
    loss, grads = jax.value_and_grad(loss_fn)(state.params, state.apply_fn, tokens, False, key)
    return loss, state.apply_gradients(grads=grads)


@jax.jit
def eval_step(state, tokens):
    return loss_fn(state.params, state.apply_fn, tokens, True, jax.random.PRNGKey(0))


def main(config: TrainConfig):
    train_ids, val_ids = read(config.text, config.model.vocab_size)
    rng = np.random.default_rng(config.seed)
    key, init_key = jax.random.split(jax.random.PRNGKey(config.seed))
    model = GPT(config.model)
    params = model.init(init_key)
    schedule = optax.warmup_cosine_decay_schedule(
        0.0, config.learning_rate, config.warmup_steps, config.steps, config.learning_rate / 10)
    optimizer = optax.chain(
        optax.clip_by_global_norm(config.grad_clip),
        optax.adamw(schedule, b1=0.9, b2=0.95, weight_decay=config.weight_decay),
    )
    state = TrainState.create(apply_fn=model.apply, params=params, tx=optimizer)
    count = sum(p.size for p in jax.tree_util.tree_leaves(params))
    print(f'{count:,} parameters')
    batch = partial(get_batch, rng, batch_size=config.batch_size, block_size=config.model.block_size)
    for step in range(1, config.steps + 1):
        loss, state = train_step(state, batch(train_ids), key)
        if step % config.eval_interval == 0:
            val_loss = eval_step(state, batch(val_ids))
            print(f'step {step}: train loss {loss:.4f}, val loss {val_loss:.4f}')


if __name__ == '__main__':
    main(tyro.cli(TrainConfig))
