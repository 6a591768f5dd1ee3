import optax


def make_optimizer(cfg, total_steps):
    schedule = optax.warmup_cosine_decay_schedule(
        init_value=0.0,
        peak_value=cfg["peak_lr"],
        warmup_steps=cfg["warmup_steps"],
        decay_steps=total_steps,
        end_value=cfg["final_lr"],
    )
    tx = optax.chain(
        optax.clip_by_global_norm(cfg["clip"]),
        optax.adamw(schedule, weight_decay=cfg["weight_decay"]),
    )
    return tx, schedule
