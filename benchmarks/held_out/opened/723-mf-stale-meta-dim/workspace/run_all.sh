#!/bin/bash
# split -> train -> evaluate
set -e
DATA=${DATA:-data/ratings.csv}
WORK=${WORK:-work}

mkdir -p $WORK
echo "== prepare"
python prepare.py --ratings $DATA --out $WORK --test-ratio 0.2
echo "== train"
python train_mf.py --work $WORK --dim 8 --epochs 12 --lr 0.03
echo "== evaluate"
python evaluate.py --work $WORK --model $WORK/mf.pt --k 5
