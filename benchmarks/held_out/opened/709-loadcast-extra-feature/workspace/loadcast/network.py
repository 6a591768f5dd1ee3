import torch
from torch import nn


class Forecaster(nn.Module):
    """LSTM encoder, linear head over the last state, one output per future step."""

    def __init__(self, input_size: int, hidden_size: int, num_layers: int, horizon: int) -> None:
        super().__init__()
        self.lstm = nn.LSTM(input_size, hidden_size, num_layers, batch_first=True)
        self.head = nn.Linear(hidden_size, horizon)

    def forward(self, past: torch.Tensor) -> torch.Tensor:
        out, (h, c) = self.lstm(past)
        return self.head(h[-1])
