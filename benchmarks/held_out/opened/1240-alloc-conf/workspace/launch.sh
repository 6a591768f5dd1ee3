#!/bin/bash
set -eu

export CUDA_DEVICE_ORDER=PCI_BUS_ID
export NVIDIA_TF32_OVERRIDE=1
# variable expert batches fragment the caching allocator
export PYTORCH_CUDA_ALLOC_CONF="expandable_segments:true,garbage_collection_threshold:0.8"

exec python train_moe.py --experts 8 --top-k 2 --steps "${STEPS:-60}"
