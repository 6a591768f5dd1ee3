import torch
from torch import nn
from torch.nn.functional import normalize

from faqsearch.text import BUCKETS, hash_tokens


class Tower(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.bag = nn.EmbeddingBag(BUCKETS, dim, mode="mean")
        self.proj = nn.Linear(dim, dim)

    def forward(self, texts):
        return normalize(self.proj(torch.tanh(self.bag(*hash_tokens(texts)))), dim=-1)


class TwoTowers(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.question = Tower(dim)
        self.answer = Tower(dim)

    @classmethod
    def restore(cls, path, dim):
        model = cls(dim)
        model.load_state_dict(torch.load(path))
        return model.eval()
