import torch
from torch import nn


class ConvSubsample(nn.Module):
    def __init__(self, n_mels, hidden):
        super().__init__()
        self.conv = nn.Conv1d(n_mels, hidden, kernel_size=5, stride=2, padding=2)
        self.norm = nn.GroupNorm(4, hidden)

    def forward(self, x, lengths):
        x = torch.relu(self.norm(self.conv(x)))
        return x, (lengths + 2 * 2 - 5) // 2 + 1


class DigitRecognizer(nn.Module):
    def __init__(self, frontend, n_mels, hidden_size, rnn_layers, n_tokens, dropout=0.0):
        super().__init__()
        self.frontend = frontend
        self.subsample = ConvSubsample(n_mels, hidden_size)
        self.rnn = nn.GRU(hidden_size, hidden_size, rnn_layers, batch_first=True, bidirectional=True)
        self.drop = nn.Dropout(dropout)
        self.head = nn.Linear(2 * hidden_size, n_tokens)

    def forward(self, wav, wav_lengths):
        feats = self.frontend(wav)
        feats = (feats - feats.mean(-1, keepdim=True)) / (feats.std(-1, keepdim=True) + 1e-3)
        lengths = self.frontend.out_lengths(wav_lengths)
        x, lengths = self.subsample(feats, lengths)
        x, _ = self.rnn(x.transpose(1, 2))
        log_probs = self.head(self.drop(x)).log_softmax(-1)
        return log_probs, lengths
