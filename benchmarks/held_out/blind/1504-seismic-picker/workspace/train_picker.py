import json
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
import numpy as np
import tensorflow as tf
import yaml

from picker import PhasePicker
from wavesynth import event_record, soft_target


def load_catalogue(cfg):
    meta = json.load(open(cfg["stations"]))
    wf = cfg["waveforms"]
    rng = np.random.default_rng(cfg["seed"])
    parts = {"train": [], "holdout": []}
    for _ in range(wf["n_events"]):
        for st in meta["stations"]:
            counts, p, s = event_record(rng, st, wf["window"], wf["sampling_rate"])
            y = soft_target(wf["window"], p, s, wf["pick_sigma"])
            part = "holdout" if st["code"] in cfg["fit"]["holdout"] else "train"
            parts[part].append((counts, np.float32(st["gain"]), y, np.int32([p, s])))
    return {k: tuple(np.stack(c) for c in zip(*v)) for k, v in parts.items()}


def to_velocity(counts, gain, y, picks):
    v = tf.cast(counts, tf.float32) / gain[None, :]
    v = v - tf.reduce_mean(v, axis=0, keepdims=True)
    v = v / tf.math.reduce_std(v)
    return v, y, picks


def main(path):
    cfg = yaml.safe_load(open(path))
    tf.keras.utils.set_random_seed(cfg["seed"])
    fit = cfg["fit"]
    data = load_catalogue(cfg)
    train = (
        tf.data.Dataset.from_tensor_slices(data["train"])
        .shuffle(512, seed=cfg["seed"])
        .map(to_velocity)
        .batch(fit["batch"], drop_remainder=True)
    )
    hold = tf.data.Dataset.from_tensor_slices(data["holdout"]).map(to_velocity).batch(fit["batch"])
    model = PhasePicker(**cfg["unet"])
    opt = tf.keras.optimizers.Adam(fit["lr"])

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            logits = model(x, training=True)
            ce = tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=logits)
            weight = 1.0 + 10.0 * (1.0 - y[..., 0])
            loss = tf.reduce_sum(ce * weight) / tf.reduce_sum(weight)
        grads = tape.gradient(loss, model.trainable_variables)
        opt.apply_gradients(zip(grads, model.trainable_variables))
        return loss

    for epoch in range(fit["epochs"]):
        mean = tf.keras.metrics.Mean()
        for x, y, _ in train:
            mean.update_state(step(x, y))
        err, hit, n = np.zeros(2), np.zeros(2), 0
        for x, _, picks in hold:
            prob = tf.nn.softmax(model(x))
            guess = tf.argmax(prob[..., 1:], axis=1).numpy()
            d = np.abs(guess - picks.numpy()) / cfg["waveforms"]["sampling_rate"]
            err, hit, n = err + d.sum(0), hit + (d < 0.1).sum(0), n + len(d)
        print(
            f"epoch {epoch + 1}: loss {float(mean.result()):.4f}  "
            f"P mae {err[0] / n:.3f}s hit {hit[0] / n:.2f}  S mae {err[1] / n:.3f}s hit {hit[1] / n:.2f}",
            flush=True,
        )
    print("holdout stations:", ", ".join(fit["holdout"]))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "settings.yaml")
