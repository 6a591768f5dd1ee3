import pandas as pd
from datasets import Dataset, DatasetDict

from tokenization import train_tokenizer


def load_intents(folder="data"):
    frames = {name: pd.read_csv(f"{folder}/{name}.csv") for name in ("train", "test")}
    names = sorted(frames["train"]["intent"].unique())
    tokenizer = train_tokenizer(frames["train"]["utterance"].tolist())

    def encode(batch):
        out = tokenizer(batch["utterance"], truncation=True, max_length=24)
        out["intent_id"] = [names.index(k) for k in batch["intent"]]
        return out

    ds = DatasetDict({k: Dataset.from_pandas(v, preserve_index=False) for k, v in frames.items()})
    ds = ds.map(encode, batched=True, remove_columns=["utterance", "intent"])
    return ds, tokenizer, names
