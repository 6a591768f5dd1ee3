#!/usr/bin/env bash
set -euo pipefail
python pretrain.py encoder.pt hidden=48 epochs=4
python identify.py encoder.pt lr=0.005 epochs=5
