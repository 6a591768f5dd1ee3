import torch
from torch import nn


class Backbone(nn.Module):
    def __init__(self, channels):
        super().__init__()
        chans = [3] + list(channels)
        self.stages = nn.ModuleList(
            nn.Sequential(nn.Conv2d(a, b, 3, 2, 1, bias=False), nn.BatchNorm2d(b), nn.ReLU())
            for a, b in zip(chans, chans[1:])
        )
        self.out_channels = chans[-1]

    def forward(self, x):
        for s in self.stages:
            x = s(x)
        return x.mean((2, 3))


class Classifier(nn.Module):
    def __init__(self, channels, num_classes):
        super().__init__()
        self.backbone = Backbone(channels)
        self.head = nn.Linear(self.backbone.out_channels, num_classes)

    def forward(self, x):
        return self.head(self.backbone(x))


def load_pretrained(model, path, map_location, strict):
    state = torch.load(path, map_location=map_location, weights_only=True)
    state = {k: v for k, v in state["model"].items() if not k.startswith("head.")}
    missing, unexpected = model.load_state_dict(state, strict=strict)
    print(f"loaded {path}: missing {missing}, unexpected {unexpected}")
