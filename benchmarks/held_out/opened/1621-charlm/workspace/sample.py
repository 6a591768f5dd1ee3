import argparse
from pathlib import Path

import torch

from charlm.model import LSTMLanguageModel
from charlm.vocab import Vocab


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--run", type=Path, default=Path("runs/latest"))
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()

    ckpt = torch.load(args.run / "model.pt", weights_only=True)
    cfg = ckpt["cfg"]
    vocab = Vocab.load(args.run / "vocab.json")
    model = LSTMLanguageModel(len(vocab), **cfg["model"])
    model.load_state_dict(ckpt["model"])
    print(f"loaded {args.run} with {len(vocab)} words")

    opts = cfg["sample"]
    prompt = vocab.encode(opts["prompt"], eol=False)
    gen = torch.Generator().manual_seed(args.seed)
    ids = model.generate(prompt, opts["length"], opts["temperature"], gen)
    print(vocab.decode(ids))


if __name__ == "__main__":
    main()
