import sys
import time

import torch
import yaml
from torch import nn

from attn import RotaryAttention


class ByteLM(nn.Module):
    def __init__(self, layers, vocab, attention):
        super().__init__()
        dim = attention["heads"] * attention["head_dim"]
        self.emb = nn.Embedding(vocab, dim)
        self.norms = nn.ModuleList(nn.RMSNorm(dim) for _ in range(layers))
        self.attn = nn.ModuleList(
            RotaryAttention(attention["heads"], attention["head_dim"], attention["backend"]) for _ in range(layers)
        )
        self.head = nn.Linear(dim, vocab, bias=False)

    def forward(self, ids):
        x = self.emb(ids)
        for norm, attn in zip(self.norms, self.attn):
            x = x + attn(norm(x))
        return self.head(x)


def main(path):
    with open(path) as fh:
        cfg = yaml.safe_load(fh)
    m, t = cfg["model"], cfg["train"]
    torch.manual_seed(0)
    model = ByteLM(m["layers"], m["vocab"], cfg["attention"]).to("cuda", getattr(torch, m["dtype"]))
    opt = torch.optim.AdamW(model.parameters(), lr=t["lr"])
    pattern = torch.randint(0, m["vocab"], (97,), device="cuda")
    tokens = 0
    start = time.time()
    for step in range(t["steps"]):
        offset = torch.randint(0, 97, (t["batch_size"], 1), device="cuda")
        ids = pattern[(offset + torch.arange(t["seq_len"] + 1, device="cuda")) % 97]
        logits = model(ids[:, :-1])
        loss = nn.functional.cross_entropy(logits.float().flatten(0, 1), ids[:, 1:].flatten())
        opt.zero_grad()
        loss.backward()
        opt.step()
        tokens += ids[:, 1:].numel()
        print(f"{cfg['name']} step {step} loss {loss.item():.3f}")
    print(f"{tokens / (time.time() - start):.0f} tokens/s, peak {torch.cuda.max_memory_allocated() / 2**20:.0f} MiB")


if __name__ == "__main__":
    main(sys.argv[1])
