#!/usr/bin/env bash
# usage: ./run.sh [size] [out]
set -euo pipefail
SIZE="${1:-48}"
OUT="${2:-out}"
CLASSES=6

mkdir -p "$OUT"
python make_shards.py --size "$SIZE" --num-classes "$CLASSES" --per-class 40 --out "$OUT/shards"

python train.py \
    --shards "$OUT/shards" \
    --num-classes "$CLASSES" \
    --dim 64 --depth 3 \
    --epochs 5 \
    --save "$OUT/mixer.pt"
