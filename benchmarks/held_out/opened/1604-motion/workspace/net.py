"""1-D convolutional network and its update step."""
import jax.numpy as jnp
import optax
from flax import nnx


class MotionNet(nnx.Module):
    def __init__(self, size, channels, classes, filters, hidden, *, rngs):
        self.conv1 = nnx.Conv(channels, filters, kernel_size=(5,), rngs=rngs)
        self.conv2 = nnx.Conv(filters, 2 * filters, kernel_size=(5,), rngs=rngs)
        self.dense = nnx.Linear(size // 4 * 2 * filters, hidden, rngs=rngs)
        self.out = nnx.Linear(hidden, classes, rngs=rngs)

    def __call__(self, x):
        x = nnx.max_pool(nnx.relu(self.conv1(x)), (2,), strides=(2,))
        x = nnx.max_pool(nnx.relu(self.conv2(x)), (2,), strides=(2,))
        x = x.reshape(x.shape[0], -1)
        return self.out(nnx.relu(self.dense(x)))


def loss_fn(model, x, y):
    logits = model(x)
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


@nnx.jit
def train_step(model, optimizer, x, y):
    loss, grads = nnx.value_and_grad(loss_fn)(model, x, y)
    optimizer.update(model, grads)
    return loss


def accuracy(model, x, y):
    return float((model(jnp.asarray(x)).argmax(-1) == y).mean())
