import torch
from torch import nn


class ConvGRU(nn.Module):
    def __init__(self, cfg, n_out):
        super().__init__()
        w, k = cfg["width"], cfg["kernel"]
        self.subsampling = cfg["subsampling"]
        blocks, c = [], 1
        for s in cfg["strides"]:
            blocks += [nn.Conv1d(c, w, k, stride=s, padding=k // 2), nn.BatchNorm1d(w), nn.ReLU()]
            c = w
        self.conv = nn.Sequential(*blocks)
        self.gru = nn.GRU(w, w, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * w, n_out)

    def frames(self, lengths):
        """Number of output frames that come from so many input samples."""
        return torch.div(lengths - 1, self.subsampling, rounding_mode="floor") + 1

    def forward(self, wave, lengths):
        h = self.conv(wave[:, None]).transpose(1, 2)
        h, _ = self.gru(h)
        return self.out(h).log_softmax(-1), self.frames(lengths)
