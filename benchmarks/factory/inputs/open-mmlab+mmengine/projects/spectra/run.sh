#!/bin/bash
# train on the small configuration
set -e
export PYTHONPATH="$PWD:$PYTHONPATH"
WORK_DIR=${WORK_DIR:-work_dirs/spectra}
EPOCHS=${EPOCHS:-4}

python projects/spectra/train.py projects/spectra/configs/conv_small.py \
    --work-dir "$WORK_DIR" \
    --cfg-options train_cfg.max_epochs=$EPOCHS train_dataloader.batch_size=16 \
        optim_wrapper.optimizer.lr=0.01
