from torch import nn


class TinyDetector(nn.Module):
    def __init__(self, n_classes, width=24):
        super().__init__()
        layers, cin = [], 3
        for _ in range(3):
            layers += [nn.Conv2d(cin, width, 3, stride=2, padding=1), nn.BatchNorm2d(width), nn.ReLU()]
            cin = width
        self.body = nn.Sequential(*layers)
        self.heat = nn.Conv2d(width, n_classes, 1)
        self.size = nn.Conv2d(width, 4, 1)
        nn.init.constant_(self.heat.bias, -2.5)

    def forward(self, x):
        f = self.body(x)
        return self.heat(f), self.size(f)
