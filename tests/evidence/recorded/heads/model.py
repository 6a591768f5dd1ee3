import torch
from torch import nn


class SensorTransformer(nn.Module):
    def __init__(self, features, d_model, heads, layers, classes):
        super().__init__()
        self.embed = nn.Linear(features, d_model)
        layer = nn.TransformerEncoderLayer(d_model, heads, dim_feedforward=2 * d_model, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers)
        self.head = nn.Linear(d_model, classes)

    def forward(self, x):
        hidden = self.encoder(self.embed(x))
        return self.head(hidden.mean(dim=1))
