import sys

import keras
import yaml
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split

from churn import prep
from churn.model import build_model


def main(csv_path):
    with open("config.yaml") as fh:
        cfg = yaml.safe_load(fh)
    keras.utils.set_random_seed(cfg["seed"])

    df = prep.load_customers(csv_path, cfg)
    y = (df[cfg["target"]] == "Yes").astype("float32").to_numpy()
    tr, va, y_tr, y_va = train_test_split(
        df, y, test_size=cfg["train"]["val_fraction"], stratify=y, random_state=cfg["seed"]
    )

    pre = prep.fit_preprocessor(tr, cfg)
    X_tr = prep.to_matrix(pre, tr, cfg)
    X_va = prep.to_matrix(pre, va, cfg)
    print(f"train {X_tr.shape}  valid {X_va.shape}  churn rate {y.mean():.3f}")

    model = build_model(X_tr.shape[1], cfg)
    model.fit(
        X_tr, y_tr,
        validation_data=(X_va, y_va),
        epochs=cfg["train"]["epochs"],
        batch_size=cfg["train"]["batch_size"],
        verbose=2,
    )
    auc = roc_auc_score(y_va, model.predict(X_va, verbose=0).ravel())
    print(f"validation AUC {auc:.3f}")

    prep.save(pre, "artifacts/preprocessor.joblib")
    model.save("artifacts/churn.keras")


if __name__ == "__main__":
    main(sys.argv[1])
