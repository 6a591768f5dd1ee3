import argparse
import math

import jax
import jax.numpy as jnp
import optax

from citenet import GCN, make_citations, normalized_edges


class TrainingDiverged(RuntimeError):
    pass


def masked_mean(values, mask):
    mask = mask.astype(jnp.float32)
    return jnp.where(mask > 0, values, 0.0).sum() / mask.sum()


def parse():
    ap = argparse.ArgumentParser()
    ap.add_argument("--hidden", type=int, default=32)
    ap.add_argument("--steps", type=int, default=150)
    ap.add_argument("--lr", type=float, default=0.02)
    ap.add_argument("--weight-decay", type=float, default=5e-4)
    ap.add_argument("--log-every", type=int, default=25)
    ap.add_argument("--seed", type=int, default=0)
    return ap.parse_args()


def main():
    args = parse()
    graph = make_citations(seed=args.seed)
    edges = normalized_edges(graph)
    x, y = jnp.asarray(graph.x), jnp.asarray(graph.y)
    train_mask, val_mask = jnp.asarray(graph.train_mask), jnp.asarray(graph.val_mask)
    print(f"{graph.n_nodes} papers, {len(graph.senders)} links, {int(y.max()) + 1} topics")

    model = GCN(hidden=args.hidden, classes=int(y.max()) + 1)
    key = jax.random.key(args.seed)
    params = model.init(key, x, edges)
    schedule = optax.cosine_decay_schedule(args.lr, args.steps)
    tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(schedule, weight_decay=args.weight_decay))
    opt_state = tx.init(params)

    def loss_fn(params, rng):
        logits = model.apply(params, x, edges, train=True, rngs={"dropout": rng})
        return masked_mean(optax.softmax_cross_entropy_with_integer_labels(logits, y), train_mask)

    @jax.jit
    def step(params, opt_state, rng):
        loss, grads = jax.value_and_grad(loss_fn)(params, rng)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    @jax.jit
    def accuracy(params):
        pred = model.apply(params, x, edges).argmax(-1)
        return masked_mean((pred == y).astype(jnp.float32), val_mask)

    for i in range(args.steps):
        key, sub = jax.random.split(key)
        params, opt_state, loss = step(params, opt_state, sub)
        if not math.isfinite(float(loss)):
            raise TrainingDiverged(f"loss is {float(loss)} at step {i} (lr {float(schedule(i)):.4f})")
        if i % args.log_every == 0:
            print(f"step {i:4d} loss {float(loss):.4f} val acc {float(accuracy(params)):.3f}")


if __name__ == "__main__":
    main()
