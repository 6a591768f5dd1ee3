from torch import nn


class BagClassifier(nn.Module):
    def __init__(self, vocab_size, dim, num_classes, p=0.2):
        super().__init__()
        self.bag = nn.EmbeddingBag(vocab_size, dim, mode="mean", padding_idx=0)
        self.mlp = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, dim), nn.Mish(), nn.Dropout(p))
        self.out = nn.Linear(dim, num_classes)

    def forward(self, tokens, offsets):
        return self.out(self.mlp(self.bag(tokens, offsets)))
