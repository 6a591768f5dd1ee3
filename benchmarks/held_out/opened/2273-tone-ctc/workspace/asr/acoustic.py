import torch.nn as nn
import torch.nn.functional as F


class AcousticModel(nn.Module):
    """Two strided convolutions (4x fewer frames), a BiGRU and a linear layer."""

    def __init__(self, n_mels, channels, rnn, n_symbols):
        super().__init__()
        self.conv1 = nn.Conv1d(n_mels, channels, 3, stride=2, padding=1)
        self.conv2 = nn.Conv1d(channels, channels, 3, stride=2, padding=1)
        self.rnn = nn.GRU(channels, rnn, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * rnn, n_symbols)

    def output_lengths(self, lengths):
        return (lengths + 1) // 2

    def forward(self, mel, lengths):
        x = F.relu(self.conv1(mel.transpose(1, 2)))
        x = F.relu(self.conv2(x)).transpose(1, 2)
        x, _ = self.rnn(x)
        return self.out(x).log_softmax(dim=-1), self.output_lengths(lengths)
