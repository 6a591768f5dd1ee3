#!/usr/bin/env bash
set -euo pipefail
EPOCHS=${EPOCHS:-4}
python train.py -p 8 -k 4 --holdout 0.2 --epochs "$EPOCHS" --margin 0.3
