import torch
import torch.nn as nn


def shared_mlp(widths):
    layers = []
    for cin, cout in zip(widths, widths[1:]):
        layers += [nn.Conv1d(cin, cout, 1), nn.BatchNorm1d(cout), nn.ReLU()]
    return nn.Sequential(*layers)


class TNet(nn.Module):
    """Predicts a 3x3 alignment of the input cloud."""

    def __init__(self, k=3):
        super().__init__()
        self.k = k
        self.local = shared_mlp([k, 16, 32])
        self.fc = nn.Linear(32, k * k)
        nn.init.zeros_(self.fc.weight)
        with torch.no_grad():
            self.fc.bias.copy_(torch.eye(k).flatten())

    def forward(self, x):
        g = self.local(x).max(dim=2).values
        return self.fc(g).view(-1, self.k, self.k)


class PointNet(nn.Module):
    def __init__(self, num_classes, mlp, fc, use_tnet=True):
        super().__init__()
        self.tnet = TNet() if use_tnet else None
        self.local = shared_mlp([3, *mlp])
        head, cin = [], mlp[-1]
        for cout in fc:
            head += [nn.Linear(cin, cout), nn.ReLU(), nn.Dropout(0.2)]
            cin = cout
        head.append(nn.Linear(cin, num_classes))
        self.head = nn.Sequential(*head)

    def forward(self, cloud):
        x = cloud.transpose(1, 2)            # (B, 3, N)
        align = None
        if self.tnet is not None:
            align = self.tnet(x)
            x = torch.bmm(align, x)
        g = self.local(x).max(dim=2).values
        return self.head(g), align


def orthogonality(align):
    eye = torch.eye(align.size(1), device=align.device)
    return ((align @ align.transpose(1, 2) - eye) ** 2).sum(dim=(1, 2)).mean()
