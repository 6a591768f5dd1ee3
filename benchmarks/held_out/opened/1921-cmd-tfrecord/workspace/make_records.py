"""Synthetic 'spoken command' clips -> cepstra -> TFRecord shards."""
import argparse
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf
from scipy.fft import dct

WORDS = ["go", "stop", "left", "right"]
SR, DUR = 4000, 0.5
FRAME, HOP = 256, 128


def clip(rng, word):
    t = np.arange(int(SR * DUR)) / SR
    k = WORDS.index(word)
    f0 = rng.normal(180, 20)
    sweep = [300, -300, 700, -700][k]
    phase = 2 * np.pi * ((600 + 150 * k) * t + sweep * t ** 2)
    env = np.exp(-((t - 0.25) / 0.12) ** 2)
    return env * (np.sin(phase) + 0.4 * np.sin(2 * np.pi * f0 * t)) + rng.normal(0, 0.05, t.size)


def cepstra(x, n):
    frames = np.lib.stride_tricks.sliding_window_view(x, FRAME)[::HOP]
    spec = np.abs(np.fft.rfft(frames * np.hanning(FRAME), axis=1)) ** 2
    bands = np.stack([b.mean(axis=1) for b in np.array_split(spec, 24, axis=1)], axis=1)
    return dct(np.log(bands + 1e-6), axis=1, norm="ortho")[:, :n]


def example(feats, label):
    return tf.train.Example(features=tf.train.Features(feature={
        "feats": tf.train.Feature(float_list=tf.train.FloatList(value=feats.astype("float32").ravel())),
        "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[label])),
    })).SerializeToString()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--out", required=True)
    ap.add_argument("--n-ceps", type=int, default=13)
    ap.add_argument("--deltas", action="store_true", help="append first differences")
    ap.add_argument("--per-word", type=int, default=60)
    a = ap.parse_args()
    os.makedirs(a.out, exist_ok=True)
    for split, seed in (("train", 1), ("valid", 2)):
        rng = np.random.default_rng(seed)
        n = a.per_word if split == "train" else a.per_word // 4
        items = []
        for w in WORDS:
            for _ in range(n):
                f = cepstra(clip(rng, w), a.n_ceps)
                if a.deltas:
                    f = np.concatenate([f, np.gradient(f, axis=0)], axis=1)
                items.append(example(f, WORDS.index(w)))
        rng.shuffle(items)
        with tf.io.TFRecordWriter(f"{a.out}/{split}.tfrecord") as w:
            for e in items:
                w.write(e)
        print(f"{split}: {len(items)} clips, {f.shape[0]} frames x {f.shape[1]}")


if __name__ == "__main__":
    main()
