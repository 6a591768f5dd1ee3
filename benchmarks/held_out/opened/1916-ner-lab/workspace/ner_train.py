#!/usr/bin/env python
"""Fine-tune (well, train) a small BERT tagger on our lab protocol sentences."""
import json
import sys

import numpy as np
from datasets import load_dataset
from transformers import (
    BertConfig,
    BertForTokenClassification,
    BertTokenizerFast,
    DataCollatorForTokenClassification,
    Trainer,
    TrainingArguments,
    set_seed,
)

from align import LABELS, encode_labels, to_ids

cfg = json.load(open(sys.argv[1] if len(sys.argv) > 1 else "tagger.json"))
set_seed(cfg["seed"])

tok = BertTokenizerFast(vocab="vocab.txt", do_lower_case=True)
raw = load_dataset("json", data_files={"train": "data/train.jsonl", "dev": "data/dev.jsonl"})
print(raw)


def encode(batch):
    enc = tok(batch["tokens"], is_split_into_words=True, truncation=True, max_length=cfg["max_len"])
    enc["labels"] = [
        encode_labels(tok, words, to_ids(tags), cfg["max_len"])
        for words, tags in zip(batch["tokens"], batch["tags"])
    ]
    return enc


ds = raw.map(encode, batched=True, remove_columns=raw["train"].column_names)

model = BertForTokenClassification(
    BertConfig(
        vocab_size=len(tok),
        hidden_size=cfg["hidden"],
        num_hidden_layers=cfg["layers"],
        num_attention_heads=cfg["heads"],
        intermediate_size=2 * cfg["hidden"],
        max_position_embeddings=128,
        num_labels=len(LABELS),
        id2label=dict(enumerate(LABELS)),
        label2id={l: i for i, l in enumerate(LABELS)},
    )
)
print(f"{model.num_parameters() / 1e3:.0f}k parameters")


def metrics(p):
    pred = p.predictions.argmax(-1)
    keep = p.label_ids != -100
    ent = keep & (p.label_ids != 0)
    return {
        "acc": float((pred == p.label_ids)[keep].mean()),
        "entity_recall": float((pred == p.label_ids)[ent].mean()),
    }


trainer = Trainer(
    model=model,
    args=TrainingArguments(
        output_dir="out",
        learning_rate=cfg["lr"],
        num_train_epochs=cfg["epochs"],
        per_device_train_batch_size=cfg["batch_size"],
        per_device_eval_batch_size=32,
        eval_strategy="epoch",
        save_strategy="no",
        logging_steps=20,
        report_to=[],
        disable_tqdm=True,
        use_cpu=True,
    ),
    train_dataset=ds["train"],
    eval_dataset=ds["dev"],
    data_collator=DataCollatorForTokenClassification(tok),
    compute_metrics=metrics,
)
trainer.train()
print({k: round(v, 3) for k, v in trainer.evaluate().items() if isinstance(v, float)})
