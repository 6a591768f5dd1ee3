#!/usr/bin/env bash
# full run for station K2
set -euo pipefail

STATION=data/station_k2.csv
LOOKBACK=36
LEAD=2

python -m tremor prepare $STATION --lookback $LOOKBACK --lead $LEAD --out work/windows.npz
python -m tremor train work/windows.npz --epochs 15 --hidden 24
