import argparse
import json
import os

import numpy as np
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed

from sentiment.data import ReviewDataset
from sentiment.tokenization import WordTokenizer


def compute_metrics(pred):
    logits, labels = pred
    return {"accuracy": float((np.argmax(logits, axis=-1) == labels).mean())}


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--config", required=True)
    ap.add_argument("--vocab", required=True)
    a = ap.parse_args()
    with open(a.config) as f:
        cfg = json.load(f)
    set_seed(7)
    tok = WordTokenizer(a.vocab, cfg["max_length"])
    labels = cfg["labels"]
    train = ReviewDataset(cfg["data"], "train", tok, labels)
    test = ReviewDataset(cfg["data"], "test", tok, labels)
    print(f"train {len(train)} test {len(test)} vocab {len(tok)}")
    model = BertForSequenceClassification(
        BertConfig(vocab_size=len(tok), num_labels=len(labels), **cfg["model"])
    )
    out = os.environ["RUN_DIR"]
    targs = TrainingArguments(output_dir=out, report_to=[], save_strategy="no", disable_tqdm=True,
                              use_cpu=True, **cfg["train"])
    trainer = Trainer(model=model, args=targs, train_dataset=train, eval_dataset=test,
                      compute_metrics=compute_metrics)
    trainer.train()
    print(trainer.evaluate())


if __name__ == "__main__":
    main()
