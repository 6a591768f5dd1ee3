import json
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import keras

from forecast.evaluate import report
from forecast.model import build_model
from forecast.preprocess import prepare
from forecast.series import simulate

with open("settings.json") as fh:
    cfg = json.load(fh)

keras.utils.set_random_seed(cfg["series"]["seed"])
df = simulate(**cfg["series"])
(x_train, y_train), (x_test, y_test) = prepare(df, cfg)
print("train", x_train.shape, y_train.shape, "test", x_test.shape, y_test.shape)

model = build_model(cfg["window"], len(cfg["features"]), cfg["horizon"], **cfg["model"])
model.fit(x_train, y_train, validation_split=0.1, verbose=2, **cfg["fit"])
report(model, x_test, y_test, cfg["artifacts"])
