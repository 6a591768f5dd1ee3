import torch.nn as nn


def conv_block(cin, cout):
    return nn.Sequential(
        nn.Conv2d(cin, cout, 3, padding=1, bias=False),
        nn.BatchNorm2d(cout),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(2),
    )


class TexNet(nn.Module):
    def __init__(self, num_classes, width=16, depth=3, dropout=0.0):
        super().__init__()
        chans = [1] + [width * 2 ** i for i in range(depth)]
        self.features = nn.Sequential(*[conv_block(a, b) for a, b in zip(chans, chans[1:])])
        self.head = nn.Sequential(
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
            nn.Dropout(dropout),
            nn.Linear(chans[-1], num_classes),
        )

    def forward(self, x):
        return self.head(self.features(x))
