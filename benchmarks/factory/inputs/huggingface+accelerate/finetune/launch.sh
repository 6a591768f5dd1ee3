#!/bin/bash
# fine-tune through accelerate's launcher
set -euo pipefail
EPOCHS=${EPOCHS:-3}
ACCUMULATE=2

python -m accelerate.commands.accelerate_cli launch \
    --config_file finetune/cpu.yaml \
    finetune/train.py \
    --data finetune/reviews.jsonl \
    --epochs "$EPOCHS" \
    --gradient_accumulation_steps $ACCUMULATE \
    --learning_rate 0.01
