import logging
from pathlib import Path

import hydra
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import serialization
from flax.training.train_state import TrainState
from omegaconf import DictConfig, OmegaConf

from dataset import ReviewData
from model import BagClassifier

log = logging.getLogger(__name__)


@jax.jit
def update(state, ids, labels, key):
    def loss_fn(params):
        logits = state.apply_fn(params, ids, train=True, rngs={"dropout": key})
        return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), loss


def accuracy(state, split):
    logits = state.apply_fn(state.params, split[0])
    return float((logits.argmax(-1) == split[1]).mean())


@hydra.main(version_base="1.3", config_path="conf", config_name="config")
def main(cfg: DictConfig):
    log.info("config\n%s", OmegaConf.to_yaml(cfg))
    rng = np.random.default_rng(cfg.seed)
    key = jax.random.PRNGKey(cfg.seed)

    data = ReviewData(cfg.data)
    model = BagClassifier(vocab_size=data.vocab_size, **cfg.model)
    params = model.init(key, jnp.zeros((1, cfg.data.max_len), jnp.int32))
    state = TrainState.create(
        apply_fn=model.apply, params=params, tx=optax.adam(cfg.lr))

    ids, labels = data.train
    for epoch in range(1, cfg.epochs + 1):
        order = rng.permutation(len(ids))
        for pick in np.array_split(order, max(1, len(ids) // cfg.batch_size)):
            key, sub = jax.random.split(key)
            state, loss = update(state, ids[pick], labels[pick], sub)
        if epoch % 5 == 0:
            log.info("epoch %d loss %.3f train %.3f val %.3f", epoch, loss,
                     accuracy(state, data.train), accuracy(state, data.val))

    Path("params.msgpack").write_bytes(serialization.to_bytes(state.params))
    log.info("wrote %s", Path("params.msgpack").resolve())


if __name__ == "__main__":
    main()
