#!/usr/bin/env bash
# teacher -> student, both on sklearn's 8x8 digits
set -euo pipefail

EPOCHS=${EPOCHS:-5}
CKPT=teacher.safetensors

python train_teacher.py --width 64 --depth 3 \
    --epochs "$EPOCHS" --out "$CKPT"

python distill.py --teacher "$CKPT" \
    --teacher-width 48 --teacher-depth 3 \
    --student-width 12 --student-depth 2 \
    --temperature 3.0 --alpha 0.7 \
    --epochs "$EPOCHS"
