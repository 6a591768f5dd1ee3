#!/usr/bin/env bash
# usage: ./run_year.sh [year]
set -euo pipefail

YEAR="${1:-2024}"
CLAIMS="data/claims_${YEAR}.csv"
ART="artifacts/${YEAR}"

echo "== claims ${YEAR} =="
python fit_encoder.py --claims "$CLAIMS" --out "$ART/encoder.joblib"

python fit_model.py \
    --claims "$CLAIMS" \
    --encoder "$ART/encoder.joblib" \
    --out "$ART/model.joblib"

python score.py \
    --claims "$CLAIMS" \
    --encoder "artifacts/2023/encoder.joblib" \
    --model "$ART/model.joblib" \
    --out "$ART/scores.csv"
echo "done: $ART"
