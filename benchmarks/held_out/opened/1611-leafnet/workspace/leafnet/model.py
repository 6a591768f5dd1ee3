from torch import nn


def block(cin, cout):
    return nn.Sequential(
        nn.Conv2d(cin, cout, 3, padding=1, bias=False),
        nn.BatchNorm2d(cout),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(2),
    )


class LeafNet(nn.Module):
    def __init__(self, widths, hidden, dropout, image_size, n_classes):
        super().__init__()
        layers, cin = [], 3
        for w in widths:
            layers.append(block(cin, w))
            cin = w
        self.features = nn.Sequential(*layers)
        side = image_size // 2 ** len(widths)
        self.classifier = nn.Sequential(
            nn.Flatten(),
            nn.Linear(cin * side * side, hidden),
            nn.ReLU(),
            nn.Dropout(dropout),
            nn.Linear(hidden, n_classes),
        )

    def forward(self, x):
        return self.classifier(self.features(x))
