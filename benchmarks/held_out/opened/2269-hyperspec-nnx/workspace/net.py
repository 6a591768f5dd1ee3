import jax.numpy as jnp
from flax import nnx


class SpectraNet(nnx.Module):
    def __init__(self, n_classes, width, *, rngs: nnx.Rngs):
        self.conv1 = nnx.Conv(1, width, kernel_size=(7,), rngs=rngs)
        self.norm1 = nnx.BatchNorm(width, rngs=rngs)
        self.conv2 = nnx.Conv(width, 2 * width, kernel_size=(5,), strides=2, rngs=rngs)
        self.norm2 = nnx.BatchNorm(2 * width, rngs=rngs)
        self.dropout = nnx.Dropout(0.2, rngs=rngs)
        self.head = nnx.Linear(2 * width, n_classes, rngs=rngs)

    def __call__(self, x):
        x = nnx.relu(self.norm1(self.conv1(x)))
        x = nnx.relu(self.norm2(self.conv2(x)))
        x = jnp.mean(x, axis=1)
        return self.head(self.dropout(x))
