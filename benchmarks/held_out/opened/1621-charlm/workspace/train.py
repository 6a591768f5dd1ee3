import argparse
import tomllib
from pathlib import Path

import torch
import torch.nn.functional as F

from charlm.model import LSTMLanguageModel
from charlm.vocab import Vocab


def windows(ids, context):
    """All overlapping (input, target) windows of the token stream."""
    chunks = ids.unfold(0, context + 1, 1)
    return chunks[:, :-1], chunks[:, 1:]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default="config.toml")
    parser.add_argument("--out", type=Path, default=Path("runs/latest"))
    args = parser.parse_args()

    cfg = tomllib.loads(Path(args.config).read_text())
    torch.manual_seed(cfg["train"]["seed"])

    lines = Path(cfg["data"]["corpus"]).read_text().splitlines()
    vocab = Vocab.build(lines, cfg["data"]["min_count"])
    stream = torch.tensor([i for line in lines for i in vocab.encode(line)])
    x, y = windows(stream, cfg["data"]["context"])
    print(f"vocab {len(vocab)}  tokens {len(stream)}  windows {len(x)}")

    model = LSTMLanguageModel(len(vocab), **cfg["model"])
    opt = torch.optim.AdamW(model.parameters(), lr=cfg["train"]["lr"])
    for step in range(1, cfg["train"]["steps"] + 1):
        pick = torch.randint(len(x), (cfg["train"]["batch_size"],))
        logits, _ = model(x[pick])
        loss = F.cross_entropy(logits.flatten(0, 1), y[pick].flatten())
        opt.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        if step % 50 == 0:
            print(f"step {step:4d}  loss {loss.item():.3f}")

    args.out.mkdir(parents=True, exist_ok=True)
    vocab.save(args.out / "vocab.json")
    torch.save({"model": model.state_dict(), "cfg": cfg}, args.out / "model.pt")
    print("saved to", args.out)


if __name__ == "__main__":
    main()
