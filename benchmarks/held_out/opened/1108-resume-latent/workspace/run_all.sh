#!/bin/sh
# stage 1: short warm-up; stage 2: resume with a higher beta; then draw samples
set -e
RUN=runs/beta_vae
mkdir -p "$RUN"

python train.py --latent-dim 8 --hidden 64 --epochs 2 --beta 0.5 --ckpt "$RUN/last.pt"
python train.py --latent-dim 16 --hidden 64 --epochs 4 --beta 1.0 --ckpt "$RUN/last.pt" --resume
python sample.py "$RUN/last.pt" --n 3
