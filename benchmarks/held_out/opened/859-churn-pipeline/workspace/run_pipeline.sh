#!/bin/sh
set -e
python -m churn.prepare --params params.yaml
python -m churn.train --params params.yaml
python -m churn.report --params params.yaml
