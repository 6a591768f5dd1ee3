"""A small transformer block learns to copy the largest token to every position."""
import argparse

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
import optax


class Block(eqx.Module):
    attention: eqx.nn.MultiheadAttention
    norm1: eqx.nn.LayerNorm
    norm2: eqx.nn.LayerNorm
    mlp: eqx.nn.MLP
    dropout: eqx.nn.Dropout

    def __init__(self, size, heads, dropout, key):
        k1, k2 = jr.split(key)
        self.attention = eqx.nn.MultiheadAttention(heads, size, dropout_p=dropout, key=k1)
        self.norm1 = eqx.nn.LayerNorm(size)
        self.norm2 = eqx.nn.LayerNorm(size)
        self.mlp = eqx.nn.MLP(size, size, width_size=2 * size, depth=1, key=k2)
        self.dropout = eqx.nn.Dropout(dropout)

    def __call__(self, x, *, key):
        k1, k2 = jr.split(key)
        h = jax.vmap(self.norm1)(x)
        x = x + self.attention(h, h, h, key=k1)
        h = jax.vmap(self.mlp)(jax.vmap(self.norm2)(x))
        return x + self.dropout(h, key=k2)


class Model(eqx.Module):
    embedding: eqx.nn.Embedding
    positions: jax.Array
    blocks: tuple
    head: eqx.nn.Linear

    def __init__(self, vocab, length, size, heads, depth, dropout, key):
        keys = jr.split(key, depth + 3)
        self.embedding = eqx.nn.Embedding(vocab, size, key=keys[0])
        self.positions = 0.02 * jr.normal(keys[1], (length, size))
        self.head = eqx.nn.Linear(size, vocab, key=keys[2])
        self.blocks = tuple(Block(size, heads, dropout, k) for k in keys[3:])

    def __call__(self, tokens, key):
        x = jax.vmap(self.embedding)(tokens) + self.positions
        for block, k in zip(self.blocks, jr.split(key, len(self.blocks))):
            x = block(x, key=k)
        return jax.vmap(self.head)(x)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--vocab", type=int, default=11)
    parser.add_argument("--length", type=int, default=8)
    parser.add_argument("--size", type=int, default=16)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--depth", type=int, default=1)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--lr", type=float, default=1e-2)
    args = parser.parse_args()

    key = jr.PRNGKey(1)
    model = Model(
        args.vocab, args.length, args.size, args.heads, args.depth, args.dropout, key=key
    )
    schedule = optax.warmup_cosine_decay_schedule(0.0, args.lr, 5, args.steps)
    optim = optax.adamw(schedule)
    opt_state = optim.init(eqx.filter(model, eqx.is_array))

    def loss_fn(model, tokens, keys):
        logits = jax.vmap(model)(tokens, keys)
        target = jnp.broadcast_to(tokens.max(axis=1, keepdims=True), tokens.shape)
        return optax.softmax_cross_entropy_with_integer_labels(logits, target).mean()

    @eqx.filter_jit
    def update(model, opt_state, key):
        data_key, drop_key = jr.split(key)
        tokens = jr.randint(data_key, (64, args.length), 0, args.vocab)
        keys = jr.split(drop_key, tokens.shape[0])
        loss, grads = eqx.filter_value_and_grad(loss_fn)(model, tokens, keys)
        updates, opt_state = optim.update(grads, opt_state, eqx.filter(model, eqx.is_array))
        return eqx.apply_updates(model, updates), opt_state, loss

    for step in range(args.steps):
        key, subkey = jr.split(key)
        model, opt_state, loss = update(model, opt_state, subkey)
        if step % 10 == 9:
            print(f"step {step + 1}: loss {loss.item():.4f}")

    @eqx.filter_jit
    def predict(model, tokens, keys):
        return jax.vmap(model)(tokens, keys)

    tokens = jr.randint(key, (16, args.length), 0, args.vocab)
    scores = predict(eqx.nn.inference_mode(model), tokens, jr.split(key, 16))
    print("scores", scores.shape)


if __name__ == "__main__":
    main()
