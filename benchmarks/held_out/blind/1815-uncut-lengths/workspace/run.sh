#!/bin/bash
# train the matcher, then link the new queries to the registry
set -e
cd "$(dirname "$0")"
python namematch.py train --pairs data/pairs.csv --out matcher.pt
python namematch.py link --weights matcher.pt --registry data/registry.tsv --queries data/queries.tsv --top 2
