import argparse
import random

import torch
from torch.nn.utils.rnn import pad_sequence

from bpe import BPE
from lm import CausalLM, lm_loss


def batches(seqs, size, pad_id):
    random.shuffle(seqs)
    for i in range(0, len(seqs), size):
        yield pad_sequence([torch.tensor(s) for s in seqs[i : i + size]], True, pad_id)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--corpus", default="data/corpus.txt")
    ap.add_argument("--merges", type=int, default=120)
    ap.add_argument("--epochs", type=int, default=3)
    ap.add_argument("--batch", type=int, default=32)
    ap.add_argument("--tokenizer", default="tokenizer.json")
    ap.add_argument("--out", default="lm.pt")
    args = ap.parse_args()
    random.seed(0)
    torch.manual_seed(0)

    lines = open(args.corpus).read().splitlines()
    tok = BPE().fit(lines, args.merges)
    tok.save(args.tokenizer)
    seqs = [tok.encode(s) for s in lines]
    longest = max(map(len, seqs))
    print(f"{len(lines)} lines, {len(tok)} tokens, longest {longest}")

    net = CausalLM(len(tok), max_len=longest)
    opt = torch.optim.AdamW(net.parameters(), lr=3e-3)
    for epoch in range(args.epochs):
        total, n = 0.0, 0
        for ids in batches(seqs, args.batch, tok.vocab["<pad>"]):
            loss = lm_loss(net(ids), ids, tok.vocab["<pad>"])
            opt.zero_grad()
            loss.backward()
            opt.step()
            total, n = total + loss.item(), n + 1
        print(f"epoch {epoch} loss {total / n:.3f}")
    torch.save({"weights": net.state_dict(), "max_len": longest}, args.out)


if __name__ == "__main__":
    main()
