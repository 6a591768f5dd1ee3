import torch.nn as nn


class ConvNet(nn.Module):
    def __init__(self, n_classes, width=16):
        super().__init__()
        self.backbone = nn.Sequential(
            nn.Conv2d(1, width, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(width, 2 * width, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(), nn.Linear(2 * width * 16, 48), nn.ReLU(),
        )
        self.fc = nn.Linear(48, n_classes)

    def forward(self, x):
        return self.fc(self.backbone(x))

    def freeze_backbone(self):
        for p in self.backbone.parameters():
            p.requires_grad = False

    def reset_head(self, n_classes):
        self.fc = nn.Linear(self.fc.in_features, n_classes)
