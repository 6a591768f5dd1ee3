import torch
import torch.nn as nn


class ConvSubsampling(nn.Module):
    """Two stride-2 convolutions over time."""

    def __init__(self, n_mels, channels):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv1d(n_mels, channels, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.Conv1d(channels, channels, 3, stride=2, padding=1),
            nn.ReLU(),
        )

    def forward(self, x):
        return self.net(x.transpose(1, 2)).transpose(1, 2)


class CTCModel(nn.Module):
    def __init__(self, n_mels, n_symbols, channels, hidden, dropout, subsampling):
        super().__init__()
        self.subsampling = subsampling
        self.front = ConvSubsampling(n_mels, channels)
        self.rnn = nn.GRU(channels, hidden, batch_first=True, bidirectional=True)
        self.drop = nn.Dropout(dropout)
        self.out = nn.Linear(2 * hidden, n_symbols)

    def output_lengths(self, feat_lens):
        return torch.div(feat_lens + self.subsampling - 1, self.subsampling, rounding_mode="floor")

    def forward(self, feats, feat_lens):
        h, _ = self.rnn(self.front(feats))
        return self.out(self.drop(h)).log_softmax(-1), self.output_lengths(feat_lens)
