#!/usr/bin/env bash
# usage: ./run.sh MODEL
set -e
cd "$(dirname "$0")"
MODEL=${1:-sasrec}
export REC_EPOCHS=4
export REC_BATCH_SIZE=128
python train.py "$MODEL"
python evaluate.py "$MODEL"
