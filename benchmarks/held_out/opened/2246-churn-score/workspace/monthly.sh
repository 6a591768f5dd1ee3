#!/bin/sh
set -e
python fit.py
python score.py data/score_2025q1.csv
