import argparse
import tomllib

import torch
import torch.nn.functional as F

from evaluate import perplexity
from lm import RecipeLM
from tokens import Vocab, encode_stream


def load_config():
    p = argparse.ArgumentParser()
    p.add_argument("--config", default="config.toml")
    p.add_argument("--steps", type=int)
    a = p.parse_args()
    with open(a.config, "rb") as fh:
        cfg = tomllib.load(fh)
    if a.steps:
        cfg["train"]["steps"] = a.steps
    return cfg


def sample_batch(stream, seq_len, batch_size, gen):
    at = torch.randint(len(stream) - seq_len - 1, (batch_size,), generator=gen)
    rows = torch.stack([stream[i : i + seq_len + 1] for i in at])
    return rows[:, :-1], rows[:, 1:]


def main():
    cfg = load_config()
    torch.manual_seed(cfg["seed"])
    torch.set_num_threads(1)
    gen = torch.Generator().manual_seed(cfg["seed"])

    lines = open(cfg["data"]["path"]).read().splitlines()
    cut = len(lines) - cfg["data"]["val_lines"]
    vocab = Vocab(lines[:cut], cfg["data"]["min_count"])
    train = torch.tensor(encode_stream(lines[:cut], vocab))
    val = torch.tensor(encode_stream(lines[cut:], vocab))

    t = cfg["train"]
    model = RecipeLM(len(vocab), t["seq_len"], **cfg["model"])
    print(f"{cfg['run_name']}: vocab {len(vocab)}, train tokens {len(train)}, val tokens {len(val)}, "
          f"params {sum(p.numel() for p in model.parameters())}")
    opt = torch.optim.AdamW(model.parameters(), lr=t["lr"], betas=(0.9, 0.98))
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1.0, (s + 1) / t["warmup"]))

    for step in range(1, t["steps"] + 1):
        x, y = sample_batch(train, t["seq_len"], t["batch_size"], gen)
        loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
        opt.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        sched.step()
        if step % 20 == 0:
            print(f"step {step:4d}  loss {loss.item():.3f}")
        if step % cfg["eval"]["every"] == 0:
            print(f"step {step:4d}  val ppl {perplexity(model, val, cfg['eval']['seq_len']):.2f}")


if __name__ == "__main__":
    main()
