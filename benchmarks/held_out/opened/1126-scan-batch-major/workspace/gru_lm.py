#!/usr/bin/env python3
"""Word-level language model, GRU written with jax.lax.scan, nothing but pure functions and optax.

Trains on nursery-rhyme-like lines that a tiny grammar produces, reports perplexity, samples a few lines.
"""
import dataclasses
import math
import random
import sys
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax


@dataclasses.dataclass(frozen=True)
class Config:
    hidden: int = 40
    embed: int = 24
    layers: int = 2
    batch: int = 32
    steps: int = 120
    lr: float = 1e-2
    max_len: int = 12
    temperature: float = 0.7
    seed: int = 4


GRAMMAR = {
    "S": ["NP VP", "NP VP and VP", "when NP VP NP VP"],
    "NP": ["the N", "the A N", "a N", "my A N"],
    "VP": ["V", "V NP", "V to NP"],
    "N": "cat dog moon farmer lamb spider baker hill".split(),
    "A": "old merry little blue sleepy".split(),
    "V": "runs jumps sings sleeps goes looks".split(),
}


def expand(symbol, rnd):
    if symbol not in GRAMMAR:
        return [symbol]
    return [w for part in rnd.choice(GRAMMAR[symbol]).split() for w in expand(part, rnd)]


class Corpus:
    PAD, BOS, EOS = 0, 1, 2

    def __init__(self, n, max_len, seed):
        rnd = random.Random(seed)
        sents = [expand("S", rnd) for _ in range(n)]
        words = sorted({w for s in sents for w in s})
        self.itos = ["<pad>", "<s>", "</s>", *words]
        stoi = {w: i for i, w in enumerate(self.itos)}
        self.ids = np.zeros((n, max_len + 1), np.int32)
        for row, s in zip(self.ids, sents):
            ids = [self.BOS, *(stoi[w] for w in s), self.EOS][: max_len + 1]
            row[: len(ids)] = ids

    def batches(self, size, steps, rng):
        for _ in range(steps):
            yield self.ids[rng.integers(0, len(self.ids), size)]


class GRU(NamedTuple):
    wx: jax.Array
    wh: jax.Array
    b: jax.Array


def init_gru(key, n_in, n_hidden):
    kx, kh = jax.random.split(key)
    glorot = jax.nn.initializers.glorot_uniform()
    ortho = jax.nn.initializers.orthogonal()
    wh = jnp.concatenate([ortho(k, (n_hidden, n_hidden)) for k in jax.random.split(kh, 3)], axis=1)
    return GRU(glorot(kx, (n_in, 3 * n_hidden)), wh, jnp.zeros(3 * n_hidden))


def init_params(key, cfg, vocab):
    k_embed, k_out, *k_layers = jax.random.split(key, 2 + cfg.layers)
    sizes = [cfg.embed] + [cfg.hidden] * cfg.layers
    return {
        "embed": 0.1 * jax.random.normal(k_embed, (vocab, cfg.embed)),
        "cells": [init_gru(k, a, b) for k, a, b in zip(k_layers, sizes[:-1], sizes[1:])],
        "out": {"w": 0.1 * jax.random.normal(k_out, (cfg.hidden, vocab)), "b": jnp.zeros(vocab)},
    }


def gru_cell(p: GRU, h, x):
    zx, rx, nx = jnp.split(x @ p.wx + p.b, 3, axis=-1)
    zh, rh, nh = jnp.split(h @ p.wh, 3, axis=-1)
    z, r = jax.nn.sigmoid(zx + zh), jax.nn.sigmoid(rx + rh)
    n = jnp.tanh(nx + r * nh)
    return (1 - z) * n + z * h


def step(cells, hidden, x):
    new = []
    for p, h in zip(cells, hidden):
        x = gru_cell(p, h, x)
        new.append(x)
    return new, x


def zero_state(cells, batch):
    return [jnp.zeros((batch, p.wh.shape[0])) for p in cells]


def logits_fn(params, tokens):
    """tokens [batch, time] -> logits [batch, time, vocab]"""
    x = params["embed"][tokens]
    _, hs = jax.lax.scan(partial(step, params["cells"]), zero_state(params["cells"], tokens.shape[0]), x)
    logits = hs @ params["out"]["w"] + params["out"]["b"]
    return jnp.swapaxes(logits, 0, 1)


def loss_fn(params, ids):
    inputs, targets = ids[:, :-1], ids[:, 1:]
    logits = logits_fn(params, inputs)
    nll = optax.softmax_cross_entropy_with_integer_labels(logits, targets)
    mask = (targets != Corpus.PAD).astype(nll.dtype)
    return (nll * mask).sum() / mask.sum()


def make_update(tx):
    @partial(jax.jit, donate_argnums=(0, 1))
    def update(params, opt_state, ids):
        loss, grads = jax.value_and_grad(loss_fn)(params, ids)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    return update


@partial(jax.jit, static_argnames="length")
def sample(params, key, length, temperature):
    def body(carry, k):
        hidden, token = carry
        hidden, h = step(params["cells"], hidden, params["embed"][token][None])
        logits = (h @ params["out"]["w"] + params["out"]["b"])[0]
        token = jax.random.categorical(k, logits / temperature)
        return (hidden, token), token

    start = (zero_state(params["cells"], 1), jnp.array(Corpus.BOS))
    return jax.lax.scan(body, start, jax.random.split(key, length))[1]


def detok(itos, ids):
    words = []
    for i in ids:
        if i == Corpus.EOS:
            break
        words.append(itos[i])
    return " ".join(words)


def main(argv):
    cfg = Config()
    for item in argv:                       # e.g. hidden=64 lr=0.003
        k, v = item.split("=")
        cfg = dataclasses.replace(cfg, **{k: type(getattr(cfg, k))(v)})
    corpus = Corpus(2000, cfg.max_len, cfg.seed)
    held_out = Corpus(300, cfg.max_len, cfg.seed + 1)
    assert held_out.itos == corpus.itos

    k_init, k_sample = jax.random.split(jax.random.PRNGKey(cfg.seed))
    params = init_params(k_init, cfg, len(corpus.itos))
    tx = optax.chain(
        optax.clip_by_global_norm(1.0),
        optax.lion(optax.linear_schedule(cfg.lr / 3, cfg.lr / 60, cfg.steps)),
    )
    opt_state = tx.init(params)
    update = make_update(tx)

    running = None
    rng = np.random.default_rng(cfg.seed)
    for i, ids in enumerate(corpus.batches(cfg.batch, cfg.steps, rng)):
        params, opt_state, loss = update(params, opt_state, ids)
        running = float(loss) if running is None else 0.9 * running + 0.1 * float(loss)
        if i % 30 == 29:
            print(f"[{i + 1:>4}/{cfg.steps}] loss {running:.3f}")

    ppl = math.exp(jax.jit(loss_fn)(params, held_out.ids))
    print(f"held-out perplexity {ppl:.2f} (vocabulary {len(corpus.itos)})")
    keys = jax.random.split(k_sample, 4)
    many = jax.vmap(sample, in_axes=(None, 0, None, None))(params, keys, cfg.max_len, cfg.temperature)
    for row in np.asarray(many):
        print("  >", detok(corpus.itos, row))


if __name__ == "__main__":
    main(sys.argv[1:])
