#!/bin/bash
# features and training in one go
set -e
OUT=${1:-records}
CEPS=13

python make_records.py --out "$OUT" --n-ceps $CEPS --deltas
python train.py --records "$OUT" --frames 14 --dim $CEPS --epochs 5
