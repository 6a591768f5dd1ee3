import json
import sys

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader, Dataset

from lm import ConvLM


class Brackets(Dataset):
    """Random well-nested sequences over a few bracket kinds."""

    def __init__(self, n, seq_len, vocab):
        self.n, self.seq_len, self.kinds = n, seq_len + 1, vocab // 2

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        stack, out = [], []
        while len(out) < self.seq_len:
            if stack and torch.rand(1, generator=g) < 0.5:
                out.append(stack.pop() * 2 + 1)
            else:
                k = int(torch.randint(0, self.kinds, (1,), generator=g))
                stack.append(k)
                out.append(k * 2)
        return torch.tensor(out)


def main(path):
    cfg = json.load(open(path))
    t = cfg["train"]
    set_seed(cfg["seed"])
    accelerator = Accelerator(mixed_precision=cfg["mixed_precision"])
    model = ConvLM(**cfg["model"])
    data = Brackets(t["steps"] * t["batch_size"], t["seq_len"], cfg["model"]["vocab"])
    loader = DataLoader(data, batch_size=t["batch_size"])
    opt = torch.optim.AdamW(model.parameters(), lr=t["lr"])
    sched = torch.optim.lr_scheduler.LinearLR(opt, 0.1, 1.0, total_iters=10)
    model, opt, loader, sched = accelerator.prepare(model, opt, loader, sched)
    for step, seq in enumerate(loader):
        with accelerator.autocast():
            logits = model(seq[:, :-1])
            loss = cross_entropy(logits.flatten(0, 1).float(), seq[:, 1:].flatten())
        accelerator.backward(loss)
        norm = accelerator.clip_grad_norm_(model.parameters(), t["max_norm"])
        opt.step()
        sched.step()
        opt.zero_grad()
        if step % 10 == 0:
            accelerator.print(f"step {step} loss {loss.item():.3f} grad norm {float(norm):.2f}")


if __name__ == "__main__":
    main(sys.argv[1])
