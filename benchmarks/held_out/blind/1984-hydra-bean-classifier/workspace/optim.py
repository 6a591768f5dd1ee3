import torch


def build_optimizer(model, cfg):
    return torch.optim.AdamW(
        model.parameters(), lr=cfg.max_lr / 25, weight_decay=cfg.weight_decay
    )


def build_scheduler(optimizer, cfg, num_samples, batch_size, epochs):
    steps_per_epoch = num_samples // batch_size
    return torch.optim.lr_scheduler.OneCycleLR(
        optimizer,
        max_lr=cfg.max_lr,
        total_steps=steps_per_epoch * epochs,
        pct_start=cfg.pct_start,
    )
