import random

import torch
from torch.utils.data import Dataset
from transformers import (
    DistilBertConfig,
    DistilBertForSequenceClassification,
    Trainer,
    TrainingArguments,
    set_seed,
)

POSITIVE = "great lovely superb warm funny brilliant moving fresh".split()
NEGATIVE = "dull awful weak boring clumsy stale flat noisy".split()
NEUTRAL = "the a film plot scene actor and with was of it camera two very".split()
VOCABULARY = {word: i + 2 for i, word in enumerate(POSITIVE + NEGATIVE + NEUTRAL)}
LENGTH = 16


class ReviewDataset(Dataset):
    def __init__(self, count, seed):
        draw = random.Random(seed)
        self.rows = []
        for _ in range(count):
            label = draw.randrange(2)
            words = draw.choices(POSITIVE if label else NEGATIVE, k=3) + draw.choices(NEUTRAL, k=9)
            draw.shuffle(words)
            self.rows.append((words, label))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        words, label = self.rows[index]
        ids = [VOCABULARY[word] for word in words]
        padding = LENGTH - len(ids)
        return {
            "input_ids": torch.tensor(ids + [0] * padding),
            "attention_mask": torch.tensor([1] * len(ids) + [0] * padding),
            "labels": torch.tensor(label),
        }


def compute_metrics(prediction):
    logits, labels = prediction
    return {"accuracy": float((logits.argmax(axis=-1) == labels).mean())}


def main():
    set_seed(42)
    config = DistilBertConfig(
        vocab_size=len(VOCABULARY) + 2,
        dim=48,
        hidden_dim=96,
        n_layers=2,
        n_heads=4,
        max_position_embeddings=LENGTH,
        num_labels=2,
    )
    model = DistilBertForSequenceClassification(config)
    arguments = TrainingArguments(
        output_dir="checkpoints",
        num_train_epochs=4,
        per_device_train_batch_size=32,
        per_device_eval_batch_size=64,
        learning_rate=5e-4,
        lr_scheduler_type="linear",
        warmup_steps=10_000,
        weight_decay=0.01,
        logging_steps=10,
        eval_strategy="epoch",
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
        use_cpu=True,
    )
    trainer = Trainer(
        model=model,
        args=arguments,
        train_dataset=ReviewDataset(1200, seed=1),
        eval_dataset=ReviewDataset(300, seed=2),
        compute_metrics=compute_metrics,
    )
    trainer.train()


if __name__ == "__main__":
    main()
