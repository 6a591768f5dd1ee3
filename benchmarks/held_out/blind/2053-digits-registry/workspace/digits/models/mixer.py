import torch.nn as nn

from ..registry import MODELS


class MixerBlock(nn.Module):
    def __init__(self, tokens, dim, expansion):
        super().__init__()
        self.norm1 = nn.LayerNorm(dim)
        self.token_mlp = nn.Sequential(nn.Linear(tokens, tokens * expansion), nn.GELU(), nn.Linear(tokens * expansion, tokens))
        self.norm2 = nn.LayerNorm(dim)
        self.channel_mlp = nn.Sequential(nn.Linear(dim, dim * expansion), nn.GELU(), nn.Linear(dim * expansion, dim))

    def forward(self, x):
        x = x + self.token_mlp(self.norm1(x).transpose(1, 2)).transpose(1, 2)
        return x + self.channel_mlp(self.norm2(x))


@MODELS.register("patch_mixer")
class PatchMixer(nn.Module):
    def __init__(self, patch=2, dim=32, depth=2, expansion=2, num_classes=10):
        super().__init__()
        self.embed = nn.Conv2d(1, dim, patch, stride=patch)
        self.blocks = nn.Sequential(*[MixerBlock((8 // patch) ** 2, dim, expansion) for _ in range(depth)])
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, num_classes)

    def forward(self, x):
        x = self.blocks(self.embed(x).flatten(2).transpose(1, 2))
        return self.head(self.norm(x).mean(1))
