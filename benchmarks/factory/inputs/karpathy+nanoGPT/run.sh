#!/usr/bin/env bash
set -euo pipefail
python data/shakespeare_char/prepare.py
python train.py config/train_tiny.py --max_iters=20 --lr_decay_iters=20 --always_save_checkpoint=True
python sample.py --out_dir=out-tiny --device=cpu --dtype=float32 --num_samples=2 --max_new_tokens=40 --start="The "
