import argparse
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader

from asr.data import CHARS, Utterances, collate
from asr.features import N_BANDS
from asr.model import ConvGRU


def get_args():
    p = argparse.ArgumentParser(prog="asr.train")
    p.add_argument("--transcripts", required=True)
    p.add_argument("--wav", required=True)
    p.add_argument("--epochs", type=int, default=10)
    p.add_argument("--batch-size", type=int, default=8)
    p.add_argument("--hidden", type=int, default=64)
    p.add_argument("--lr", type=float, default=1e-3)
    p.add_argument("--exp-dir", type=Path, required=True)
    return p.parse_args()


def greedy(log_probs, length):
    best = log_probs[:length].argmax(-1).unique_consecutive()
    return "".join(CHARS[i] for i in best if i != 0)


def main():
    args = get_args()
    torch.manual_seed(0)
    data = Utterances(args.transcripts, args.wav)
    loader = DataLoader(data, args.batch_size, shuffle=True, collate_fn=collate)
    model = ConvGRU(N_BANDS, args.hidden, len(CHARS))
    ctc = nn.CTCLoss(blank=0, zero_infinity=True)
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)

    for epoch in range(args.epochs):
        losses = []
        for feats, n_frames, targets, n_chars in loader:
            log_probs, lengths = model(feats, n_frames)
            loss = ctc(log_probs.transpose(0, 1), targets, lengths, n_chars)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            opt.step()
            losses.append(loss.item())
        print(f"epoch {epoch + 1}: ctc {sum(losses) / len(losses):.3f}")

    args.exp_dir.mkdir(parents=True, exist_ok=True)
    torch.save({"model": model.state_dict(), "chars": CHARS}, args.exp_dir / "last.pt")
    print("sample:", repr(greedy(log_probs[0], lengths[0])))


if __name__ == "__main__":
    main()
