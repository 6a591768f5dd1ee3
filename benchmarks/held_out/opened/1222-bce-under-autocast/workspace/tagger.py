import argparse
import json

import torch
from torch import nn

from objectives import OBJECTIVES


class BagTagger(nn.Module):
    def __init__(self, vocab, embed_dim, tags):
        super().__init__()
        self.bag = nn.EmbeddingBag(vocab, embed_dim, mode="mean")
        self.mlp = nn.Sequential(nn.Linear(embed_dim, 128), nn.GELU(), nn.Dropout(0.1), nn.Linear(128, tags))

    def forward(self, tokens, offsets):
        return self.mlp(self.bag(tokens, offsets))


def make_batch(cfg, gen):
    """Every tag owns a slice of the vocabulary; documents mix words of their tags."""
    words_per_tag = cfg["vocab"] // cfg["tags"]
    target = (torch.rand(cfg["batch_size"], cfg["tags"], generator=gen) < 0.15).float()
    tokens, offsets = [], []
    for row in target:
        offsets.append(sum(len(t) for t in tokens))
        own = row.nonzero().flatten()
        doc = [torch.randint(0, cfg["vocab"], (5,), generator=gen)]
        for tag in own.tolist():
            doc.append(tag * words_per_tag + torch.randint(0, words_per_tag, (6,), generator=gen))
        tokens.append(torch.cat(doc))
    return torch.cat(tokens), torch.tensor(offsets), target


def micro_f1(logits, target):
    pred = (logits > 0).float()
    tp = (pred * target).sum()
    return (2 * tp / (pred.sum() + target.sum()).clamp(min=1)).item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default="tagger.json")
    with open(parser.parse_args().config) as fh:
        cfg = json.load(fh)
    torch.manual_seed(0)
    gen = torch.Generator().manual_seed(0)
    model = BagTagger(cfg["vocab"], cfg["embed_dim"], cfg["tags"]).to("cuda")
    objective = OBJECTIVES[cfg["loss"]]()
    opt = torch.optim.Adam(model.parameters(), lr=cfg["lr"])
    scaler = torch.amp.GradScaler("cuda")
    for step in range(cfg["steps"]):
        tokens, offsets, target = (t.to("cuda") for t in make_batch(cfg, gen))
        with torch.autocast("cuda", dtype=getattr(torch, cfg["amp_dtype"])):
            logits = model(tokens, offsets)
            loss = objective(logits, target)
        opt.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(opt)
        scaler.update()
        if (step + 1) % 20 == 0:
            print(f"step {step + 1} loss {loss.item():.4f} micro-f1 {micro_f1(logits, target):.3f}")


if __name__ == "__main__":
    main()
