import json
import sys
from pathlib import Path

import numpy as np

rows = [json.loads(p.read_text()) for p in sorted(Path(sys.argv[1]).glob("fold_*.json"))]
for key in ("rho", "rmse"):
    v = np.array([r[key] for r in rows])
    print(f"{key:5s} {v.mean():.3f} +- {v.std(ddof=1):.3f} over {len(v)} folds")
