import keras
import yaml

from gesture.network import build
from gesture.signals import make_set

with open("settings.yaml") as f:
    cfg = yaml.safe_load(f)

keras.utils.set_random_seed(4)
x, y = make_set(cfg, seed=0)
model = build(cfg)
model.compile(
    optimizer=keras.optimizers.Adam(3e-3),
    loss="sparse_categorical_crossentropy",
    metrics=["accuracy"],
)
model.fit(
    x, y, batch_size=cfg["batch_size"], epochs=cfg["epochs"], validation_split=0.2, verbose=2
)
model.save(cfg["model_path"])
print("saved", cfg["model_path"])
