#!/bin/bash
# full pipeline: picks -> arrays -> model
set -e
WORK=work/alps
python prepare.py --out "$WORK" --min-picks 12
python fit.py "$WORK" 12
