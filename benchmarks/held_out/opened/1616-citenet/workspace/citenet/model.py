import flax.linen as nn

from .graph import propagate


class GCN(nn.Module):
    hidden: int
    classes: int
    dropout: float = 0.4

    @nn.compact
    def __call__(self, x, edges, train=False):
        h = nn.Dropout(self.dropout, deterministic=not train)(x)
        h = propagate(nn.Dense(self.hidden)(h), *edges)
        h = nn.relu(h)
        h = nn.Dropout(self.dropout, deterministic=not train)(h)
        return propagate(nn.Dense(self.classes)(h), *edges)
