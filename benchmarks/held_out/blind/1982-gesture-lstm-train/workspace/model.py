import torch
from torch import nn


class GestureLSTM(nn.Module):
    """Accelerometer sequence -> gesture class."""

    def __init__(
        self, channels, hidden_size, num_layers, num_classes, bidirectional, dropout
    ):
        super().__init__()
        self.norm = nn.LayerNorm(channels)
        self.lstm = nn.LSTM(
            channels,
            hidden_size,
            num_layers=num_layers,
            batch_first=True,
            bidirectional=bidirectional,
        )
        width = hidden_size * (2 if bidirectional else 1)
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(width, num_classes)

    def forward(self, x):
        out, _ = self.lstm(self.norm(x))
        pooled = out.mean(dim=1)
        return self.head(self.dropout(pooled))


def build_model(cfg):
    m = cfg["model"]
    return GestureLSTM(
        channels=cfg["data"]["channels"],
        hidden_size=m["hidden_size"],
        num_layers=m["num_layers"],
        num_classes=m["num_classes"],
        bidirectional=m["bidirectional"],
        dropout=m["dropout"],
    )
