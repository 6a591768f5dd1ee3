import functools

import jax
import jax.numpy as jnp
import optax


def masked_cross_entropy(logits, labels, mask):
    losses = optax.softmax_cross_entropy_with_integer_labels(logits, labels)
    return jnp.sum(losses * mask) / jnp.sum(mask)


def make_train_step(model, tx):
    @jax.jit
    def train_step(params, batch_stats, opt_state, graph, key):
        def loss_fn(p):
            logits, updated = model.apply(
                {"params": p, "batch_stats": batch_stats},
                graph,
                train=True,
                mutable=["batch_stats"],
                rngs={"dropout": key},
            )
            loss = masked_cross_entropy(logits, graph.labels, graph.train_mask)
            return loss, updated["batch_stats"]

        (loss, new_stats), grads = jax.value_and_grad(loss_fn, has_aux=True)(params)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), new_stats, opt_state, loss

    return train_step


@functools.partial(jax.jit, static_argnums=0)
def accuracy(model, params, batch_stats, graph):
    logits = model.apply({"params": params, "batch_stats": batch_stats}, graph, train=False)
    hit = logits.argmax(-1) == graph.labels
    rest = ~graph.train_mask
    return jnp.sum(hit * rest) / jnp.sum(rest)
