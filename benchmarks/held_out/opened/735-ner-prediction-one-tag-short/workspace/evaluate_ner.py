#!/usr/bin/env python
"""Score predicted entity spans against the gold file.

Usage: evaluate_ner.py GOLD PRED [--labels labels.json]
"""
import argparse
import logging

from nereval.io import read_jsonl, read_labels
from nereval.scoring import Scorer
from nereval.table import render

logger = logging.getLogger("nereval")


def main(argv=None):
    ap = argparse.ArgumentParser()
    ap.add_argument("gold")
    ap.add_argument("pred")
    ap.add_argument("--labels", default="labels.json")
    args = ap.parse_args(argv)
    logging.basicConfig(level=logging.INFO, format="%(levelname)s:%(name)s:%(message)s")
    labels = read_labels(args.labels)
    gold, pred = read_jsonl(args.gold), read_jsonl(args.pred)
    logger.info("%d gold documents, %d predicted, %d labels", len(gold), len(pred), len(labels))
    scorer = Scorer(labels)
    for doc_id, doc in gold.items():
        scorer.add(doc, pred[doc_id])
    print(render(scorer.results()))


if __name__ == "__main__":
    main()
