import pandas as pd
from datasets import Dataset


def load_split(path):
    frame = pd.read_csv(path)
    return Dataset.from_pandas(frame, preserve_index=False)


def intent_names(dataset):
    return sorted(set(dataset["intent"]))


def encode(dataset, tokenizer, label2id):
    def convert(batch):
        enc = tokenizer(batch["utterance"], truncation=True)
        enc["target"] = [label2id[name] for name in batch["intent"]]
        return enc

    return dataset.map(convert, batched=True)
