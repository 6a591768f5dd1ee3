#!/usr/bin/env python
import json
import sys
from types import SimpleNamespace

import torch
from torch.utils.data import DataLoader

from asr import DigitRecognizer, LogMelSpectrogram
from asr.data import ToneDigits, collate_utterances


def greedy_decode(log_probs, lengths, alphabet):
    best = log_probs.argmax(-1).T
    out = []
    for row, n in zip(best, lengths):
        collapsed = torch.unique_consecutive(row[:n])
        out.append("".join(alphabet[i - 1] for i in collapsed.tolist() if i > 0))
    return out


def edit_distance(a, b):
    prev = list(range(len(b) + 1))
    for i, ca in enumerate(a, 1):
        cur = [i]
        for j, cb in enumerate(b, 1):
            cur.append(min(prev[j] + 1, cur[-1] + 1, prev[j - 1] + (ca != cb)))
        prev = cur
    return prev[-1]


def main(path="config.json"):
    cfg = SimpleNamespace(**json.load(open(path)))
    torch.manual_seed(0)
    train = ToneDigits(cfg.n_train, cfg.sample_rate, cfg.alphabet, seed=1)
    valid = ToneDigits(cfg.n_valid, cfg.sample_rate, cfg.alphabet, seed=2)
    loader = DataLoader(train, cfg.batch_size, shuffle=True, collate_fn=collate_utterances, drop_last=True)
    valid_loader = DataLoader(valid, cfg.n_valid, collate_fn=collate_utterances)

    frontend = LogMelSpectrogram(cfg.sample_rate, cfg.n_fft, cfg.hop_length, cfg.n_mels)
    model = DigitRecognizer(frontend, cfg.n_mels, cfg.hidden_size, cfg.rnn_layers,
                            n_tokens=len(cfg.alphabet) + 1, dropout=cfg.dropout)
    ctc = torch.nn.CTCLoss(blank=0, zero_infinity=True)
    optim = torch.optim.Adam(model.parameters(), lr=cfg.max_lr)
    sched = torch.optim.lr_scheduler.OneCycleLR(optim, cfg.max_lr, epochs=cfg.epochs, steps_per_epoch=len(loader))

    for epoch in range(cfg.epochs):
        model.train()
        running = 0.0
        for wav, wav_len, tgt, tgt_len in loader:
            log_probs, out_len = model(wav, wav_len)
            loss = ctc(log_probs, tgt, out_len, tgt_len)
            optim.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optim.step()
            sched.step()
            running += loss.item()
        model.eval()
        with torch.inference_mode():
            wav, wav_len, tgt, tgt_len = next(iter(valid_loader))
            log_probs, out_len = model(wav, wav_len)
            hyps = greedy_decode(log_probs, out_len, cfg.alphabet)
        errors = sum(edit_distance(h, r) for h, r in zip(hyps, valid.texts))
        cer = errors / sum(map(len, valid.texts))
        print(f"[epoch {epoch}] loss {running / len(loader):.3f}  CER {cer:.3f}  e.g. {valid.texts[0]!r} -> {hyps[0]!r}")


if __name__ == "__main__":
    main(*sys.argv[1:])
