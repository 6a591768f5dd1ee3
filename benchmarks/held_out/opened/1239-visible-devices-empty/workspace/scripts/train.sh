#!/usr/bin/env bash
# usage: scripts/train.sh [options of span_train.py]
set -e

GPU_ID=${GPU_ID:-0}
RUN_NAME="span-$(date +%m%d)"

export TOKENIZERS_PARALLELISM=false
export CUDA_VISIBLE_DEVICES="${GPU_IDS}"

echo "run ${RUN_NAME} on GPU ${GPU_ID}"
python span_train.py --run-name "${RUN_NAME}" "$@"
