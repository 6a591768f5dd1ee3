#!/bin/bash
set -eu

TEACHER=runs/exp2/teacher.pt

if [ ! -f "$TEACHER" ]; then
    python train_teacher.py --width 96 --epochs 3 --out "$TEACHER"
fi

python distill.py \
    --teacher "$TEACHER" \
    --teacher-width 96 \
    --student-width 12 \
    --temprature 3.0 \
    --alpha 0.7 \
    --epochs 3
