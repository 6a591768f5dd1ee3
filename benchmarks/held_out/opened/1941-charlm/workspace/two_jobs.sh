#!/bin/bash
# The short queue kills us after a while, so one training is two jobs.
set -e
COMMON="--width 48 --steps-per-epoch 15 --ckpt ckpt.pt"

echo "== job 1"
python train.py $COMMON --epochs 4

echo "== job 2"
python train.py $COMMON --epochs 8 --resume
