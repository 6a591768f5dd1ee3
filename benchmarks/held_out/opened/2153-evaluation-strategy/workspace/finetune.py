import argparse
import json

import numpy as np
import yaml
from transformers import (BertConfig, BertForSequenceClassification, DataCollatorWithPadding, Trainer,
                          TrainingArguments, set_seed)

from intent_data import IntentDataset, read_jsonl
from tokenization import train_tokenizer


def accuracy(eval_pred):
    logits, labels = eval_pred
    return {"accuracy": float(np.mean(logits.argmax(-1) == labels))}


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("config")
    ap.add_argument("--output", default="outputs/intents")
    args = ap.parse_args()
    with open(args.config) as f:
        cfg = yaml.safe_load(f)
    set_seed(17)

    rows = {split: read_jsonl(cfg["data"][split]) for split in ("train", "valid")}
    names = json.load(open(cfg["data"]["intents"]))
    tokenizer = train_tokenizer([r["text"] for r in rows["train"]], **cfg["tokenizer"])
    sets = {k: IntentDataset(v, tokenizer, names, cfg["data"]["max_length"]) for k, v in rows.items()}
    print({k: len(v) for k, v in sets.items()}, "vocabulary", len(tokenizer))

    config = BertConfig(vocab_size=len(tokenizer), **cfg["encoder"])
    model = BertForSequenceClassification(config)
    training = TrainingArguments(
        output_dir=args.output,
        num_train_epochs=cfg["train"]["epochs"],
        learning_rate=cfg["train"]["lr"],
        per_device_train_batch_size=cfg["train"]["batch_size"],
        evaluation_strategy="epoch",
        save_strategy="no",
        report_to=[],
        disable_tqdm=True,
        use_cpu=True,
    )
    trainer = Trainer(
        model=model,
        args=training,
        train_dataset=sets["train"],
        eval_dataset=sets["valid"],
        processing_class=tokenizer,
        data_collator=DataCollatorWithPadding(tokenizer),
        compute_metrics=accuracy,
    )
    trainer.train()
    print(trainer.evaluate())


if __name__ == "__main__":
    main()
