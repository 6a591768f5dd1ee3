#!/bin/sh
export TOKENIZERS_PARALLELISM=false
exec python train_clm.py \
    --output_dir out/recipes \
    --block_size 32 \
    --num_train_epochs 2 \
    --per_device_train_batch_size 8 \
    --learning_rate 2e-3 \
    --save_strategy no \
    --report_to none \
    --logging_steps 5 \
    --disable_tqdm true \
    --use_cpu true
