import torch
import torch.nn as nn
import torch.nn.functional as F


class CausalConv(nn.Conv1d):
    def forward(self, x):
        pad = (self.kernel_size[0] - 1) * self.dilation[0]
        return super().forward(F.pad(x, (pad, 0)))


class Block(nn.Module):
    def __init__(self, ch, kernel, dilation):
        super().__init__()
        self.a = CausalConv(ch, ch, kernel, dilation=dilation)
        self.b = CausalConv(ch, ch, kernel, dilation=dilation)
        self.norm = nn.GroupNorm(4, ch)

    def forward(self, x):
        return x + self.b(F.gelu(self.norm(self.a(x))))


class TCN(nn.Module):
    def __init__(self, n_in, n_out, horizon, channels, levels, kernel):
        super().__init__()
        self.inp = nn.Conv1d(n_in, channels, 1)
        self.blocks = nn.Sequential(*[Block(channels, kernel, 2 ** i) for i in range(levels)])
        self.out = nn.Linear(channels, n_out * horizon)
        self.shape = (horizon, n_out)

    def forward(self, x):                      # (B, T, n_in)
        h = self.blocks(self.inp(x.transpose(1, 2)))
        return self.out(h[..., -1]).unflatten(-1, self.shape)
