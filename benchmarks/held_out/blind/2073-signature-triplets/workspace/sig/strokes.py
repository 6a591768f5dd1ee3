"""Pen strokes of a few writers as (T, 3) sequences: dx, dy, pressure."""
import numpy as np

LENGTH = 40


def writer_style(writer):
    rng = np.random.default_rng(1000 + writer)
    return {"freq": rng.uniform(0.5, 3, 3), "amp": rng.uniform(0.3, 1, 3), "phase": rng.uniform(0, 6, 3)}


def signature(writer, rng):
    s = writer_style(writer)
    t = np.linspace(0, 2 * np.pi, LENGTH)
    speed = rng.normal(1, 0.03)
    cols = [a * np.sin(f * speed * t + p) for f, a, p in zip(s["freq"], s["amp"], s["phase"])]
    return (np.stack(cols, 1) + 0.1 * rng.standard_normal((LENGTH, 3))).astype(np.float32)


def collect(writers, per_writer, seed):
    rng = np.random.default_rng(seed)
    data = [(signature(w, rng), w) for w in writers for _ in range(per_writer)]
    return [x for x, _ in data], [w for _, w in data]
