#!/usr/bin/env python
import json
import sys

from transformers import (
    AutoConfig,
    AutoModelForSequenceClassification,
    DataCollatorWithPadding,
    Trainer,
    TrainingArguments,
    set_seed,
)

from topics.corpus import SECTIONS, load_corpus
from topics.metrics import compute_metrics
from topics.tokenization import build_tokenizer


def read_json(path):
    with open(path) as fh:
        return json.load(fh)


def main(out_dir="runs/topics"):
    model_cfg = read_json("config/model.json")
    args = TrainingArguments(output_dir=out_dir, **read_json("config/training.json"))
    set_seed(args.seed)

    corpus = load_corpus()
    tokenizer = build_tokenizer(corpus["train"]["text"])
    max_len = model_cfg["max_position_embeddings"]
    encoded = corpus.map(
        lambda b: tokenizer(b["text"], truncation=True, max_length=max_len),
        batched=True,
        remove_columns=["text"],
    )

    config = AutoConfig.for_model(
        model_cfg.pop("model_type"),
        vocab_size=len(tokenizer),
        pad_token_id=tokenizer.pad_token_id,
        id2label=dict(enumerate(SECTIONS)),
        label2id={s: i for i, s in enumerate(SECTIONS)},
        **model_cfg,
    )
    model = AutoModelForSequenceClassification.from_config(config)

    trainer = Trainer(
        model=model,
        args=args,
        train_dataset=encoded["train"],
        eval_dataset=encoded["test"],
        data_collator=DataCollatorWithPadding(tokenizer),
        compute_metrics=compute_metrics,
    )
    trainer.train()
    print(trainer.evaluate())


if __name__ == "__main__":
    main(*sys.argv[1:])
