#!/usr/bin/env bash
# JAX tide predictor, CPU only
export JAX_PLATFORMS=cpu
exec python -u predict.py --lags 12 --width 24 --steps 300 --clip 1.0 tides.csv
