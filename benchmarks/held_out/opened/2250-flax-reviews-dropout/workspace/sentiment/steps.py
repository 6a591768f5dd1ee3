import jax
import optax
from flax.training.train_state import TrainState


def create_state(key, model, sample, lr):
    variables = model.init(key, sample)
    return TrainState.create(apply_fn=model.apply, params=variables["params"], tx=optax.adamw(lr))


@jax.jit
def train_step(state, ids, labels, key):
    def loss_fn(params):
        logits = state.apply_fn({"params": params}, ids, train=True)
        return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), loss


@jax.jit
def eval_step(state, ids, labels):
    logits = state.apply_fn({"params": state.params}, ids)
    return (logits.argmax(-1) == labels).mean()
