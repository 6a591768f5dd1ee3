from torch import nn


class TileNet(nn.Module):
    def __init__(self, n_classes, width):
        super().__init__()
        w = width
        self.backbone = nn.Sequential(
            nn.Conv2d(1, w, 5, padding=2), nn.GroupNorm(4, w), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(w, 2 * w, 3, padding=1), nn.GroupNorm(4, 2 * w), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(2 * w, 4 * w, 3, padding=1), nn.ReLU(),
            nn.AdaptiveAvgPool2d(1), nn.Flatten(),
        )
        self.feat_dim = 4 * w
        self.head = nn.Linear(self.feat_dim, n_classes)

    def new_head(self, n_classes):
        self.head = nn.Linear(self.feat_dim, n_classes)

    def freeze_backbone(self):
        for p in self.backbone.parameters():
            p.requires_grad = False

    def forward(self, x):
        return self.head(self.backbone(x))
