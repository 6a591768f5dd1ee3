import jax
import jax.numpy as jnp
import optax
from flax.training import train_state


def create_state(model, key, sample_tokens, lr):
    variables = model.init({"params": key, "dropout": key}, sample_tokens, train=False)
    return train_state.TrainState.create(apply_fn=model.apply, params=variables["params"], tx=optax.adam(lr))


@jax.jit
def forward(state, params, tokens, key, train):
    return state.apply_fn({"params": params}, tokens, train=train, rngs={"dropout": key})


def masked_xent(logits, tags):
    mask = (tags > 0).astype(jnp.float32)
    ce = optax.softmax_cross_entropy_with_integer_labels(logits, tags)
    return (ce * mask).sum() / mask.sum()


def train_step(state, tokens, tags, key):
    def loss_fn(params):
        return masked_xent(forward(state, params, tokens, key, train=True), tags)

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), loss


def accuracy(state, tokens, tags, key):
    pred = forward(state, state.params, tokens, key, train=False).argmax(-1)
    mask = tags > 0
    return float((pred == tags)[mask].mean())
