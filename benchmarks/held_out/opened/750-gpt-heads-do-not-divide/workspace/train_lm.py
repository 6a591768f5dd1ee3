import itertools

import torch
import yaml
from torch.utils.data import DataLoader
from transformers import GPT2Config, GPT2LMHeadModel

from lm.corpus import Blocks, read_lines
from lm.tok import train_tokenizer

with open("conf/gpt.yaml") as f:
    cfg = yaml.safe_load(f)

torch.manual_seed(0)
lines = read_lines(cfg["text"])
tokenizer = train_tokenizer(lines, **cfg["tokenizer"])
ds = Blocks(lines, tokenizer, cfg["block_size"])
print(f"{len(lines)} lines, {len(ds)} blocks, vocabulary {len(tokenizer)}")

config = GPT2Config(
    vocab_size=len(tokenizer),
    n_positions=64,
    bos_token_id=tokenizer.eos_token_id,
    eos_token_id=tokenizer.eos_token_id,
    pad_token_id=tokenizer.pad_token_id,
    **cfg["model"],
)
model = GPT2LMHeadModel(config)
optimizer = torch.optim.AdamW(model.parameters(), lr=cfg["train"]["lr"])
loader = DataLoader(ds, batch_size=cfg["train"]["batch_size"], shuffle=True)


def forever(loader):
    while True:
        yield from loader


model.train()
for step, batch in enumerate(itertools.islice(forever(loader), cfg["train"]["steps"]), 1):
    out = model(**batch)
    out.loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    if step % 10 == 0:
        print(f"step {step} loss {out.loss.item():.4f}")

model.eval()
enc = tokenizer(cfg["generate"]["prompt"], return_tensors="pt", return_token_type_ids=False)
with torch.no_grad():
    gen = model.generate(**enc, max_new_tokens=cfg["generate"]["max_new_tokens"], do_sample=False)
print(tokenizer.decode(gen[0]))
