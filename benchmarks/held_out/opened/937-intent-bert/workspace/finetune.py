import numpy as np
import pandas as pd
import torch
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    DataCollatorWithPadding,
    Trainer,
    TrainingArguments,
    set_seed,
)

from build_tokenizer import train_tokenizer

MAX_LEN = 32


class IntentDataset(torch.utils.data.Dataset):
    def __init__(self, texts, labels, tokenizer):
        self.encodings = tokenizer(list(texts), truncation=True, max_length=MAX_LEN)
        self.labels = list(labels)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        item = {k: v[i] for k, v in self.encodings.items()}
        item["labels"] = self.labels[i]
        return item


def compute_metrics(eval_pred):
    logits, labels = eval_pred
    return {"accuracy": float((np.argmax(logits, axis=-1) == labels).mean())}


def main():
    set_seed(0)
    df = pd.read_csv("requests.csv")
    names = sorted(df["intent"].unique())
    label2id = {n: i for i, n in enumerate(names)}
    df["label"] = df["intent"].map(label2id)
    train_df = df.sample(frac=0.8, random_state=0)
    valid_df = df.drop(train_df.index)
    print(f"{len(train_df)} train, {len(valid_df)} validation, intents: {names}")

    tokenizer = train_tokenizer(train_df["text"])
    train_ds = IntentDataset(train_df["text"], train_df["label"], tokenizer)
    valid_ds = IntentDataset(valid_df["text"], valid_df["label"], tokenizer)

    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=MAX_LEN,
        pad_token_id=tokenizer.pad_token_id,
    )
    model = BertForSequenceClassification(config)

    args = TrainingArguments(
        output_dir="out",
        num_train_epochs=2,
        per_device_train_batch_size=8,
        per_device_eval_batch_size=16,
        learning_rate=2e-3,
        eval_strategy="epoch",
        save_strategy="no",
        logging_steps=10,
        report_to="none",
        use_cpu=True,
        disable_tqdm=True,
    )
    trainer = Trainer(
        model=model,
        args=args,
        train_dataset=train_ds,
        eval_dataset=valid_ds,
        data_collator=DataCollatorWithPadding(tokenizer),
        compute_metrics=compute_metrics,
    )
    trainer.train()
    print(trainer.evaluate())


if __name__ == "__main__":
    main()
