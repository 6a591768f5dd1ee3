#!/usr/bin/env bash
# 2 processes on this machine
set -e
export OMP_NUM_THREADS=1
NPROC=${NPROC:-2}
torchrun --standalone --nproc_per_node=$NPROC main_ddp.py \
    --epochs 2 \
    --global-batch 64 \
    --lr 0.05 \
    --ckpt model_last.pt
