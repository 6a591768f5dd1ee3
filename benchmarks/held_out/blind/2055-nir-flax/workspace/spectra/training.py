import jax
import jax.numpy as jnp
import optax
from flax.training import train_state


class TrainState(train_state.TrainState):
    dropout_key: jax.Array


def create_state(model, key, sample, steps, peak_lr, weight_decay):
    init_key, dropout_key = jax.random.split(key)
    params = model.init(init_key, sample, train=False)["params"]
    schedule = optax.warmup_cosine_decay_schedule(0.0, peak_lr, warmup_steps=steps // 10, decay_steps=steps)
    tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(schedule, weight_decay=weight_decay))
    return TrainState.create(apply_fn=model.apply, params=params, tx=tx, dropout_key=dropout_key)


def huber(pred, target):
    return optax.huber_loss(pred, target, delta=0.5).mean()


@jax.jit
def train_step(state, x, y):
    def loss_fn(params):
        pred = state.apply_fn({"params": params}, x, train=True)
        return huber(pred, y)

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), loss


@jax.jit
def predict(state, x):
    return state.apply_fn({"params": state.params}, x, train=False)


def r2_scores(pred, target):
    ss_res = jnp.sum((pred - target) ** 2, axis=0)
    ss_tot = jnp.sum((target - target.mean(axis=0)) ** 2, axis=0)
    return 1.0 - ss_res / ss_tot
