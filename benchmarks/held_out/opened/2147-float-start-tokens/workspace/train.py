import json
import random

import torch
import torch.nn.functional as F

from dates import make_pairs
from seq2seq import DateTransformer, causal
from symbols import Symbols
from translate import exact_match

hp = json.load(open("hparams.json"))
torch.manual_seed(hp["seed"])
random.seed(hp["seed"])

train_pairs = make_pairs(hp["n_train"], seed=1)
test_pairs = make_pairs(hp["n_test"], seed=2)
src_sym = Symbols([s for s, _ in train_pairs])
tgt_sym = Symbols([t for _, t in train_pairs])

model = DateTransformer(len(src_sym), len(tgt_sym), hp)
opt = torch.optim.Adam(model.parameters(), lr=hp["lr"])


def step(pairs):
    src = src_sym.tensor([s for s, _ in pairs])
    tgt = tgt_sym.tensor([t for _, t in pairs])
    tgt_in, tgt_out = tgt[:, :-1], tgt[:, 1:]
    logits = model(src, tgt_in, causal(tgt_in.size(1)))
    return F.cross_entropy(logits.transpose(1, 2), tgt_out, ignore_index=Symbols.PAD)


for i in range(1, hp["steps"] + 1):
    model.train()
    loss = step(random.sample(train_pairs, hp["batch"]))
    opt.zero_grad()
    loss.backward()
    opt.step()
    if i % 20 == 0:
        print(f"step {i} loss {loss.item():.3f}")

acc, examples = exact_match(model, test_pairs, src_sym, tgt_sym)
for got, (source, want) in examples:
    print(f"{source!r} -> {got} (want {want})")
print(f"exact match {acc:.2f}")
