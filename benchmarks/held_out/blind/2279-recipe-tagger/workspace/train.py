import json
from pathlib import Path

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

from optim import build_optimizer, build_schedule
from tagger import TAGS, Tagger, Vocab, collate, make_lines

HERE = Path(__file__).parent
hp = json.loads((HERE / "hparams.json").read_text())
torch.manual_seed(hp["seed"])

train_lines, test_lines = make_lines(hp["n_train"], 1), make_lines(100, 2)
vocab = Vocab(train_lines)
train = DataLoader([vocab.encode(l) for l in train_lines], hp["batch_size"], shuffle=True, collate_fn=collate)
test = DataLoader([vocab.encode(l) for l in test_lines], 50, collate_fn=collate)

model = Tagger(len(vocab))
total = hp["epochs"] * len(train)
opt = build_optimizer(model, hp["optimizer"], hp["lr"])
sched = build_schedule(opt, hp["schedule"], total, warmup=hp["warmup"])
print(f"{len(vocab)} words, {len(TAGS)} tags, {total} steps")

for epoch in range(hp["epochs"]):
    model.train()
    for ids, tags, lengths in train:
        logits = model(ids, lengths)
        loss = F.cross_entropy(logits.flatten(0, 1), tags.flatten(), ignore_index=-100)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if hp["schedule"] != "none":
            sched.step()
    model.eval()
    good = seen = 0
    with torch.no_grad():
        for ids, tags, lengths in test:
            mask = tags != -100
            good += (model(ids, lengths).argmax(-1)[mask] == tags[mask]).sum().item()
            seen += mask.sum().item()
    lr = opt.param_groups[0]["lr"]
    print(f"epoch {epoch}: loss {loss.item():.3f} tag accuracy {good / seen:.3f} lr {lr:.2e}")
