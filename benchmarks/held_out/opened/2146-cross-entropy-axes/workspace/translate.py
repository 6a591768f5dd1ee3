import torch

from seq2seq import causal
from symbols import Symbols


@torch.no_grad()
def greedy(model, src, max_new):
    model.eval()
    memory = model.encode(src)
    out = torch.full((src.size(0), 1), Symbols.BOS, dtype=torch.long)
    for _ in range(max_new):
        logits = model.decode(out, memory, src, causal(out.size(1)))
        best = logits[:, -1].argmax(-1, keepdim=True)
        out = torch.cat([out, best], dim=1)
    return out


def exact_match(model, pairs, src_sym, tgt_sym, max_new=12):
    pred = greedy(model, src_sym.tensor([s for s, _ in pairs]), max_new)
    texts = [tgt_sym.text(row) for row in pred.tolist()]
    right = sum(p == t for p, (_, t) in zip(texts, pairs))
    return right / len(pairs), list(zip(texts, pairs))[:3]
