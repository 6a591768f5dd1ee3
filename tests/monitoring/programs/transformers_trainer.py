"""Trainings with the Trainer of transformers: a small BERT of random weights."""

import torch
import transformers
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

transformers.set_seed(5)
config = BertConfig(
    vocab_size=100,
    hidden_size=32,
    num_hidden_layers=1,
    num_attention_heads=2,
    intermediate_size=64,
    max_position_embeddings=32,
    num_labels=2,
)
model = BertForSequenceClassification(config)


class Data(torch.utils.data.Dataset):
    def __init__(self, n):
        g = torch.Generator().manual_seed(n)
        self.x = torch.randint(0, 100, (n, 16), generator=g)
        self.y = (self.x[:, 0] > 50).long()

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return {
            "input_ids": self.x[i],
            "attention_mask": torch.ones(16, dtype=torch.long),
            "labels": self.y[i],
        }


args = TrainingArguments(
    "out",
    num_train_epochs=1,
    per_device_train_batch_size=16,
    logging_steps=5,
    eval_strategy="epoch",
    save_strategy="no",
    report_to=[],
    use_cpu=True,
    disable_tqdm=True,
)
trainer = Trainer(model=model, args=args, train_dataset=Data(256), eval_dataset=Data(64))
trainer.train()
print(repr(float(sum(p.detach().double().abs().sum() for p in model.parameters()))))
