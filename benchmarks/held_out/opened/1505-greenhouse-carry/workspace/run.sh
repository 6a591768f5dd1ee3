#!/bin/sh
set -e
python learn.py --updates 60 --horizon 24
python audit.py out/best.pt
