import jax
import jax.numpy as jnp
import numpy as np
import optax

from tremor.net import forward


def fit(params, train, valid, *, epochs, lr, seed, scale, echo, batch=64):
    xt, yt = train
    xv, yv = valid
    steps = max(1, len(xt) // batch)
    tx = optax.chain(
        optax.clip_by_global_norm(1.0),
        optax.adamw(optax.cosine_decay_schedule(lr, steps * epochs), weight_decay=1e-3),
    )
    opt_state = tx.init(params)

    @jax.jit
    def step(params, opt_state, x, y):
        loss, grads = jax.value_and_grad(lambda p: jnp.mean((forward(p, x) - y) ** 2))(params)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    rng = np.random.default_rng(seed)
    for epoch in range(1, epochs + 1):
        order = rng.permutation(len(xt))
        total = 0.0
        for k in range(steps):
            take = order[k * batch:(k + 1) * batch]
            params, opt_state, loss = step(params, opt_state, xt[take], yt[take])
            total += float(loss)
        mae = scale * float(jnp.abs(forward(params, xv) - yv).mean())
        if epoch == 1 or epoch % 5 == 0:
            echo(f"epoch {epoch:3d}  mse {total / steps:.4f}  valid MAE {mae:.4f}")
    return params
