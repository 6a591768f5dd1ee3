import json
from pathlib import Path

import pandas as pd
import torch
from torch.utils.data import Dataset

DATA = Path(__file__).parent / "data"


def load_queues():
    return json.loads((DATA / "queues.json").read_text())


def load_frame():
    tickets = pd.read_csv(DATA / "tickets.csv")
    assigned = pd.read_csv(DATA / "assignments.csv", usecols=["ticket_id", "queue_id"])
    df = tickets.merge(assigned, on="ticket_id", how="left")
    df["text"] = df["text"].str.replace(r"\s+", " ", regex=True).str.strip()
    df = df.dropna(subset=["text", "queue_id"]).drop_duplicates("ticket_id")
    return df.reset_index(drop=True)


def split(df, frac=0.2, seed=0):
    valid = df.groupby("queue_id").sample(frac=frac, random_state=seed)
    return df.drop(valid.index).reset_index(drop=True), valid.reset_index(drop=True)


class TicketDataset(Dataset):
    def __init__(self, frame, tokenizer):
        self.enc = tokenizer(frame["text"].tolist(), truncation=True)
        self.labels = torch.tensor(frame["queue_id"].tolist())

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return {
            "input_ids": self.enc["input_ids"][i],
            "attention_mask": self.enc["attention_mask"][i],
            "label": self.labels[i],
        }


class Collate:
    def __init__(self, tokenizer):
        self.tokenizer = tokenizer

    def __call__(self, items):
        labels = torch.stack([it.pop("label") for it in items])
        batch = self.tokenizer.pad(items, return_tensors="pt")
        batch["labels"] = labels
        return batch
