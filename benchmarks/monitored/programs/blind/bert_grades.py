# metric: eval mae ([\d.]+) lower
import numpy as np
import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed

set_seed(41)
rng = np.random.default_rng(41)
LENGTH, VOCAB = 18, 70


class Essays(Dataset):
    """The grade is the share of good words less that of bad ones, in standard deviations."""

    def __init__(self, count):
        self.tokens = rng.integers(40, VOCAB, (count, LENGTH))
        good = rng.integers(0, 8, count)
        bad = rng.integers(0, 8, count)
        for row, g, b in zip(self.tokens, good, bad):
            row[1 : 1 + g] = rng.integers(2, 20, g)
            row[9 : 9 + b] = rng.integers(20, 40, b)
            row[0] = 1
        self.labels = ((good - bad) / 3.24).astype(np.float32)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return {
            "input_ids": torch.tensor(self.tokens[i]),
            "attention_mask": torch.ones(LENGTH, dtype=torch.long),
            "labels": torch.tensor(self.labels[i]),
        }


def mae(prediction):
    return {"mae": float(np.abs(prediction.predictions.squeeze() - prediction.label_ids).mean())}


config = BertConfig(
    vocab_size=VOCAB, hidden_size=48, num_hidden_layers=2, num_attention_heads=4,
    intermediate_size=96, max_position_embeddings=24, num_labels=1, hidden_dropout_prob=0.0,
    attention_probs_dropout_prob=0.0,
)
model = BertForSequenceClassification(config)
arguments = TrainingArguments(
    output_dir="out",
    num_train_epochs=5,
    per_device_train_batch_size=32,
    learning_rate=1e-3,
    warmup_steps=10,
    logging_steps=20,
    save_strategy="no",
    report_to="none",
    use_cpu=True,
    disable_tqdm=True,
)
trainer = Trainer(
    model=model,
    args=arguments,
    train_dataset=Essays(900),
    eval_dataset=Essays(200),
    compute_metrics=mae,
)
trainer.train()
print(f"eval mae {trainer.evaluate()['eval_mae']:.4f}")
