#!/bin/sh
set -e
[ -d requests ] || python make_data.py
python ddp_train.py --data requests --world-size "${WORLD_SIZE:-2}" --epochs 4
