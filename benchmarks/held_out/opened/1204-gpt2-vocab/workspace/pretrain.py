import argparse
import json
import random

import torch
from torch.nn.utils.rnn import pad_sequence
from transformers import GPT2Config, GPT2LMHeadModel, get_cosine_schedule_with_warmup, set_seed

from wordtok import WordTokenizer


def make_batches(encoded, batch_size, device):
    order = list(range(len(encoded)))
    random.shuffle(order)
    for i in range(0, len(order), batch_size):
        rows = [torch.tensor(encoded[j]) for j in order[i : i + batch_size]]
        ids = pad_sequence(rows, batch_first=True, padding_value=0)
        mask = (ids != 0).long()
        labels = ids.masked_fill(mask == 0, -100)
        yield {"input_ids": ids.to(device), "attention_mask": mask.to(device), "labels": labels.to(device)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--corpus", default="corpus.txt")
    parser.add_argument("--model-config", required=True)
    parser.add_argument("--epochs", type=int, default=30)
    args = parser.parse_args()
    set_seed(11)

    lines = [l.strip() for l in open(args.corpus) if l.strip()]
    tok = WordTokenizer(lines)
    encoded = [tok.encode(l) for l in lines]
    config = GPT2Config(**json.load(open(args.model_config)))
    model = GPT2LMHeadModel(config).to("cuda")
    print(f"{len(tok.itos)} words, {model.num_parameters() / 1e6:.2f}M parameters")

    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    total = args.epochs * -(-len(encoded) // 4)
    sched = get_cosine_schedule_with_warmup(opt, 10, total)
    for epoch in range(args.epochs):
        model.train()
        for batch in make_batches(encoded, 4, "cuda"):
            out = model(**batch)
            out.loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            sched.step()
            opt.zero_grad()
        if epoch % 10 == 9:
            print(f"epoch {epoch + 1} loss {out.loss.item():.3f}")

    model.eval()
    prompt = torch.tensor([tok.encode("the keeper")[:-1]], device="cuda")
    ids = model.generate(prompt, attention_mask=torch.ones_like(prompt), max_new_tokens=12, pad_token_id=0)
    print(tok.decode(ids[0].tolist()))


if __name__ == "__main__":
    main()
