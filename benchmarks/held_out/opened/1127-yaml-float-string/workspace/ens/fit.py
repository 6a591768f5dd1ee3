import jax
import jax.numpy as jnp
import optax

from . import net


def make_optimizer(cfg):
    transforms = {}
    for name, opts in cfg["groups"].items():
        schedule = optax.cosine_onecycle_schedule(cfg["steps"], opts["lr"], pct_start=0.2)
        transforms[name] = optax.adamw(schedule, weight_decay=opts["weight_decay"])

    def labels(params):
        return {k: jax.tree.map(lambda _: cfg["assign"][k], v) for k, v in params.items()}

    return optax.chain(optax.clip_by_global_norm(cfg["clip"]), optax.multi_transform(transforms, labels))


def fit_member(key, x, y, hidden, tx, steps, batch_size, bootstrap):
    k_init, k_boot, k_loop = jax.random.split(key, 3)
    params = net.init(k_init, x.shape[1], hidden)
    n = len(y)
    rows = jax.random.randint(k_boot, (n,), 0, n) if bootstrap else jnp.arange(n)

    def body(carry, k):
        params, opt_state = carry
        take = rows[jax.random.randint(k, (batch_size,), 0, n)]
        loss, grads = jax.value_and_grad(net.nll)(params, x[take], y[take])
        updates, opt_state = tx.update(grads, opt_state, params)
        return (optax.apply_updates(params, updates), opt_state), loss

    carry = (params, tx.init(params))
    (params, _), losses = jax.lax.scan(body, carry, jax.random.split(k_loop, steps))
    return params, losses


def fit_ensemble(key, table, cfg):
    tx = make_optimizer(cfg["optim"])
    keys = jax.random.split(key, cfg["ensemble"]["members"])

    def one(k):
        return fit_member(
            k, jnp.asarray(table.x), jnp.asarray(table.y), tuple(cfg["ensemble"]["hidden"]), tx,
            cfg["optim"]["steps"], cfg["optim"]["batch_size"], cfg["ensemble"]["bootstrap"],
        )

    return jax.jit(jax.vmap(one))(keys)
