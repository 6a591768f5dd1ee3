import jax
import optax


def group_of(path):
    """First component of a parameter path, with head_* folded together."""
    top = path[0].key
    return "heads" if top.startswith("head") else top


def build(params, cfg):
    scales = cfg["lr_scale"]
    labels = jax.tree_util.tree_map_with_path(lambda p, _: group_of(p), params)
    used = sorted(set(jax.tree_util.tree_leaves(labels)))
    parts = {g: optax.adamw(cfg["lr"] * scales[g], weight_decay=1e-4) for g in used}
    tx = optax.chain(
        optax.clip_by_global_norm(cfg["clip"]),
        optax.multi_transform(parts, labels),
    )
    return tx, used
