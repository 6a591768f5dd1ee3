import jax
import numpy as np
from absl import app, flags

from model import ConvTagger
from phrases import TAGS, WORDS, arrays
from steps import accuracy, create_state, train_step

FLAGS = flags.FLAGS
flags.DEFINE_integer("epochs", 4, "passes over the training set")
flags.DEFINE_integer("batch_size", 32, "sentences per step")
flags.DEFINE_float("lr", 5e-3, "Adam learning rate")
flags.DEFINE_float("word_dropout", 0.05, "share of tokens replaced by <unk>")


def main(_):
    x_train, y_train = arrays(384, seed=0)
    x_test, y_test = arrays(128, seed=1)
    key = jax.random.key(0)
    model = ConvTagger(len(WORDS), len(TAGS), word_dropout=FLAGS.word_dropout)
    state = create_state(model, key, x_train[:1], FLAGS.lr)
    print(f"{len(WORDS)} words, {len(TAGS) - 1} tags, {len(x_train)} sentences")

    rng = np.random.default_rng(0)
    for epoch in range(1, FLAGS.epochs + 1):
        order = rng.permutation(len(x_train))
        losses = []
        for i in range(0, len(order), FLAGS.batch_size):
            idx = order[i:i + FLAGS.batch_size]
            key, sub = jax.random.split(key)
            state, loss = train_step(state, x_train[idx], y_train[idx], sub)
            losses.append(float(loss))
        print(f"epoch {epoch} loss {np.mean(losses):.3f} test acc {accuracy(state, x_test, y_test, key):.3f}", flush=True)


if __name__ == "__main__":
    app.run(main)
