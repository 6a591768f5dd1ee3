#!/usr/bin/env python
"""Classify support tickets with a (tiny) BERT. Kaggle-style single file."""
import json
import random

import numpy as np
import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing
from tokenizers.trainers import WordLevelTrainer
from torch.utils.data import DataLoader, Dataset
from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast


class CFG:
    path = "data/tickets.json"
    max_len = 24
    batch_size = 16
    lr = 2e-3
    epochs = 10
    seed = 5


def seed_everything(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def build_tokenizer(texts):
    tok = Tokenizer(WordLevel(unk_token="[UNK]"))
    tok.pre_tokenizer = Whitespace()
    trainer = WordLevelTrainer(special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]"])
    tok.train_from_iterator(texts, trainer)
    tok.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        special_tokens=[("[CLS]", tok.token_to_id("[CLS]")), ("[SEP]", tok.token_to_id("[SEP]"))],
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tok, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]"
    )


class TicketDataset(Dataset):
    def __init__(self, rows, tokenizer, label2id):
        self.rows = rows
        self.tokenizer = tokenizer
        self.label2id = label2id

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, idx):
        row = self.rows[idx]
        enc = self.tokenizer(
            row["text"],
            max_length=CFG.max_len,
            truncation=True,
            padding=True,
            return_tensors="pt",
        )
        item = {k: v.squeeze(0) for k, v in enc.items()}
        item["labels"] = torch.tensor(self.label2id[row["topic"]])
        return item


def evaluate(model, loader):
    model.eval()
    hits = total = 0
    with torch.no_grad():
        for batch in loader:
            out = model(**batch)
            hits += (out.logits.argmax(-1) == batch["labels"]).sum().item()
            total += len(batch["labels"])
    return hits / total


def main():
    seed_everything(CFG.seed)
    rows = json.load(open(CFG.path))
    random.shuffle(rows)
    labels = sorted({r["topic"] for r in rows})
    label2id = {name: i for i, name in enumerate(labels)}
    n_val = len(rows) // 5
    train_rows, val_rows = rows[n_val:], rows[:n_val]

    tokenizer = build_tokenizer([r["text"] for r in train_rows])
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=CFG.max_len,
        num_labels=len(labels),
        hidden_dropout_prob=0.0,
    )
    model = BertForSequenceClassification(config)
    train_loader = DataLoader(TicketDataset(train_rows, tokenizer, label2id), CFG.batch_size, shuffle=True)
    val_loader = DataLoader(TicketDataset(val_rows, tokenizer, label2id), CFG.batch_size)
    optimizer = torch.optim.AdamW(model.parameters(), lr=CFG.lr)

    for epoch in range(CFG.epochs):
        model.train()
        losses = []
        for batch in train_loader:
            optimizer.zero_grad()
            loss = model(**batch).loss
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        print(f"epoch {epoch}: loss={np.mean(losses):.4f} acc={evaluate(model, val_loader):.3f}")


if __name__ == "__main__":
    main()
