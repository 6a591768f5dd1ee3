import torch


def pairwise(e):
    return (2 - 2 * e @ e.t()).clamp(min=1e-7).sqrt()


def batch_all(e, y, margin):
    """mean over all triplets of the batch that violate the margin"""
    d = pairwise(e)
    same = y[:, None] == y[None]
    eye = torch.eye(len(y), dtype=torch.bool)
    # a, p, n
    t = d[:, :, None] - d[:, None, :] + margin
    ok = (same & ~eye)[:, :, None] & ~same[:, None, :]
    t = torch.relu(t[ok])
    viol = (t > 0).float().mean()
    return t.sum() / (t > 0).sum().clamp(min=1), viol
