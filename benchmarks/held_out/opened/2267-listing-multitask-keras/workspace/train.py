#!/usr/bin/env python3
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import keras

import schema
from listings import make_listings, split
from network import build

keras.utils.set_random_seed(1)
(x_train, y_train), (x_test, y_test) = split(*make_listings(), fraction=0.8)

model = build()
model.compile(
    optimizer="adam",
    loss={k: h["loss"] for k, h in schema.HEADS.items()},
    loss_weights={k: h["weight"] for k, h in schema.HEADS.items()},
    metrics={"price": ["mae"], "quality": ["accuracy"]},
)
model.fit(x_train, y_train, epochs=3, batch_size=32, verbose=2)

scores = model.evaluate(x_test, y_test, verbose=0, return_dict=True)
for name in sorted(scores):
    print(f"{name:24s} {scores[name]:.3f}")
