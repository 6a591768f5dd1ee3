import torch
import torch.nn as nn


class TDNN(nn.Module):
    """Dilated convolutions over time, mean over the valid frames."""

    def __init__(self, n_mels, channels, n_words):
        super().__init__()
        self.norm = nn.LayerNorm(n_mels)
        self.c1 = nn.Conv1d(n_mels, channels, 3, padding=1)
        self.c2 = nn.Conv1d(channels, channels, 3, padding=2, dilation=2)
        self.fc = nn.Linear(2 * channels, n_words)

    def forward(self, feats, frames):
        x = self.norm(feats).transpose(1, 2)
        x = torch.relu(self.c1(x))
        x = torch.relu(self.c2(x))
        keep = torch.arange(x.size(2))[None, :] < frames[:, None]
        keep = keep.unsqueeze(1)
        mean = (x * keep).sum(2) / frames[:, None]
        peak = x.masked_fill(~keep, 0.0).amax(2)
        return self.fc(torch.cat([mean, peak], dim=1))
