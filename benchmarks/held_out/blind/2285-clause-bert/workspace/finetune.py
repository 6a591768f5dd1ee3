import argparse
from dataclasses import dataclass

import numpy as np
from transformers import (BertConfig, BertForSequenceClassification, DataCollatorWithPadding, Trainer,
                          TrainingArguments, set_seed)

from clauses import TYPES, encode, generate
from tok import train_tokenizer


@dataclass
class ModelSize:
    hidden: int = 32
    layers: int = 2
    heads: int = 4
    max_length: int = 32


def build_model(tokenizer, size):
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=size.hidden,
        num_hidden_layers=size.layers,
        num_attention_heads=size.heads,
        intermediate_size=4 * size.hidden,
        max_position_embeddings=size.max_length,
        pad_token_id=tokenizer.pad_token_id,
        num_labels=len(TYPES),
        id2label=dict(enumerate(TYPES)),
        label2id={t: i for i, t in enumerate(TYPES)},
    )
    return BertForSequenceClassification(config)


def accuracy(pred):
    return {"accuracy": float((np.argmax(pred.predictions, -1) == pred.label_ids).mean())}


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--out", default="runs/clauses")
    ap.add_argument("--epochs", type=float, default=2)
    ap.add_argument("--lr", type=float, default=2e-3)
    args = ap.parse_args()
    set_seed(12)

    size = ModelSize()
    train_rows, eval_rows = generate(256, seed=1), generate(64, seed=2)
    tokenizer = train_tokenizer(train_rows["clause"])
    train_ds = encode(train_rows, tokenizer, size.max_length)
    eval_ds = encode(eval_rows, tokenizer, size.max_length)
    print(f"vocabulary {len(tokenizer)}, {len(train_ds)} training and {len(eval_ds)} evaluation clauses")

    trainer = Trainer(
        model=build_model(tokenizer, size),
        args=TrainingArguments(
            output_dir=args.out,
            num_train_epochs=args.epochs,
            per_device_train_batch_size=16,
            learning_rate=args.lr,
            logging_steps=8,
            save_strategy="no",
            report_to=[],
            use_cpu=True,
            disable_tqdm=True,
        ),
        train_dataset=train_ds,
        eval_dataset=eval_ds,
        data_collator=DataCollatorWithPadding(tokenizer),
        compute_metrics=accuracy,
    )
    trainer.train()
    print(trainer.evaluate())


if __name__ == "__main__":
    main()
