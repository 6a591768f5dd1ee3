import json

import numpy as np
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    DataCollatorWithPadding,
    Trainer,
    TrainingArguments,
    set_seed,
)

from data import load_intents


def compute_metrics(pred):
    guess = pred.predictions.argmax(-1)
    return {"accuracy": float(np.mean(guess == pred.label_ids))}


def main():
    set_seed(2)
    ds, tokenizer, names = load_intents()
    with open("model.json") as f:
        config = BertConfig(
            **json.load(f),
            vocab_size=len(tokenizer),
            num_labels=len(names),
            id2label=dict(enumerate(names)),
            pad_token_id=tokenizer.pad_token_id,
        )
    model = BertForSequenceClassification(config)
    args = TrainingArguments(
        output_dir="out",
        num_train_epochs=3,
        per_device_train_batch_size=16,
        learning_rate=3e-3,
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
        train_dataset=ds["train"],
        eval_dataset=ds["test"],
        data_collator=DataCollatorWithPadding(tokenizer),
        compute_metrics=compute_metrics,
    )
    trainer.train()
    trainer.save_model("out/final")


if __name__ == "__main__":
    main()
