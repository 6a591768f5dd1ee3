# metric: validation error ([\d.]+) lower
import numpy as np
import torch
from torch.utils.data import Dataset
from transformers import ElectraConfig, ElectraForSequenceClassification, Trainer
from transformers import TrainingArguments, set_seed

set_seed(19)
LENGTH, VOCAB = 20, 50
rng = np.random.default_rng(19)


class Scores(Dataset):
    """How many of the words are among the first ten, standardised."""

    def __init__(self, count):
        share = rng.uniform(0.05, 0.8, (count, 1))
        marked = rng.random((count, LENGTH)) < share
        self.tokens = np.where(marked, rng.integers(2, 12, marked.shape), rng.integers(12, VOCAB, marked.shape))
        self.labels = ((marked.sum(1) - 8.5) / 4.8).astype(np.float32)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return {"input_ids": torch.tensor(self.tokens[i]), "labels": torch.tensor(self.labels[i])}


def error(prediction):
    return {"error": float(np.abs(prediction.predictions.squeeze() - prediction.label_ids).mean())}


config = ElectraConfig(
    vocab_size=VOCAB, embedding_size=32, hidden_size=32, num_hidden_layers=2,
    num_attention_heads=2, intermediate_size=64, max_position_embeddings=32, num_labels=1,
    hidden_dropout_prob=0.0, summary_last_dropout=0.0,
)
model = ElectraForSequenceClassification(config)
arguments = TrainingArguments(
    output_dir="out", num_train_epochs=4, per_device_train_batch_size=32, learning_rate=2e-3,
    logging_steps=10, save_strategy="no", report_to=[], use_cpu=True, disable_tqdm=True,
)
trainer = Trainer(
    model=model, args=arguments, train_dataset=Scores(800), eval_dataset=Scores(200),
    compute_metrics=error,
)
trainer.train()
print(f"validation error {trainer.evaluate()['eval_error']:.4f}")
