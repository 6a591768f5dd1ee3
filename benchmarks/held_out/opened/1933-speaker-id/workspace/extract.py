"""Stage 1: raw/*.json recordings -> work/feats.npz and work/manifest.csv

The recordings hold formant tracks as the phonetics lab exported them.
"""
import csv
import json
import pathlib

import numpy as np

WORK = pathlib.Path("work")


def features(rec):
    tracks = np.asarray(rec["formants"], dtype=np.float32)       # frames x 3, Hz
    f0 = np.asarray(rec["f0"], dtype=np.float32)
    x = np.column_stack([np.log(f0), np.log(tracks)])
    d = np.gradient(x, axis=0)
    return np.concatenate([x, d], axis=1)


def main():
    WORK.mkdir(exist_ok=True)
    store, rows = {}, []
    for path in sorted(pathlib.Path("raw").glob("*.json")):
        for rec in json.loads(path.read_text())["recordings"]:
            utt = f"{path.stem}_{rec['take']}"
            store[utt] = features(rec)
            rows.append([utt, path.stem, rec["take"], len(store[utt])])
    np.savez_compressed(WORK / "feats.npz", **store)
    with open(WORK / "manifest.csv", "w", newline="") as f:
        w = csv.writer(f)
        w.writerow(["utt", "speaker", "take", "frames"])
        w.writerows(rows)
    print(f"extracted {len(rows)} takes of {len({r[1] for r in rows})} speakers")


if __name__ == "__main__":
    main()
