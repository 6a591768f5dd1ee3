import argparse
import json

import datasets
import numpy as np
from sklearn.metrics import accuracy_score, f1_score
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    DataCollatorWithPadding,
    Trainer,
    TrainingArguments,
    set_seed,
)

from intents import encode, intent_names, load_split
from tokenization import load_tokenizer

datasets.disable_progress_bars()


def compute_metrics(eval_pred):
    logits, labels = eval_pred
    preds = np.argmax(logits, axis=-1)
    return {
        "accuracy": accuracy_score(labels, preds),
        "f1": f1_score(labels, preds, average="macro"),
    }


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--train-file", default="data/train.csv")
    parser.add_argument("--eval-file", default="data/test.csv")
    parser.add_argument("--vocab-file", default="vocab.txt")
    parser.add_argument("--model-config", default="model_config.json")
    parser.add_argument("--epochs", type=float, default=4)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--output-dir", default="out")
    return parser.parse_args()


def main():
    args = parse_args()
    set_seed(0)

    train_raw, eval_raw = load_split(args.train_file), load_split(args.eval_file)
    names = intent_names(train_raw)
    label2id = {name: i for i, name in enumerate(names)}
    print("intents:", label2id)

    with open(args.model_config) as f:
        options = json.load(f)
    options.pop("model_type")
    tokenizer = load_tokenizer(args.vocab_file, options["max_position_embeddings"])
    config = BertConfig(
        vocab_size=len(tokenizer),
        num_labels=len(names),
        label2id=label2id,
        id2label={i: n for n, i in label2id.items()},
        pad_token_id=tokenizer.pad_token_id,
        **options,
    )
    model = BertForSequenceClassification(config)

    train_set = encode(train_raw, tokenizer, label2id)
    eval_set = encode(eval_raw, tokenizer, label2id)
    print("train columns:", train_set.column_names)

    training_args = TrainingArguments(
        output_dir=args.output_dir,
        num_train_epochs=args.epochs,
        learning_rate=args.lr,
        per_device_train_batch_size=16,
        per_device_eval_batch_size=32,
        eval_strategy="epoch",
        save_strategy="no",
        logging_strategy="epoch",
        report_to="none",
        use_cpu=True,
        disable_tqdm=True,
    )
    trainer = Trainer(
        model=model,
        args=training_args,
        train_dataset=train_set,
        eval_dataset=eval_set,
        data_collator=DataCollatorWithPadding(tokenizer),
        compute_metrics=compute_metrics,
    )
    trainer.train()
    print(trainer.evaluate())


if __name__ == "__main__":
    main()
