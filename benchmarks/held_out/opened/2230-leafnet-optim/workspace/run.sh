#!/usr/bin/env bash
set -euo pipefail

CONFIG=${1:-configs/base.yaml}

python scripts/make_crops.py --out data/crops.npz --per-class 33
python -m leafnet.train --config "$CONFIG"
