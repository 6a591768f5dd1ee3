import torch
import torch.nn as nn

from batching import loader, pad_mask
from model import Seq2Seq
from vocab import BOS, PAD, VOCAB_SIZE, decode


def batch_loss(model, criterion, src, tgt):
    tgt_in, tgt_out = tgt[:, :-1], tgt[:, 1:]
    src_pad = pad_mask(src)
    tgt_pad = pad_mask(tgt)
    logits = model(src, tgt_in, src_pad, tgt_pad)
    return criterion(logits.reshape(-1, logits.size(-1)), tgt_out.reshape(-1))


@torch.no_grad()
def evaluate(model, criterion, dl):
    model.eval()
    losses = [batch_loss(model, criterion, s, t).item() for s, t in dl]
    return sum(losses) / len(losses)


def show_samples(model, dl, n=3):
    src, tgt = next(iter(dl))
    hyp = model.greedy(src[:n], pad_mask(src[:n]), BOS, tgt.size(1) - 1)
    for s, t, h in zip(src[:n], tgt, hyp):
        print(f"  {decode(s.tolist())!r:28} -> {decode(h.tolist())!r} (gold {decode(t.tolist())!r})")


def main():
    torch.manual_seed(0)
    train_dl = loader(640, seed=1, shuffle=True)
    valid_dl = loader(96, seed=2)
    model = Seq2Seq(VOCAB_SIZE)
    criterion = nn.CrossEntropyLoss(ignore_index=PAD)
    opt = torch.optim.AdamW(model.parameters(), lr=3e-3)
    print(f"{sum(p.numel() for p in model.parameters()):,} parameters")
    for epoch in range(1, 6):
        model.train()
        for src, tgt in train_dl:
            loss = batch_loss(model, criterion, src, tgt)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
        print(f"epoch {epoch} train {loss.item():.3f} valid {evaluate(model, criterion, valid_dl):.3f}")
    show_samples(model, valid_dl)


if __name__ == "__main__":
    main()
