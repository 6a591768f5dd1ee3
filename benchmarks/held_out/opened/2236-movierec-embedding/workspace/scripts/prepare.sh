#!/usr/bin/env bash
# raw event dump -> ratings table (one header, no duplicates, oldest first)
set -eu
RAW=data/raw/events.csv
OUT=data/ratings.csv

head -n 1 "$RAW" | cut -d, -f2-5 > "$OUT"
tail -n +2 "$RAW" | sort -t, -k5,5n | cut -d, -f2-5 | uniq >> "$OUT"
echo "$(($(wc -l < "$OUT") - 1)) ratings in $OUT"
