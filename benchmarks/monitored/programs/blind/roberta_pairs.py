# metric: pairs accuracy ([\d.]+) higher
import numpy as np
import torch
from datasets import Dataset
from transformers import (
    RobertaConfig,
    RobertaForSequenceClassification,
    Trainer,
    TrainingArguments,
    set_seed,
)

SEED = 9
set_seed(SEED)
rng = np.random.default_rng(SEED)
PAD, BOS, SEP = 1, 0, 2


def make(count):
    """Two groups of words; the label is the topic of the first."""
    topics = rng.integers(0, 3, (count, 2))
    labels = topics[:, 0]
    rows = []
    for first, second in topics:
        left = rng.integers(3 + 10 * first, 13 + 10 * first, 5)
        right = rng.integers(3 + 10 * second, 13 + 10 * second, 5)
        rows.append([BOS, *left.tolist(), SEP, *right.tolist(), SEP])
    masks = [[1] * len(row) for row in rows]
    return Dataset.from_dict({"input_ids": rows, "attention_mask": masks, "labels": labels.tolist()})


def accuracy(prediction):
    logits, labels = prediction
    return {"accuracy": float((np.argmax(logits, axis=-1) == labels).mean())}


config = RobertaConfig(
    vocab_size=40, hidden_size=40, num_hidden_layers=2, num_attention_heads=4,
    intermediate_size=80, max_position_embeddings=32, num_labels=3,
)
model = RobertaForSequenceClassification(config)
args = TrainingArguments(
    "out",
    num_train_epochs=3,
    per_device_train_batch_size=32,
    learning_rate=1.5e-3,
    weight_decay=0.01,
    logging_steps=20,
    save_strategy="no",
    report_to="none",
    use_cpu=True,
    disable_tqdm=True,
)
trainer = Trainer(
    model=model, args=args, train_dataset=make(1200), eval_dataset=make(300), compute_metrics=accuracy
)
trainer.train()
print(f"pairs accuracy {trainer.evaluate()['eval_accuracy']:.4f}")
