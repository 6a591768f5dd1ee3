from torch import nn


class Residual(nn.Module):
    def __init__(self, width, dropout, norm):
        super().__init__()
        self.body = nn.Sequential(norm(width), nn.Linear(width, 2 * width), nn.GELU(),
                                  nn.Dropout(dropout), nn.Linear(2 * width, width))

    def forward(self, x):
        return x + self.body(x)


class ResMLP(nn.Module):
    def __init__(self, d_in, d_out, width, depth, dropout=0.0, norm=nn.LayerNorm):
        super().__init__()
        self.stem = nn.Linear(d_in, width)
        self.blocks = nn.Sequential(*[Residual(width, dropout, norm) for _ in range(depth)])
        self.head = nn.Sequential(norm(width), nn.Linear(width, d_out))

    def forward(self, x):
        return self.head(self.blocks(self.stem(x)))
