#!/bin/bash
set -e
cd "$(dirname "$0")"
[ -f reviews.tsv ] || python make_reviews.py
python prepare.py --min-freq 3 --max-len 16
python train.py --epochs 3 --batch-size 32
