import torch
import torch.nn as nn


class CharCNN(nn.Module):
    def __init__(self, n_chars, n_languages, embed_dim, channels, kernels, dropout):
        super().__init__()
        self.embed = nn.Embedding(n_chars, embed_dim, padding_idx=0)
        self.convs = nn.ModuleList(nn.Conv1d(embed_dim, channels, k) for k in kernels)
        self.dropout = nn.Dropout(dropout)
        self.fc = nn.Linear(channels * len(kernels), n_languages)

    def forward(self, x):
        e = self.embed(x).transpose(1, 2)
        pooled = [conv(e).relu().amax(dim=2) for conv in self.convs]
        return self.fc(self.dropout(torch.cat(pooled, dim=1)))
