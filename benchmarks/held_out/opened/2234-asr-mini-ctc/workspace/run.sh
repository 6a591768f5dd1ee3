#!/bin/bash
# full recipe: waveforms -> features + CTC training

DATA=data
EXP=exp/ctc_small

python scripts/synth_wav.py --transcripts $DATA/transcripts.csv --out $DATA/wav.npz

python -m asr.train \
    --transcripts $DATA/transcripts.csv \
    --wav $DATA/wav.npz \
    --epochs 2 --batch-size 8 \
    --hidden 64 --lr 2e-3 \
    --exp-dir $EXP
