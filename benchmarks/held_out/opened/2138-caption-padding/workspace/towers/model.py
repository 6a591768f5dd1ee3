import torch
from torch import nn
from torch.nn import functional as F


class ImageTower(nn.Module):
    def __init__(self, width, proj_dim):
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Conv2d(3, width // 2, 3, stride=2, padding=1), nn.ReLU(),
            nn.Conv2d(width // 2, width, 3, stride=2, padding=1), nn.ReLU(),
            nn.Flatten(),
        )
        self.proj = nn.Linear(width * 9, proj_dim)

    def forward(self, pixels):
        return self.proj(self.trunk(pixels))


class TextTower(nn.Module):
    def __init__(self, vocab_size, width, proj_dim):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, width, padding_idx=0)
        self.mix = nn.Sequential(nn.Linear(width, width), nn.Tanh())
        self.proj = nn.Linear(width, proj_dim)

    def forward(self, ids):
        mask = (ids != 0).float()
        h = self.mix(self.embed(ids))
        pooled = (h * mask.unsqueeze(-1)).sum(1) / mask.sum(1, keepdim=True)
        return self.proj(pooled)


class DualEncoder(nn.Module):
    def __init__(self, vocab_size, opt):
        super().__init__()
        self.image_tower = ImageTower(opt.width, opt.proj_dim)
        self.text_tower = TextTower(vocab_size, opt.width, opt.proj_dim)
        self.temperature = opt.temperature

    def forward(self, pixels, ids):
        img = F.normalize(self.image_tower(pixels), dim=-1)
        txt = F.normalize(self.text_tower(ids), dim=-1)
        return {"image_emb": img, "text_emb": txt, "logits": img @ txt.T / self.temperature}


def clip_style_loss(logits):
    target = torch.arange(logits.size(0), device=logits.device)
    return (F.cross_entropy(logits, target) + F.cross_entropy(logits.T, target)) / 2
