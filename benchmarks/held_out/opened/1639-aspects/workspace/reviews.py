from dataclasses import dataclass

import torch
from datasets import Dataset
from transformers import PreTrainedTokenizerBase
import pandas as pd

SENTIMENTS = ["negative", "neutral", "positive"]


def load_reviews(path, test_size, seed):
    frame = pd.read_csv(path)
    frame["labels"] = frame.pop("sentiment").map(SENTIMENTS.index)
    data = Dataset.from_pandas(frame, preserve_index=False)
    return data.train_test_split(test_size=test_size, seed=seed)


@dataclass
class AspectCollator:
    """Tokenizes (review, aspect) pairs when a batch is drawn."""

    tokenizer: PreTrainedTokenizerBase

    def __call__(self, rows):
        batch = self.tokenizer(
            [row["review"] for row in rows],
            [row["aspect"] for row in rows],
            padding=True,
            truncation=True,
            return_tensors="pt",
            return_token_type_ids=False,
        )
        batch["labels"] = torch.tensor([row["labels"] for row in rows])
        return batch
