#!/usr/bin/env bash
set -euo pipefail
cd "$(dirname "$0")"

CONFIG=${1:-configs/base.yaml}

python scripts/fake_crops.py --out data/raw --per-class 30
python scripts/make_index.py --raw data/raw --out data/index.csv
python train.py --config "$CONFIG"
