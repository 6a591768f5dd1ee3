import jax
import jax.numpy as jnp
import numpy as np
import optax

from model import forward, init_params

CONTEXT, BATCH, STEPS = 32, 16, 60
DIM, HEADS, LAYERS = 32, 4, 1

with open("proverbs.txt") as f:
    text = f.read()
chars = sorted(set(text))
stoi = {c: i for i, c in enumerate(chars)}
data = np.array([stoi[c] for c in text], dtype=np.int32)
print("corpus", data.shape, "symbols", len(chars))


def get_batch(rng):
    starts = rng.integers(0, len(data) - CONTEXT - 1, size=BATCH)
    x = np.stack([data[s:s + CONTEXT] for s in starts])
    y = np.stack([data[s + 1:s + CONTEXT + 1] for s in starts])
    return x, y


def loss_fn(params, x, y, heads):
    logits = jax.vmap(lambda t: forward(params, t, heads))(x)
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(3e-3))


@jax.jit
def update(params, opt_state, x, y, heads):
    loss, grads = jax.value_and_grad(loss_fn)(params, x, y, heads)
    updates, opt_state = optimizer.update(grads, opt_state, params)
    params = optax.apply_updates(params, updates)
    return params, opt_state, loss


def generate(params, prompt, n, key):
    ids = [stoi[c] for c in prompt]
    for _ in range(n):
        key, sub = jax.random.split(key)
        window = ids[-CONTEXT:]
        padded = jnp.array(window + [0] * (CONTEXT - len(window)))
        logits = forward(params, padded, HEADS)[len(window) - 1]
        ids.append(int(jax.random.categorical(sub, logits)))
    return "".join(chars[i] for i in ids)


def main():
    params = init_params(jax.random.PRNGKey(0), len(chars), DIM, HEADS, LAYERS, CONTEXT)
    opt_state = optimizer.init(params)
    rng = np.random.default_rng(0)
    for step in range(1, STEPS + 1):
        x, y = get_batch(rng)
        params, opt_state, loss = update(params, opt_state, x, y, HEADS)
        if step % 20 == 0:
            print(f"step {step} loss {float(loss):.3f}")
    print(generate(params, "A ", 12, jax.random.PRNGKey(1)))


if __name__ == "__main__":
    main()
