import argparse
from pathlib import Path

import keras
import numpy as np

import layers  # noqa: F401
from accounts import NUMERIC, make_accounts


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--model", type=Path, required=True)
    ap.add_argument("--rows", type=int, default=1000)
    ap.add_argument("--threshold", type=float, default=0.5)
    args = ap.parse_args()

    model = keras.saving.load_model(args.model)
    frame = make_accounts(args.rows, seed=99)
    score = model.predict(frame[NUMERIC].to_numpy(np.float32), verbose=0)[:, 0]
    frame["score"] = score
    flagged = frame[frame["score"] >= args.threshold]
    print(f"{len(flagged)} of {len(frame)} accounts flagged, precision {flagged['churned'].mean():.3f}")


if __name__ == "__main__":
    main()
