import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import keras

import config as cfg
from dataset import load
from network import build_network


def main():
    keras.utils.set_random_seed(cfg.SEED)
    (x_tr, y_tr), (x_va, y_va) = load()
    print(f"train {x_tr.shape}  val {x_va.shape}  positive rate {y_tr.mean():.3f}")
    model = build_network(x_tr.shape[1])
    model.fit(
        x_tr,
        y_tr,
        validation_data=(x_va, y_va),
        batch_size=cfg.BATCH_SIZE,
        epochs=cfg.EPOCHS,
        verbose=2,
    )
    scores = model.evaluate(x_va, y_va, verbose=0, return_dict=True)
    print("validation:", {k: round(float(v), 4) for k, v in scores.items()})


if __name__ == "__main__":
    main()
