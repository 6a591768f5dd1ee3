import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import sys

import keras
import numpy as np
import yaml
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

import prep
from model import build

cfg = yaml.safe_load(open(sys.argv[1] if len(sys.argv) > 1 else "config.yaml"))
keras.utils.set_random_seed(cfg["seed"])

df, y = prep.load(cfg)
print(f"{len(df)} rows, {y.mean():.3f} positive")
oof = np.zeros(len(df))

skf = StratifiedKFold(cfg["folds"], shuffle=True, random_state=cfg["seed"])
for k, (tr, va) in enumerate(skf.split(df, y)):
    cats = prep.CatEncoder(cfg["cat"], cfg["rare_below"]).fit(df.iloc[tr])
    nums = prep.NumScaler(cfg["num"]).fit(df.iloc[tr])

    def feed(idx):
        part = df.iloc[idx]
        d = cats.transform(part)
        d["num"] = nums.transform(part)
        return d

    sizes = cats.sizes()
    if k == 0:
        print("embedding sizes", sizes)
    net = build(sizes, len(cfg["num"]), cfg)
    hist = net.fit(
        feed(tr), y[tr],
        validation_data=(feed(va), y[va]),
        batch_size=cfg["batch_size"], epochs=cfg["epochs"], verbose=2,
        callbacks=[keras.callbacks.EarlyStopping("val_auc", mode="max", patience=3, restore_best_weights=True)],
    )
    oof[va] = net.predict(feed(va), verbose=0)[:, 0]
    print(f"fold {k}: auc {roc_auc_score(y[va], oof[va]):.4f}")
    keras.backend.clear_session()

print(f"OOF auc {roc_auc_score(y, oof):.4f}")
np.save("oof.npy", oof)
