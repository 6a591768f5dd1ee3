from typing import Sequence

from flax import linen as nn


class CNN(nn.Module):
    features: Sequence[int]
    hidden: int
    num_classes: int

    @nn.compact
    def __call__(self, x, train: bool):
        for f in self.features:
            x = nn.Conv(f, kernel_size=(3, 3))(x)
            x = nn.relu(x)
            x = nn.avg_pool(x, window_shape=(2, 2), strides=(2, 2))
        x = x.reshape((x.shape[0], -1))
        x = nn.relu(nn.Dense(self.hidden)(x))
        x = nn.Dropout(0.1, deterministic=not train)(x)
        return nn.Dense(self.num_classes)(x)
