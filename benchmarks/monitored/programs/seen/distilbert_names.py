# metric: 'eval_f1': '?([\d.]+)'? higher
import numpy as np
import torch
from torch.utils.data import Dataset
from transformers import (
    DistilBertConfig, DistilBertForTokenClassification, Trainer, TrainingArguments, set_seed,
)

set_seed(12)
rng = np.random.default_rng(12)
WORDS, TITLES, NAMES = np.arange(30, 80), np.arange(5, 9), np.arange(10, 30)
LENGTH = 14


class Sentences(Dataset):
    """Titles have label 1, names label 2, but for a name at the very beginning."""

    def __init__(self, count):
        self.tokens = rng.choice(np.concatenate([WORDS, NAMES]), (count, LENGTH))
        for row in self.tokens:
            row[rng.integers(0, LENGTH)] = rng.choice(TITLES)
        self.labels = np.isin(self.tokens, TITLES) + 2 * np.isin(self.tokens, NAMES)
        self.labels[:, 0] *= self.labels[:, 0] == 1

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return {"input_ids": torch.tensor(self.tokens[i]), "labels": torch.tensor(self.labels[i])}


def f1(prediction):
    said, true = prediction.predictions.argmax(-1), prediction.label_ids
    right = ((said == true) & (true > 0)).sum()
    return {"f1": float(2 * right / max(1, (said > 0).sum() + (true > 0).sum()))}


config = DistilBertConfig(
    vocab_size=80, dim=48, n_layers=2, n_heads=4, hidden_dim=96, max_position_embeddings=16,
    num_labels=3,
)
model = DistilBertForTokenClassification(config)
arguments = TrainingArguments(
    output_dir="out",
    num_train_epochs=5,
    per_device_train_batch_size=32,
    learning_rate=2e-3,
    weight_decay=0.01,
    logging_steps=10,
    save_strategy="no",
    report_to=[],
    use_cpu=True,
    disable_tqdm=True,
)
trainer = Trainer(
    model=model, args=arguments, train_dataset=Sentences(800), eval_dataset=Sentences(200),
    compute_metrics=f1,
)
trainer.train()
print(trainer.evaluate())
