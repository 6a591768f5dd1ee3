import json
import os
import tomllib
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import click
import keras
import numpy as np

from router.layers import EncoderBlock, TokenAndPosition, WarmupCosine
from router.vocab import encode, fit_vocab, read_jsonl


def build(vocab_size, n_classes, length, dim, heads, ff_dim, blocks, rate):
    ids = keras.Input((length,), dtype="int32", name="ids")
    x = TokenAndPosition(vocab_size, length, dim, name="embed")(ids)
    for i in range(blocks):
        x = EncoderBlock(heads, ff_dim, rate, name=f"block_{i}")(x)
    x = keras.layers.GlobalAveragePooling1D(name="pool")(x)
    return keras.Model(ids, keras.layers.Dense(n_classes, name="logits")(x), name="router")


@click.command()
@click.option("--config", default="config.toml", type=click.Path(exists=True))
@click.option("--out", default="artifacts", type=click.Path(file_okay=False))
def main(config, out):
    cfg = tomllib.loads(Path(config).read_text())
    keras.utils.set_random_seed(3)
    rows = read_jsonl(cfg["data"]["path"])
    queues = sorted({r["queue"] for r in rows})
    vocab = fit_vocab([r["text"] for r in rows], cfg["data"]["max_tokens"])
    x = encode([r["text"] for r in rows], vocab, cfg["data"]["length"])
    y = np.array([queues.index(r["queue"]) for r in rows])
    n_val = len(rows) // 5

    model = build(len(vocab) + 2, len(queues), cfg["data"]["length"], **cfg["model"])
    f = cfg["fit"]
    total = f["epochs"] * ((len(rows) - n_val) // f["batch_size"] + 1)
    model.compile(
        keras.optimizers.Adam(WarmupCosine(f["peak_lr"], f["warmup"], total)),
        keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    model.fit(x[n_val:], y[n_val:], validation_data=(x[:n_val], y[:n_val]),
              epochs=f["epochs"], batch_size=f["batch_size"], verbose=2)

    out = Path(out)
    out.mkdir(exist_ok=True)
    model.save(out / "router.keras")
    (out / "vocab.json").write_text(json.dumps({"vocab": vocab, "queues": queues,
                                                "length": cfg["data"]["length"]}))
    click.echo(f"saved to {out}/router.keras")


if __name__ == "__main__":
    main()
