import argparse
import tempfile

import numpy as np
from transformers import (
    DistilBertConfig,
    DistilBertForSequenceClassification,
    Trainer,
    TrainingArguments,
    set_seed,
)

from reviews import SENTIMENTS, AspectCollator, load_reviews
from tokens import train_tokenizer


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default="data/reviews.csv")
    parser.add_argument("--epochs", type=float, default=3)
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--learning-rate", type=float, default=5e-4)
    parser.add_argument("--max-length", type=int, default=48)
    parser.add_argument("--seed", type=int, default=13)
    return parser.parse_args()


def build_model(tokenizer, max_length):
    config = DistilBertConfig(
        vocab_size=len(tokenizer),
        max_position_embeddings=max_length,
        dim=64,
        hidden_dim=128,
        n_layers=2,
        n_heads=4,
        pad_token_id=tokenizer.pad_token_id,
        num_labels=len(SENTIMENTS),
        id2label=dict(enumerate(SENTIMENTS)),
        label2id={name: i for i, name in enumerate(SENTIMENTS)},
    )
    return DistilBertForSequenceClassification(config)


def compute_metrics(prediction):
    guess = np.argmax(prediction.predictions, axis=-1)
    return {"accuracy": float((guess == prediction.label_ids).mean())}


def main():
    args = parse_args()
    set_seed(args.seed)
    data = load_reviews(args.data, test_size=0.2, seed=args.seed)
    tokenizer = train_tokenizer(data["train"]["review"], args.max_length)
    model = build_model(tokenizer, args.max_length)
    print(f"vocabulary {len(tokenizer)}, {model.num_parameters():,} parameters")

    training_args = TrainingArguments(
        output_dir=tempfile.mkdtemp(),
        num_train_epochs=args.epochs,
        per_device_train_batch_size=args.batch_size,
        per_device_eval_batch_size=args.batch_size * 2,
        learning_rate=args.learning_rate,
        eval_strategy="epoch",
        save_strategy="no",
        logging_steps=5,
        report_to="none",
        disable_tqdm=True,
        use_cpu=True,
        seed=args.seed,
    )
    trainer = Trainer(
        model=model,
        args=training_args,
        train_dataset=data["train"],
        eval_dataset=data["test"],
        data_collator=AspectCollator(tokenizer),
        compute_metrics=compute_metrics,
    )
    trainer.train()
    print(trainer.evaluate())


if __name__ == "__main__":
    main()
