"""Joins ticket texts with the queue an agent moved them to."""
import pandas as pd
from datasets import Dataset, DatasetDict

QUEUES = ["shipping", "login", "billing"]


def read_tickets(text_csv, queue_csv):
    texts = pd.read_csv(text_csv)
    queues = pd.read_csv(queue_csv)
    df = texts.merge(queues, on="ticket_id", how="left")
    df["label"] = df["queue"].map({q: i for i, q in enumerate(QUEUES)})
    n_open = int(df["label"].isna().sum())
    if n_open:
        print(f"dropping {n_open} tickets that nobody has routed yet")
    df = df.dropna(subset=["label"])
    return df[["ticket_id", "text", "label"]].reset_index(drop=True)


def build_splits(text_csv, queue_csv, test_size=0.25, seed=0):
    ds = Dataset.from_pandas(read_tickets(text_csv, queue_csv), preserve_index=False)
    parts = ds.train_test_split(test_size=test_size, seed=seed)
    print("features:", ds.column_names, "rows:", {k: len(v) for k, v in parts.items()})
    return DatasetDict(train=parts["train"], validation=parts["test"])
