import argparse
import json
from pathlib import Path

import numpy as np

from spamlib.logreg import LogisticRegression
from spamlib.pca import PCA


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--features", required=True)
    ap.add_argument("--components", type=int, default=10)
    ap.add_argument("--lr", type=float, default=0.1)
    ap.add_argument("--l2", type=float, default=0.0)
    ap.add_argument("--iters", type=int, default=200)
    ap.add_argument("--out-dir", type=Path, default=Path("runs/default"))
    args = ap.parse_args()

    d = np.load(args.features)
    pca = PCA(args.components).fit(d["X_train"])
    print(f"pca: {args.components} components explain {pca.explained:.1%} of the variance")
    clf = LogisticRegression(args.lr, args.l2, args.iters)
    clf.fit(pca.transform(d["X_train"]), d["y_train"], log_every=args.iters // 4)

    args.out_dir.mkdir(parents=True, exist_ok=True)
    np.savez(args.out_dir / "model.npz", mean=pca.mean, components=pca.components, w=clf.w, b=clf.b)
    (args.out_dir / "args.json").write_text(json.dumps(vars(args), default=str, indent=1))
    print(f"saved {args.out_dir}/model.npz")


if __name__ == "__main__":
    main()
