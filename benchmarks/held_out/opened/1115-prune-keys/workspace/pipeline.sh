#!/usr/bin/env bash
set -e
python compress.py --out student.pt --amounts 0.2 0.2
python deploy.py student.pt
