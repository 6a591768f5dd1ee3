import jax
import jax.numpy as jnp
import optax
from flax.training import train_state

from config import from_cli
from model import Reverser


class TrainState(train_state.TrainState):
    key: jax.Array


def create_state(cfg, key):
    k_init, k_drop = jax.random.split(key)
    net = Reverser(cfg.n_symbols, cfg.length, cfg.dim, cfg.heads, cfg.layers, cfg.dropout)
    params = net.init(k_init, jnp.zeros((1, cfg.length), jnp.int32))["params"]
    lr = optax.warmup_cosine_decay_schedule(0.0, cfg.lr, cfg.warmup, cfg.steps)
    tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(lr))
    n = sum(p.size for p in jax.tree.leaves(params))
    print(f"{n} parameters")
    return TrainState.create(apply_fn=net.apply, params=params, tx=tx, key=k_drop)


def sample_batch(cfg, key):
    x = jax.random.randint(key, (cfg.batch, cfg.length), 0, cfg.n_symbols)
    return x, x[:, ::-1]


@jax.jit
def train_step(state, x, y):
    drop_key = jax.random.fold_in(state.key, state.step)

    def loss_fn(params):
        logits = state.apply_fn({"params": params}, x, train=True)
        return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), loss


@jax.jit
def accuracy(state, x, y):
    logits = state.apply_fn({"params": state.params}, x)
    return (logits.argmax(-1) == y).mean()


def main():
    cfg = from_cli()
    key = jax.random.key(cfg.seed)
    key, sub = jax.random.split(key)
    state = create_state(cfg, sub)
    history = jnp.zeros(cfg.steps // cfg.eval_every)
    for step in range(1, cfg.steps + 1):
        key, sub = jax.random.split(key)
        state, loss = train_step(state, *sample_batch(cfg, sub))
        if step % cfg.eval_every == 0:
            key, sub = jax.random.split(key)
            acc = accuracy(state, *sample_batch(cfg, sub))
            history = history.at[step // cfg.eval_every - 1].set(acc)
            print(f"step {step} loss {loss:.4f} accuracy {acc:.3f}")
    print("best", float(history.max()))


if __name__ == "__main__":
    main()
