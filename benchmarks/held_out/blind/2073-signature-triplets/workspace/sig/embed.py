import torch.nn as nn
import torch.nn.functional as F


class StrokeEncoder(nn.Module):
    def __init__(self, dim=16, hidden=32):
        super().__init__()
        self.rnn = nn.GRU(3, hidden, batch_first=True, bidirectional=True)
        self.proj = nn.Linear(2 * hidden, dim)

    def forward(self, x):
        out, _ = self.rnn(x)
        return F.normalize(self.proj(out.mean(1)), dim=-1)
