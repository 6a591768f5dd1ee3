import torch
from torch import nn

from .blocks import AttentionPool, EncoderBlock, PatchEmbed


class PollenViT(nn.Module):
    def __init__(self, image_size=32, patch=8, in_ch=1, dim=48, depth=3, heads=4,
                 mlp_ratio=2.0, drop=0.1, n_classes=5):
        super().__init__()
        self.embed = PatchEmbed(image_size, patch, in_ch, dim)
        self.pos = nn.Parameter(torch.zeros(1, self.embed.n_patches, dim))
        nn.init.trunc_normal_(self.pos, std=0.02)
        self.blocks = nn.ModuleList(
            [EncoderBlock(dim, heads, mlp_ratio, drop) for _ in range(depth)]
        )
        self.norm = nn.LayerNorm(dim)
        self.pool = AttentionPool(dim)
        self.fc = nn.Linear(dim, n_classes)

    def forward(self, x):
        x = self.embed(x) + self.pos
        for block in self.blocks:
            x = block(x)
        return self.fc(self.pool(self.norm(x)))
