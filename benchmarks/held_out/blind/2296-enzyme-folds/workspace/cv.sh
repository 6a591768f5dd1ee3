#!/bin/bash
# five-fold cross validation, one run per fold
set -eu

FOLDS=5
OUT=results
export JAX_PLATFORMS=cpu

mkdir -p "$OUT"
for fold in $(seq 1 $FOLDS); do
    python fit.py --fold "$fold" --folds "$FOLDS" --steps 150 --out "$OUT/fold_$fold.json"
done
python summary.py "$OUT"
