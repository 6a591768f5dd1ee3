#!/bin/bash
set -e
python -m ner.main \
    --train data/train.jsonl \
    --dev data/dev.jsonl \
    --labels data/labels.txt \
    --emb-dim 32 \
    --hidden 48 \
    --epochs 8 \
    --batch-size 6 \
    --lr 0.01 "$@"
