import flax.linen as nn
import jax.numpy as jnp


class ConvStage(nn.Module):
    features: int
    stride: int = 2

    @nn.compact
    def __call__(self, x, train: bool):
        x = nn.Conv(self.features, kernel_size=(5,), strides=(self.stride,), use_bias=False)(x)
        x = nn.BatchNorm(use_running_average=not train, momentum=0.9)(x)
        return nn.relu(x)


class RamanNet(nn.Module):
    n_classes: int
    widths: tuple = (8, 16)
    p_drop: float = 0.2

    def setup(self):
        self.backbone = [ConvStage(w) for w in self.widths]
        self.dropout = nn.Dropout(self.p_drop)
        self.head = nn.Dense(self.n_classes)

    def __call__(self, x, train: bool = False):
        x = x[..., None]
        for stage in self.backbone:
            x = stage(x, train)
        x = jnp.concatenate([x.mean(axis=1), x.max(axis=1)], axis=-1)
        x = self.dropout(x, deterministic=not train)
        return self.head(x)
