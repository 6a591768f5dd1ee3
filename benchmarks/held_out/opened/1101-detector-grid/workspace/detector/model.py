import torch
from torch import nn


def conv_block(cin, cout):
    return nn.Sequential(
        nn.Conv2d(cin, cout, 3, stride=2, padding=1, bias=False),
        nn.BatchNorm2d(cout),
        nn.LeakyReLU(0.1, inplace=True),
    )


class TinyDetector(nn.Module):
    """Backbone of `num_blocks` stride-2 blocks, then a 1x1 head.

    Output: (B, A, G, G, 5 + C) holding tx, ty, tw, th, objectness and class logits.
    """

    def __init__(self, num_classes, width=16, num_blocks=3, num_anchors=2):
        super().__init__()
        chans = [3] + [width * 2 ** i for i in range(num_blocks)]
        self.backbone = nn.Sequential(*[conv_block(a, b) for a, b in zip(chans[:-1], chans[1:])])
        self.neck = nn.Sequential(nn.Conv2d(chans[-1], chans[-1], 3, padding=1), nn.SiLU())
        self.num_anchors = num_anchors
        self.num_outputs = 5 + num_classes
        self.head = nn.Conv2d(chans[-1], num_anchors * self.num_outputs, 1)
        nn.init.constant_(self.head.bias, 0.0)

    def forward(self, x):
        feats = self.neck(self.backbone(x))
        out = self.head(feats)
        b, _, h, w = out.shape
        return out.view(b, self.num_anchors, self.num_outputs, h, w).permute(0, 1, 3, 4, 2)
