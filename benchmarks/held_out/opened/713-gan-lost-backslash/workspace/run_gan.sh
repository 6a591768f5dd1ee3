#!/usr/bin/env bash
# a longer run with fewer modes
set -euo pipefail
cd "$(dirname "$0")"
SEED=${SEED:-4}
python gan_train.py \
    --n_modes 6 \
    --iters 150
    --lr_g 2e-4 \
    --lr_d 2e-4 \
    --betas 0.5 0.99 \
    --seed "$SEED"
echo "gan run finished"
