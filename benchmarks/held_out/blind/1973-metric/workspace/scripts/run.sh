#!/bin/sh
# digits retrieval, proxy experiment for the parts catalogue
cd "$(dirname "$0")/.." || exit 1
python main.py --epochs 4 --P 8 --K 6 --margin 0.3 --lr 1e-3 --embed-dim 48 --tag d48 "$@"
