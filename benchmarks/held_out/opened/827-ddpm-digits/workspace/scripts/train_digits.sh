#!/usr/bin/env bash
# train the small pixel model, then sample a grid
export OMP_NUM_THREADS=1
OUT=runs/digits

python train.py \
  --out_dir $OUT \
  --timesteps 100 \
  --schedule linear \
  --beta_start 1e-4 --beta_end 0.05 \
  --channels 16 \
  --iters 60 \
  --batch 64 \
  --lr 2e-3 &&
python sample.py --ckpt $OUT/model.pt --n 8
