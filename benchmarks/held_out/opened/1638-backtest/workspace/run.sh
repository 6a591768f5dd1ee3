#!/usr/bin/env bash
set -euo pipefail
export TF_CPP_MIN_LOG_LEVEL=2
python fit.py --epochs 3
python backtest.py
