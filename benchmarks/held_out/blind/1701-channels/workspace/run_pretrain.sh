#!/bin/bash
set -e
EPOCHS=${EPOCHS:-3}

python make_recordings.py --out recordings.npz --subjects 6 --channels 9 --length 128
python pretrain.py --data recordings.npz --channels 6 --epochs "$EPOCHS" --batch-size 48 --temperature 0.2 --save encoder.pt
python probe.py --data recordings.npz --encoder encoder.pt --channels 6
