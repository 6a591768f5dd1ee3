#!/usr/bin/env bash
# trains one policy per history length, then evaluates the best of them on the windy levels
set -euo pipefail
cd "$(dirname "$0")"

RUNS=runs
UPDATES=${UPDATES:-60}
mkdir -p "$RUNS"

for STACK in 4 1; do
    echo "== history $STACK"
    python train_a2c.py --history "$STACK" --updates "$UPDATES" --out "$RUNS/h$STACK"
done

BEST=$(python pick.py "$RUNS")
echo "== best: $BEST"
python play.py --run "$RUNS/h$BEST" --history "$STACK" --wind 0.3
