#!/usr/bin/env bash
# run from the project root: bash scripts/pretrain.sh
set -euo pipefail

NUM_IMAGES=384
BATCH=48
EPOCHS=8
LR=3e3
TEMP=0.2

python pretrain.py \
    --num-images $NUM_IMAGES \
    --batch-size $BATCH \
    --epochs $EPOCHS \
    --lr $LR \
    --temperature $TEMP \
    --seed 7
