import torch.nn as nn
import torch.nn.functional as F


class CausalConv(nn.Module):
    def __init__(self, cin, cout, kernel, dilation):
        super().__init__()
        self.pad = (kernel - 1) * dilation
        self.conv = nn.Conv1d(cin, cout, kernel, dilation=dilation)
        self.skip = nn.Conv1d(cin, cout, 1) if cin != cout else nn.Identity()

    def forward(self, x):
        return F.relu(self.conv(F.pad(x, (self.pad, 0)))) + self.skip(x)


class TCN(nn.Module):
    def __init__(self, in_channels, hidden, dilations, kernel):
        super().__init__()
        blocks, c = [], in_channels
        for d in dilations:
            blocks.append(CausalConv(c, hidden, kernel, d))
            c = hidden
        self.body = nn.Sequential(*blocks)
        self.out = nn.Linear(hidden, 1)

    def forward(self, x):
        h = self.body(x.transpose(1, 2))
        return self.out(h[:, :, -1]).squeeze(-1)


class GRUHead(nn.Module):
    def __init__(self, in_channels, hidden):
        super().__init__()
        self.gru = nn.GRU(in_channels, hidden, batch_first=True)
        self.out = nn.Linear(hidden, 1)

    def forward(self, x):
        h, _ = self.gru(x)
        return self.out(h[:, -1]).squeeze(-1)
