import jax
import jax.numpy as jnp


def dense_init(key, n_in, n_out):
    w = jax.random.normal(key, (n_in, n_out)) / jnp.sqrt(n_in)
    return {"w": w, "b": jnp.zeros(n_out)}


def dense(p, x):
    return x @ p["w"] + p["b"]


def init_params(key, vocab, dim, heads, layers, context):
    keys = iter(jax.random.split(key, 3 + 4 * layers))
    params = {
        "tok": 0.1 * jax.random.normal(next(keys), (vocab, dim)),
        "pos": 0.1 * jax.random.normal(next(keys), (context, dim)),
        "blocks": [],
        "out": dense_init(next(keys), dim, vocab),
    }
    for _ in range(layers):
        params["blocks"].append({
            "qkv": dense_init(next(keys), dim, 3 * dim),
            "proj": dense_init(next(keys), dim, dim),
            "up": dense_init(next(keys), dim, 2 * dim),
            "down": dense_init(next(keys), 2 * dim, dim),
        })
    return params


def layer_norm(x, eps=1e-5):
    return (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + eps)


def attention(p, x, heads):
    t, d = x.shape
    q, k, v = jnp.split(dense(p["qkv"], x), 3, axis=-1)
    q, k, v = (a.reshape(t, heads, d // heads).transpose(1, 0, 2) for a in (q, k, v))
    scores = q @ k.transpose(0, 2, 1) / jnp.sqrt(d // heads)
    scores = jnp.where(jnp.tril(jnp.ones((t, t), bool)), scores, -1e9)
    out = jax.nn.softmax(scores) @ v
    return dense(p["proj"], out.transpose(1, 0, 2).reshape(t, d))


def forward(params, tokens, heads):
    x = params["tok"][tokens] + params["pos"][: tokens.shape[0]]
    for block in params["blocks"]:
        x = x + attention(block, layer_norm(x), heads)
        x = x + dense(block["down"], jax.nn.gelu(dense(block["up"], layer_norm(x))))
    return dense(params["out"], layer_norm(x))
