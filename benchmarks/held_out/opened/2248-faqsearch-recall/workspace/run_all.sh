#!/usr/bin/env bash
# train the two towers, embed the answers, check recall on held-out questions
set -euo pipefail
cd "$(dirname "$0")"

MODEL=build/towers.pt
INDEX=build/answers.npy
DIM=64

mkdir -p build
python -m faqsearch.train --data data --dim "$DIM" --epochs 12 --save "$MODEL"
python -m faqsearch.index --data data --dim "$DIM" --model "$MODEL" --save "$INDEX"
python -m faqsearch.evaluate --data data --dim 128 --model "$MODEL" --index "$INDEX" -k 1 -k 5
