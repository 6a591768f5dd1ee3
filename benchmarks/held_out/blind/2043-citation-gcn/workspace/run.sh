#!/usr/bin/env bash
set -euo pipefail
python prepare.py --raw raw --out data/graph.npz --min-count 3
python train_gcn.py --data data/graph.npz --epochs 100
