import argparse, math, random

import torch
from torch.utils.data import DataLoader
from transformers import get_linear_schedule_with_warmup, set_seed

from corpus import RecipeDataset, as_prompt, read_recipes
from lm import build_lm
from tok import train_bpe

p = argparse.ArgumentParser()
p.add_argument("--data", default="data/recipes.txt")
p.add_argument("--vocab", type=int, default=300)
p.add_argument("--block", type=int, default=96)
p.add_argument("--bs", type=int, default=8)
p.add_argument("--epochs", type=int, default=6)
p.add_argument("--lr", type=float, default=2e-3)
args = p.parse_args()

set_seed(0)
tok = train_bpe(args.data, args.vocab)
recipes = read_recipes(args.data)
random.shuffle(recipes)
n_val = max(4, len(recipes) // 10)
train = RecipeDataset(recipes[n_val:], tok, args.block)
val = RecipeDataset(recipes[:n_val], tok, args.block)
print(f"{len(train)} recipes for training, {len(val)} held out")
print("sample:", tok.decode(train[0]["input_ids"][:20]))

model = build_lm(tok, args.block)
opt = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=0.01)
dl = DataLoader(train, batch_size=args.bs, shuffle=True)
sched = get_linear_schedule_with_warmup(opt, 10, args.epochs * len(dl))


@torch.no_grad()
def ppl():
    model.eval()
    losses = [model(**b).loss.item() for b in DataLoader(val, batch_size=args.bs)]
    return math.exp(sum(losses) / len(losses))


for ep in range(args.epochs):
    model.train()
    run = 0.0
    for batch in dl:
        loss = model(**batch).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        sched.step()
        opt.zero_grad(set_to_none=True)
        run += loss.item()
    print(f"epoch {ep + 1}: loss {run / len(dl):.3f}  val ppl {ppl():.1f}")

model.eval()
enc = tok(as_prompt("tomato soup"), return_tensors="pt")
gen = model.generate(input_ids=enc["input_ids"], attention_mask=enc["attention_mask"],
                     max_new_tokens=30, do_sample=False)
print(tok.decode(gen[0]))
