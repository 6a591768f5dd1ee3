import argparse

import torch
from torch import nn

from constants import BOS_ID, EOS_ID, MAX_DECODE, PAD_ID
from layers import Layer


class Seq2Seq(nn.Module):
    def __init__(self, vocab=120, dim=128, heads=4, depth=2):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=PAD_ID)
        self.pos = nn.Parameter(torch.randn(64, dim) * 0.02)
        self.enc = nn.ModuleList(Layer(dim, heads) for _ in range(depth))
        self.dec = nn.ModuleList(Layer(dim, heads, cross=True) for _ in range(depth))
        self.out = nn.Linear(dim, vocab)

    def embed(self, ids):
        return self.emb(ids) + self.pos[: ids.size(1)]

    def encode(self, src):
        mask = (src == PAD_ID)[:, None, None, :]
        x = self.embed(src)
        for layer in self.enc:
            x = layer(x, mask)
        return x, mask

    def decode(self, tgt, memory, memory_mask):
        n = tgt.size(1)
        causal = torch.ones(n, n, dtype=torch.bool, device=tgt.device).triu(1)
        x = self.embed(tgt)
        for layer in self.dec:
            x = layer(x, causal, memory, memory_mask)
        return self.out(x)


@torch.inference_mode()
def greedy(model, src):
    memory, mask = model.encode(src)
    tgt = torch.full((len(src), 1), BOS_ID, device=src.device)
    done = torch.zeros(len(src), dtype=torch.bool, device=src.device)
    while tgt.size(1) < MAX_DECODE and not done.all():
        nxt = model.decode(tgt, memory, mask)[:, -1].argmax(-1)
        nxt = nxt.masked_fill(done, PAD_ID)
        done |= nxt == EOS_ID
        tgt = torch.cat([tgt, nxt[:, None]], 1)
    return tgt[:, 1:]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--half", action="store_true", help="run in float16 as in serving")
    ap.add_argument("--batch", type=int, default=16)
    args = ap.parse_args()
    torch.manual_seed(0)
    model = Seq2Seq().cuda().eval()
    if args.half:
        model = model.half()
    lengths = torch.randint(5, 20, (args.batch,))
    src = torch.randint(3, 120, (args.batch, 20))
    src[torch.arange(20) >= lengths[:, None]] = PAD_ID
    out = greedy(model, src.cuda())
    print("decoded", tuple(out.shape), "first:", out[0].tolist()[:8])


if __name__ == "__main__":
    main()
