import json

import joblib
from sklearn.metrics import f1_score, precision_score, recall_score

from churn.common import ensure_parent, get_params


def main():
    params = get_params()
    blob = joblib.load(params["train"]["model_file"])
    prob = blob["model"].predict_proba(blob["X_test"])[:, 1]
    pred = (prob >= params["report"]["threshold"]).astype(int)
    y = blob["y_test"]
    m = {
        "precision": precision_score(y, pred),
        "recall": recall_score(y, pred),
        "f1": f1_score(y, pred),
        "n": len(y),
    }
    with open(ensure_parent(params["report"]["out"]), "w") as fh:
        json.dump(m, fh, indent=2)
    print("report:", {k: round(v, 3) for k, v in m.items()})


if __name__ == "__main__":
    main()
