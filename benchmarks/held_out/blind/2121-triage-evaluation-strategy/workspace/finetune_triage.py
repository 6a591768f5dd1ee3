import argparse

import numpy as np
import yaml
from datasets import Dataset
from transformers import (
    AutoTokenizer,
    BertConfig,
    BertForSequenceClassification,
    DataCollatorWithPadding,
    Trainer,
    TrainingArguments,
)
import pandas as pd


def get_data(path, levels, tokenizer):
    frame = pd.read_csv(path)
    frame["label"] = frame["level"].map({name: i for i, name in enumerate(levels)})
    ds = Dataset.from_pandas(frame[["note", "label"]])
    ds = ds.map(lambda b: tokenizer(b["note"], truncation=True), batched=True, remove_columns=["note"])
    return ds.train_test_split(test_size=0.25, seed=3)


def accuracy(pred):
    return {"accuracy": float((np.argmax(pred.predictions, -1) == pred.label_ids).mean())}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default="triage.yaml")
    parser.add_argument("--tokenizer", required=True)
    cli = parser.parse_args()
    cfg = yaml.safe_load(open(cli.config))

    tokenizer = AutoTokenizer.from_pretrained(cli.tokenizer)
    data = get_data(cfg["data"], cfg["levels"], tokenizer)
    config = BertConfig(
        vocab_size=len(tokenizer),
        pad_token_id=tokenizer.pad_token_id,
        num_labels=len(cfg["levels"]),
        id2label=dict(enumerate(cfg["levels"])),
        **cfg["model"],
    )
    model = BertForSequenceClassification(config)
    print(f"{model.num_parameters():,} parameters, {len(data['train'])} notes to train on")
    trainer = Trainer(
        model=model,
        args=TrainingArguments(**cfg["trainer"]),
        train_dataset=data["train"],
        eval_dataset=data["test"],
        data_collator=DataCollatorWithPadding(tokenizer),
        compute_metrics=accuracy,
    )
    trainer.train()
    print(trainer.evaluate())


if __name__ == "__main__":
    main()
