import sys
from pathlib import Path

import joblib
import numpy as np
from sklearn.metrics import average_precision_score, classification_report, roc_auc_score


def main(build):
    model = joblib.load(build / "model.joblib")
    d = np.load(build / "test.npz")
    X, y = d["X"], d["y"]
    proba = model.predict_proba(X)[:, 1]
    report = classification_report(y, proba > 0.5, target_names=["kept", "lapsed"], digits=3)
    lines = [f"roc auc {roc_auc_score(y, proba):.3f}", f"average precision {average_precision_score(y, proba):.3f}", report]
    (build / "report.txt").write_text("\n".join(lines))
    print("\n".join(lines))


main(Path(sys.argv[1]))
