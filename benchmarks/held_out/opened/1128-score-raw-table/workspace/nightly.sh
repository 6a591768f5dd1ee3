#!/usr/bin/env bash
# Rebuild the features, refit and write the call list for the retention team.
set -euo pipefail
cd "$(dirname "$0")"

PY=${PYTHON:-python}
RAW=data
BUILD=build
MODEL=$BUILD/churn.joblib

mkdir -p "$BUILD"

echo "== features"
$PY -m churn.features "$RAW/accounts.csv" "$RAW/usage.csv" "$BUILD/features.csv"

echo "== train"
$PY -m churn.cli train "$BUILD/features.csv" --seed 3 -o "$MODEL"

echo "== score"
$PY -m churn.cli score "$MODEL" "$RAW/accounts.csv" --top 25 -o "$BUILD/call_list.csv"
