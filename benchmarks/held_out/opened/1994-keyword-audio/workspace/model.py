import torch.nn as nn

from features import LogMel


class KeywordNet(nn.Module):
    def __init__(self, params):
        super().__init__()
        mels = params["features"]["n_mels"]
        self.frontend = LogMel(params["sample_rate"], **params["features"])
        self.norm = nn.BatchNorm1d(mels)
        self.conv = nn.Sequential(
            nn.Conv1d(mels, 24, 5, padding=2), nn.ReLU(), nn.MaxPool1d(2),
            nn.Conv1d(24, 32, 3, padding=1), nn.ReLU(), nn.AdaptiveMaxPool1d(3),
        )
        self.out = nn.Linear(32 * 3, len(params["words"]))

    def forward(self, wave):
        x = self.norm(self.frontend(wave))
        return self.out(self.conv(x).flatten(1))
