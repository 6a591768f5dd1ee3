#!/bin/sh
# wider per-point layers than the default
SEED=${1:-0}
python main.py \
  --points 96 \
  --mlp 32 48 96 \
  --fc 48 \
  --epochs 5 \
  --batch 16 \
  --lr 2e-3 \
  --seed $SEED
