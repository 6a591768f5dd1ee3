#!/bin/bash
# Trains from the root of the checkout.
set -e
HIDDEN=${HIDDEN:-16}
EPOCHS=${EPOCHS:-15}
export PYTHONPATH=.
python pygcn/train.py --epochs "$EPOCHS" --hidden "$HIDDEN" --lr 0.01 --seed 42
