#!/usr/bin/env bash
set -euo pipefail

ART=artifacts
python -m churnpipe.clean --raw data/raw.csv --out "$ART/clean.csv" --config params.yaml
python -m churnpipe.fit --data "$ART/clean.csv" --config params.yaml --model "$ART/model.joblib"
python -m churnpipe.score --data data/new.csv --config params.yaml --model "$ART/model.pkl" --out "$ART/scores.csv"
echo "pipeline done"
