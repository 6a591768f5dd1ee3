import argparse
import json

import numpy as np
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

from intent_data import IntentDataset, WhitespaceTokenizer


def compute_metrics(p):
    return {"accuracy": float((np.argmax(p.predictions, axis=-1) == p.label_ids).mean())}


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--config", default="config.json")
    with open(ap.parse_args().config) as f:
        cfg = json.load(f)

    d = cfg["data"]
    label2id = {l: i for i, l in enumerate(d["intents"])}
    tok = WhitespaceTokenizer(d["vocab"])
    train = IntentDataset(d["train"], tok, label2id, d["max_length"])
    test = IntentDataset(d["test"], tok, label2id, d["max_length"])

    bert_cfg = BertConfig(
        **cfg["model"],
        num_labels=len(label2id),
        label2id=label2id,
        id2label={i: l for l, i in label2id.items()},
    )
    model = BertForSequenceClassification(bert_cfg)
    args = TrainingArguments(**cfg["training"], report_to=[], use_cpu=True, disable_tqdm=True)
    trainer = Trainer(
        model=model,
        args=args,
        train_dataset=train,
        eval_dataset=test,
        compute_metrics=compute_metrics,
    )
    trainer.train()
    print("final:", trainer.evaluate())


if __name__ == "__main__":
    main()
