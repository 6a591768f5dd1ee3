#!/usr/bin/env bash
set -e
export KERAS_BACKEND=tensorflow
export TF_CPP_MIN_LOG_LEVEL=2
python train_churn.py --out artifacts/churn.keras --epochs 3
python score_churn.py --model artifacts/churn.keras --rows 500
