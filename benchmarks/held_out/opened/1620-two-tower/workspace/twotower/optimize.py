import torch


def decay_groups(model, weight_decay):
    decay, plain = [], []
    for name, p in model.named_parameters():
        (plain if p.ndim == 1 or "user" in name or "track" in name else decay).append(p)
    return [{"params": decay, "weight_decay": weight_decay}, {"params": plain, "weight_decay": 0.0}]


def make_optimizer(model, n_examples, args):
    optimizer = torch.optim.AdamW(decay_groups(model, args.weight_decay), lr=args.lr)
    steps_per_epoch = n_examples // args.batch_size
    scheduler = torch.optim.lr_scheduler.OneCycleLR(
        optimizer,
        max_lr=args.lr,
        total_steps=args.epochs * steps_per_epoch,
        pct_start=args.warmup,
        anneal_strategy="cos",
    )
    return optimizer, scheduler
