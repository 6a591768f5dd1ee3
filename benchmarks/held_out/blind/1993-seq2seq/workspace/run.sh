#!/usr/bin/env bash
# train and decode the toy en-de system
set -e

CKPT=${CKPT:-ende.pt}

echo "== training"
python train.py --src en --tgt de --min-freq 1 \
    --emb 24 --hidden 32 \
    --epochs 8 --batch-size 16 --lr 5e-3 \
    --ckpt "$CKPT"

echo "== decoding test"
python translate.py --src en --tgt de \
    --emb 24 --hidden 32 \
    --split test --max-len 10 \
    --ckpt "$CKPT"
