"""Readmission within 30 days, from one CSV of hospital stays (tf.data + Keras preprocessing layers + own training loop)."""
import json
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import pandas as pd
import tensorflow as tf
from sklearn.metrics import brier_score_loss, roc_auc_score
from tensorflow.keras import layers

tf.keras.utils.set_random_seed(17)


def read_settings(path="settings.json"):
    with open(path) as f:
        return json.load(f)


def read_stays(cfg):
    stays = pd.read_csv(cfg["csv"], index_col="case_id")
    stays[cfg["target"]] = (stays[cfg["target"]] == "yes").astype("float32")
    stays[cfg["numeric"]] = stays[cfg["numeric"]].astype("float32")
    held = stays.sample(frac=cfg["holdout"], random_state=1)
    return stays.drop(held.index), held


def to_dataset(frame, cfg, shuffle=False):
    frame = frame.copy()
    target = frame.pop(cfg["target"])
    columns = {name: frame[name].to_numpy()[:, None] for name in cfg["numeric"]}
    columns |= {name: frame[name].astype(str).to_numpy(dtype=object)[:, None] for name in cfg["categorical"]}
    ds = tf.data.Dataset.from_tensor_slices((columns, target.to_numpy()))
    if shuffle:
        ds = ds.shuffle(len(frame), seed=5)
    return ds.batch(cfg["training"]["batch_size"]).prefetch(1)


def numeric_branch(name, train):
    norm = layers.Normalization(axis=-1, name=f"norm_{name}")
    norm.adapt(train[name].to_numpy()[:, None])
    inp = tf.keras.Input((1,), name=name)
    return inp, norm(inp)


def categorical_branch(name, train, width):
    lookup = layers.StringLookup(vocabulary=sorted(train[name].unique()), name=f"ids_{name}")
    inp = tf.keras.Input((1,), name=name, dtype="string")
    vec = layers.Embedding(lookup.vocabulary_size(), width, name=f"emb_{name}")(lookup(inp))
    return inp, layers.Flatten()(vec)


def make_model(train, cfg):
    inputs, encoded = {}, []
    for name in cfg["numeric"]:
        inputs[name], h = numeric_branch(name, train)
        encoded.append(h)
    for name, width in cfg["categorical"].items():
        inputs[name], h = categorical_branch(name, train, width)
        encoded.append(h)
    h = layers.concatenate(encoded)
    for units in cfg["hidden"]:
        h = layers.Dense(units, activation="gelu")(h)
    return tf.keras.Model(inputs, layers.Dense(1)(h))


class Trainer:
    def __init__(self, model, cfg):
        self.model = model
        decay = cfg["decay"]
        rates = [cfg["learning_rate"] * f for f in decay["factors"]]
        self.optimizer = tf.keras.optimizers.Adam(tf.keras.optimizers.schedules.PiecewiseConstantDecay(decay["boundaries"], rates))
        self.loss_fn = tf.keras.losses.BinaryCrossentropy(from_logits=True)
        self.mean_loss = tf.keras.metrics.Mean()
        self.auc = tf.keras.metrics.AUC(from_logits=True)

    @tf.function
    def step(self, features, target):
        with tf.GradientTape() as tape:
            logits = self.model(features, training=True)
            loss = self.loss_fn(target, logits)
        grads = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.model.trainable_variables))
        self.mean_loss.update_state(loss)
        return logits

    def run(self, train_ds, val_ds, epochs):
        for epoch in range(1, epochs + 1):
            self.mean_loss.reset_state()
            self.auc.reset_state()
            for features, target in train_ds:
                self.step(features, target)
            for features, target in val_ds:
                self.auc.update_state(target, self.model(features))
            print(f"epoch {epoch}: loss {self.mean_loss.result():.4f}  val AUC {self.auc.result():.3f}")


def score(model, ds):
    """risk and true outcome of every stay in ds"""
    risk, truth = [], []
    for features, target in ds:
        risk.append(tf.sigmoid(model(features))[:, 0])
        truth.append(target[:, 0])
    return tf.concat(risk, 0).numpy(), tf.concat(truth, 0).numpy()


def by_ward(frame, risk, cfg):
    table = frame[["ward", cfg["target"]]].assign(risk=risk, flagged=risk > cfg["threshold"])
    return table.groupby("ward").agg(stays=("risk", "size"), observed=(cfg["target"], "mean"), expected=("risk", "mean"), flagged=("flagged", "sum")).round(3)


def main():
    cfg = read_settings(*sys.argv[1:])
    train, held = read_stays(cfg)
    print(f"{len(train)} stays for training, {len(held)} held out, {train[cfg['target']].mean():.1%} readmitted")
    train_ds, held_ds = to_dataset(train, cfg, shuffle=True), to_dataset(held, cfg)
    model = make_model(train, cfg)
    Trainer(model, cfg["training"]).run(train_ds, held_ds, cfg["training"]["epochs"])
    risk, truth = score(model, held_ds)
    print(f"AUC {roc_auc_score(truth, risk):.3f}  Brier {brier_score_loss(truth, risk):.3f}")
    print(by_ward(held, risk, cfg))


if __name__ == "__main__":
    main()
