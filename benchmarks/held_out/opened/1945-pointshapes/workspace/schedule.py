from torch.optim.lr_scheduler import LambdaLR


def warmup_then_linear(optimizer, warmup, total):
    """Up from 0 during `warmup` steps, then straight down to 0 at step `total`."""

    def factor(step):
        if step < warmup:
            return (step + 1) / warmup
        return max(0.0, (total - step) / (total - warmup))

    return LambdaLR(optimizer, factor)
