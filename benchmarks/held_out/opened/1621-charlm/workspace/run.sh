#!/usr/bin/env bash
set -euo pipefail
python train.py --config config.toml --out runs/latest
python sample.py --run runs/latest --seed 3
