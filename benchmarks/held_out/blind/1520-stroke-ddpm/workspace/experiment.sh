#!/usr/bin/env bash
# one full experiment: train, then draw a few strokes of each shape
set -euo pipefail

WIDTH=48
STEPS=60
CKPT=out/strokes_w${WIDTH}.pt

python train.py --width 64 --steps "$STEPS" --epochs 12 --out "$CKPT"
python sample.py "$CKPT" --width "$WIDTH" --guidance 1.5 -n 8
