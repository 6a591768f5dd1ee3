import torch
from torch import nn

from tones import N_FFT, SYMBOLS


class Subsample(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv1d(n_in, n_out, 5, stride=2, padding=2),
            nn.GELU(),
            nn.Conv1d(n_out, n_out, 3, stride=2, padding=1),
            nn.GELU(),
        )

    def forward(self, x):
        return self.net(x.transpose(1, 2)).transpose(1, 2)


class Encoder(nn.Module):
    def __init__(self, width=96, layers=1, dropout=0.1):
        super().__init__()
        self.norm = nn.LayerNorm(N_FFT // 2 + 1)
        self.front = Subsample(N_FFT // 2 + 1, width)
        self.rnn = nn.GRU(width, width, layers, batch_first=True, bidirectional=True)
        self.drop = nn.Dropout(dropout)
        self.out = nn.Linear(2 * width, len(SYMBOLS) + 1)

    def forward(self, feats, lens):
        x = self.front(self.norm(feats))
        x, _ = self.rnn(x)
        log_probs = self.out(self.drop(x)).log_softmax(-1)
        return log_probs, lens


def greedy(log_probs, lens, blank=0):
    texts = []
    for row, n in zip(log_probs.argmax(-1), lens):
        ids = torch.unique_consecutive(row[:n])
        texts.append("".join(SYMBOLS[i - 1] for i in ids.tolist() if i != blank))
    return texts
