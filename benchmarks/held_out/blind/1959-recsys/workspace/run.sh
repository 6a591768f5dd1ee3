#!/usr/bin/env bash
# full pipeline: vocab -> train -> report
set -euo pipefail

CONF=${CONF:-conf.json}
PY=${PY:-python}

mkdir -p cache runs

$PY build_vocab.py --ratings data/ratings_2023.csv --min-count 3 --out cache/vocab.json
$PY train.py --conf "$CONF" --out runs/sasrec
