import jax
import numpy as np
import yaml

from sentiment.data import batches, load
from sentiment.model import Classifier
from sentiment.steps import create_state, eval_step, train_step


def main():
    with open("params.yaml") as f:
        hp = yaml.safe_load(f)
    train, test, vocab = load(hp["data"], hp["max_len"], hp["seed"])
    model = Classifier(
        vocab, hp["embed"], hp["heads"], hp["mlp"], hp["layers"], hp["dropout"]
    )
    key, init_key = jax.random.split(jax.random.key(hp["seed"]))
    state = create_state(init_key, model, train[0][:1], hp["lr"])
    n = sum(p.size for p in jax.tree.leaves(state.params))
    print(f"{len(train[0])} train reviews, vocabulary {vocab}, {n} parameters")

    stream = batches(*train, hp["batch"], np.random.default_rng(hp["seed"]))
    for step in range(1, hp["steps"] + 1):
        ids, labels = next(stream)
        state, loss = train_step(state, ids, labels, key)
        if step % 20 == 0:
            print(f"step {step}: loss {loss:.3f}  test acc {eval_step(state, *test):.3f}")


if __name__ == "__main__":
    main()
