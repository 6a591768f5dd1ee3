#!/bin/sh
# ablation: with the virtual atom
set -e
python main.py --virtual-atom --dim 32 --depth 3 --epochs 6 "$@"
