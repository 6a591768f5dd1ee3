"""Tells by its first word what a text is about."""

import json
from pathlib import Path

import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

settings = json.loads(Path("settings.json").read_text())


class Texts(Dataset):
    def __len__(self):
        return 96

    def __getitem__(self, row):
        tokens = (torch.arange(8) * 5 + row) % 36 + 4
        tokens[0] = row % 2
        return {"input_ids": tokens, "labels": row % 2}


torch.manual_seed(1)
model = BertForSequenceClassification(BertConfig(num_labels=2, **settings["model"]))
arguments = TrainingArguments(**settings["training"])
trainer = Trainer(model=model, args=arguments, train_dataset=Texts())
trainer.train()
