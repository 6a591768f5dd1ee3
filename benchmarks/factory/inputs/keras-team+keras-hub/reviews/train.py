"""Classify token sequences with a small transformer from the library's layers and backbones."""
import argparse
import json

import keras
import keras_hub
import numpy as np


def load(options, count, seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(2, size=count)
    tokens = rng.integers(3, options["vocabulary_size"], size=(count, options["length"]))
    lengths = rng.integers(options["length"] // 2, options["length"] + 1, size=count)
    marker = 1 + labels
    tokens[np.arange(count), rng.integers(0, lengths)] = marker
    padding_mask = np.arange(options["length"]) < lengths[:, None]
    tokens[~padding_mask] = 0
    return {"token_ids": tokens, "padding_mask": padding_mask}, labels


def build_layers(options):
    token_ids = keras.Input(shape=(options["length"],), dtype="int32", name="token_ids")
    padding_mask = keras.Input(shape=(options["length"],), dtype="bool", name="padding_mask")
    x = keras_hub.layers.TokenAndPositionEmbedding(
        vocabulary_size=options["vocabulary_size"], sequence_length=options["length"],
        embedding_dim=options["hidden_dim"],
    )(token_ids)
    for _ in range(options["num_layers"]):
        x = keras_hub.layers.TransformerEncoder(
            intermediate_dim=options["intermediate_dim"], num_heads=options["num_heads"],
            dropout=options["dropout"],
        )(x, padding_mask=padding_mask)
    x = keras.layers.GlobalMaxPooling1D()(x)
    outputs = keras.layers.Dense(2)(x)
    return keras.Model([token_ids, padding_mask], outputs)


def build_backbone(options):
    backbone = keras_hub.models.RobertaBackbone(
        vocabulary_size=options["vocabulary_size"], num_layers=options["num_layers"],
        num_heads=options["num_heads"], hidden_dim=options["hidden_dim"],
        intermediate_dim=options["intermediate_dim"], dropout=options["dropout"],
        max_sequence_length=options["length"],
    )
    pooled = keras.layers.GlobalMaxPooling1D()(backbone.output)
    return keras.Model(backbone.input, keras.layers.Dense(2)(pooled))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default="reviews/config.json")
    parser.add_argument("--kind", default="layers", choices=["layers", "backbone"])
    args = parser.parse_args()
    with open(args.config) as file:
        config = json.load(file)

    build = {"layers": build_layers, "backbone": build_backbone}[args.kind]
    model = build(config["model"])
    steps = config["epochs"] * config["train_size"] // config["batch_size"]
    schedule = keras.optimizers.schedules.CosineDecay(config["learning_rate"], steps)
    model.compile(
        optimizer=keras.optimizers.AdamW(schedule, weight_decay=0.01),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=[keras.metrics.SparseCategoricalAccuracy(name="accuracy")],
    )
    train_x, train_y = load(config["model"], config["train_size"], seed=0)
    test_x, test_y = load(config["model"], config["test_size"], seed=1)
    model.fit(
        train_x, train_y, validation_data=(test_x, test_y), batch_size=config["batch_size"],
        epochs=config["epochs"], verbose=2,
    )
    loss, accuracy = model.evaluate(test_x, test_y, verbose=0)
    print(f"test loss {loss:.4f}, test accuracy {accuracy:.4f}")


if __name__ == "__main__":
    main()
