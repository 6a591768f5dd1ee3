#!/bin/bash
set -e
export TF_CPP_MIN_LOG_LEVEL=2
python train.py data/customers_2024.csv
python score.py data/customers_2025_01.csv --out call_list_2025_01.csv
