# metric: eval accuracy ([\d.]+) higher
import numpy as np
import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed

set_seed(5)
VOCAB, LENGTH = 60, 16
rng = np.random.default_rng(5)


class Reviews(Dataset):
    def __init__(self, count):
        self.labels = rng.integers(0, 2, count)
        self.tokens = rng.integers(20, VOCAB, (count, LENGTH))
        for row, label in zip(self.tokens, self.labels):
            places = rng.choice(np.arange(1, LENGTH), 5, replace=False)
            row[places] = rng.integers(2, 10, 5) + 8 * label
            row[0] = 1

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return {
            "input_ids": torch.tensor(self.tokens[i]),
            "attention_mask": torch.ones(LENGTH, dtype=torch.long),
            "labels": torch.tensor(self.labels[i]),
        }


def accuracy(prediction):
    return {"accuracy": (prediction.predictions.argmax(-1) == prediction.label_ids).mean()}


config = BertConfig(
    vocab_size=VOCAB, hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
    intermediate_size=64, max_position_embeddings=32, num_labels=2,
)
model = BertForSequenceClassification(config)
arguments = TrainingArguments(
    output_dir="out", num_train_epochs=4, per_device_train_batch_size=32, learning_rate=1e-3,
    logging_steps=10, save_strategy="no", eval_strategy="epoch", report_to=[], use_cpu=True,
    disable_tqdm=True,
)
trainer = Trainer(
    model=model, args=arguments, train_dataset=Reviews(900), eval_dataset=Reviews(200),
    compute_metrics=accuracy,
)
trainer.train()
print(f"eval accuracy {trainer.evaluate()['eval_accuracy']:.4f}")
