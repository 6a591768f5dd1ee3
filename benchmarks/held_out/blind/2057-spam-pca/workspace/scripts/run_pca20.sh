#!/bin/bash
# Spam filter, 20 component run.  Usage: bash scripts/run_pca20.sh
export PYTHONPATH=.

EXP=runs/pca20

python make_features.py --messages data/messages.tsv --out features.npz --hash-dim 256

python train.py --features features.npz \
    --components 20 \
    --l2 0.001
    --lr 0.5 \
    --iters 400 \
    --out-dir $EXP

python evaluate.py --features features.npz --run-dir $EXP
