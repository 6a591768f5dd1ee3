#!/bin/sh
set -eu
export RUN_DIR="${RUN_DIR:-runs/dev}"
mkdir -p "$RUN_DIR"
python build_vocab.py --reviews data/reviews.tsv --out "$RUN_DIR/vocab.txt" --min-count 1
python finetune.py --config config.json --vocab "$RUN_DIR/vocab.txt"
