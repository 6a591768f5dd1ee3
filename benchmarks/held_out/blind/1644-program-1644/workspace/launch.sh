#!/bin/bash
export OMP_NUM_THREADS=1 GLOO_SOCKET_IFNAME=lo
torchrun --standalone --nproc_per_node=2 train_ddp.py --epochs 30 --patience 3 "$@"
