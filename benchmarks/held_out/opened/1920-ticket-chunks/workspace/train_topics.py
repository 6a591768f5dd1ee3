import json
from collections import defaultdict

import torch
from torch.utils.data import DataLoader
from transformers import DistilBertConfig, DistilBertForSequenceClassification

from prep import QUEUES, build, get_tokenizer

torch.manual_seed(42)

with open("settings.json") as fh:
    st = json.load(fh)

tok = get_tokenizer()
ds = build(st["data"], tok, st["window"], st["overlap"])
print({k: len(v) for k, v in ds.items()}, "windows")

cfg = DistilBertConfig(
    vocab_size=tok.vocab_size,
    max_position_embeddings=st["window"],
    dim=st["dim"],
    hidden_dim=st["dim"] * 2,
    n_layers=st["layers"],
    n_heads=4,
    num_labels=len(QUEUES),
)
model = DistilBertForSequenceClassification(cfg)
opt = torch.optim.AdamW(model.parameters(), lr=st["lr"])


def batches(split, shuffle=False):
    return DataLoader(ds[split], batch_size=st["batch"], shuffle=shuffle)


@torch.no_grad()
def doc_accuracy():
    """Mean of the window scores of one ticket decides."""
    model.eval()
    score, gold = defaultdict(lambda: 0), {}
    for b in batches("test"):
        logits = model(input_ids=b["input_ids"], attention_mask=b["attention_mask"]).logits
        for d, l, y in zip(b["doc"].tolist(), logits.softmax(-1), b["label"].tolist()):
            score[d] = score[d] + l
            gold[d] = y
    hit = [int(score[d].argmax()) == gold[d] for d in gold]
    return sum(hit) / len(hit)


for epoch in range(st["epochs"]):
    model.train()
    tot = n = 0
    for b in batches("train", shuffle=True):
        out = model(
            input_ids=b["input_ids"], attention_mask=b["attention_mask"], labels=b["label"]
        )
        opt.zero_grad()
        out.loss.backward()
        opt.step()
        tot += out.loss.item() * len(b["label"])
        n += len(b["label"])
    print(f"epoch {epoch}  loss {tot / n:.3f}  ticket acc {doc_accuracy():.3f}")

model.save_pretrained("out/topic_model")
