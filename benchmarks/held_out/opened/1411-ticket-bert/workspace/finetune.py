import json
from pathlib import Path

import numpy as np
import torch
from datasets import Dataset, disable_progress_bars
from torch.utils.data import DataLoader
from transformers import (BertConfig, BertForSequenceClassification, DataCollatorWithPadding,
                          get_linear_schedule_with_warmup, set_seed)

from tokenization import build_tokenizer

ASSETS = Path(__file__).parent / "assets"


def read_json(name):
    return json.loads((ASSETS / name).read_text())


def prepare(cfg):
    rows = [json.loads(l) for l in (ASSETS / "tickets.jsonl").open()]
    ds = Dataset.from_list(rows).train_test_split(test_size=0.2, seed=0)
    tokenizer = build_tokenizer(ds["train"]["text"], cfg["vocab_size"], cfg["max_tokens"])
    label2id = {l: i for i, l in enumerate(cfg["labels"])}

    def encode(batch):
        enc = tokenizer(batch["text"], truncation=True, return_token_type_ids=False)
        enc["labels"] = [label2id[l] for l in batch["label"]]
        return enc

    ds = ds.map(encode, batched=True, remove_columns=["id", "text", "label"])
    return ds, tokenizer, label2id


@torch.inference_mode()
def evaluate(model, loader):
    model.eval()
    preds, golds = [], []
    for batch in loader:
        preds.append(model(**batch).logits.argmax(-1).numpy())
        golds.append(batch["labels"].numpy())
    return float((np.concatenate(preds) == np.concatenate(golds)).mean())


def main():
    disable_progress_bars()
    set_seed(42)
    cfg = read_json("training.json")
    ds, tokenizer, label2id = prepare(cfg)
    print(ds, "\nvocab:", len(tokenizer))

    config = BertConfig.from_dict(read_json("model.json"))
    config.vocab_size = len(tokenizer)
    config.pad_token_id = tokenizer.pad_token_id
    config.num_labels = len(label2id)
    model = BertForSequenceClassification(config)

    collate = DataCollatorWithPadding(tokenizer, pad_to_multiple_of=8)
    train = DataLoader(ds["train"], cfg["batch_size"], shuffle=True, collate_fn=collate)
    test = DataLoader(ds["test"], 32, collate_fn=collate)
    optim = torch.optim.AdamW(model.parameters(), lr=cfg["learning_rate"])
    total = cfg["epochs"] * len(train)
    sched = get_linear_schedule_with_warmup(optim, total // 10, total)

    for epoch in range(cfg["epochs"]):
        model.train()
        losses = []
        for batch in train:
            loss = model(**batch).loss
            loss.backward()
            optim.step()
            sched.step()
            optim.zero_grad()
            losses.append(loss.item())
        print(f"epoch {epoch}: loss {np.mean(losses):.4f} accuracy {evaluate(model, test):.3f}")


if __name__ == "__main__":
    main()
