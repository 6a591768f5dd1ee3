import os
import tempfile

os.environ.setdefault("HF_DATASETS_CACHE", tempfile.mkdtemp())

import datasets
import torch
from torch.utils.data import DataLoader
from transformers import DataCollatorForTokenClassification, DistilBertConfig, DistilBertForTokenClassification, get_linear_schedule_with_warmup, set_seed

from ner_data import TAGS, build

datasets.disable_progress_bars()

EPOCHS = 3
BATCH = 16
LR = 3e-3
SEED = 42


def evaluate(model, loader):
    model.eval()
    hit = total = 0
    with torch.no_grad():
        for batch in loader:
            pred = model(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"]).logits.argmax(-1)
            keep = batch["labels"] != -100
            hit += (pred[keep] == batch["labels"][keep]).sum().item()
            total += keep.sum().item()
    return hit / total


set_seed(SEED)
tokenizer, data = build("procedures.jsonl", SEED)
collator = DataCollatorForTokenClassification(tokenizer)
train_loader = DataLoader(data["train"], BATCH, shuffle=True, collate_fn=collator)
test_loader = DataLoader(data["test"], BATCH, collate_fn=collator)

model = DistilBertForTokenClassification(
    DistilBertConfig(
        vocab_size=len(tokenizer), dim=32, n_layers=1, n_heads=2, hidden_dim=64,
        max_position_embeddings=64, num_labels=len(TAGS), pad_token_id=tokenizer.pad_token_id,
    )
)
optimizer = torch.optim.AdamW(model.parameters(), lr=LR)
scheduler = get_linear_schedule_with_warmup(optimizer, EPOCHS * len(train_loader))

for epoch in range(EPOCHS):
    model.train()
    for batch in train_loader:
        batch.pop("token_type_ids", None)
        loss = model(**batch).loss
        loss.backward()
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad()
    print(f"epoch {epoch}: loss {loss.item():.4f}, token accuracy {evaluate(model, test_loader):.3f}")
