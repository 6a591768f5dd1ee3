#!/usr/bin/env bash
# behaviour cloning on the scripted expert, then policy gradient from that checkpoint
set -e

HIDDEN=64
SEED=2
OUT=checkpoints
mkdir -p $OUT

python clone.py    --hidden $HIDDEN --seed $SEED --save $OUT/bc.pt
python finetune.py --seed $SEED --init $OUT/bc.pt --save $OUT/pg.pt
