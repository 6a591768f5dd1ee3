#!/usr/bin/env bash
set -euo pipefail
PY=${PYTHON:-python}

$PY train.py --iters 600 --width 64
$PY sample.py --num 512
