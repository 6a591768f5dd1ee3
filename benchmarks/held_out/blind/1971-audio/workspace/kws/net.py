import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class KeywordNet(nn.Module):
    KERNEL = 3

    def __init__(self, n_mels, n_words, channels, hidden, stride, dropout):
        super().__init__()
        self.stride = stride
        self.conv1 = nn.Conv1d(n_mels, channels, self.KERNEL, stride=stride)
        self.conv2 = nn.Conv1d(channels, channels, self.KERNEL, stride=stride, dilation=2)
        self.drop = nn.Dropout(dropout)
        self.gru = nn.GRU(channels, hidden, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * hidden, n_words)

    def out_lengths(self, lengths):
        for conv in (self.conv1, self.conv2):
            span = conv.dilation[0] * (self.KERNEL - 1) + 1
            lengths = (lengths - span) // conv.stride[0] + 1
        return lengths

    def forward(self, x, lengths):
        h = torch.relu(self.conv1(x.transpose(1, 2)))
        h = torch.relu(self.conv2(h)).transpose(1, 2)
        lengths = self.out_lengths(lengths)
        packed = pack_padded_sequence(self.drop(h), lengths.cpu(), batch_first=True, enforce_sorted=False)
        out, _ = pad_packed_sequence(self.gru(packed)[0], batch_first=True)
        mask = torch.arange(out.size(1), device=out.device)[None] < lengths[:, None]
        pooled = (out * mask[..., None]).sum(1) / lengths[:, None]
        return self.out(pooled)
