import torch.nn as nn


def mlp(d, h, p):
    return nn.Sequential(nn.Linear(d, h), nn.GELU(), nn.Dropout(p), nn.Linear(h, d))


class MixerBlock(nn.Module):
    def __init__(self, tokens, dim, p):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.token_mix = mlp(tokens, tokens * 2, p)
        self.channel_mix = mlp(dim, dim * 2, p)

    def forward(self, x):
        x = x + self.token_mix(self.ln1(x).transpose(1, 2)).transpose(1, 2)
        return x + self.channel_mix(self.ln2(x))


class LeafMixer(nn.Module):
    def __init__(self, image_size, patch, dim, depth, num_classes, p=0.1):
        super().__init__()
        if image_size % patch:
            raise ValueError("image_size must be a multiple of patch")
        self.stem = nn.Conv2d(3, dim, patch, stride=patch)
        tokens = (image_size // patch) ** 2
        self.blocks = nn.ModuleList(MixerBlock(tokens, dim, p) for _ in range(depth))
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, num_classes)

    def forward(self, x):
        x = self.stem(x).flatten(2).transpose(1, 2)
        for b in self.blocks:
            x = b(x)
        return self.head(self.norm(x).mean(1))
