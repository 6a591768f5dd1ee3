#!/usr/bin/env bash
set -euo pipefail
cd "$(dirname "$0")"

export OMP_NUM_THREADS=1
NPROC=2

torchrun --standalone --nproc_per_node="$NPROC" ddp_train.py \
    --epochs 2 --hidden 128 --batch-size 32
