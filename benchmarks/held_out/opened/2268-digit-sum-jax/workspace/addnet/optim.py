import optax


def make_optimizer(cfg, steps_per_epoch):
    o = cfg["optim"]
    schedule = optax.warmup_cosine_decay_schedule(
        init_value=0.0,
        peak_value=o["peak_lr"],
        warmup_steps=o["warmup_steps"],
        decay_steps=cfg["epochs"] * steps_per_epoch,
    )
    return optax.chain(
        optax.clip_by_global_norm(o["clip_norm"]),
        optax.adamw(schedule, weight_decay=o["weight_decay"]),
    )
