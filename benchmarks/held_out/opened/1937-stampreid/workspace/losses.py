import torch


def batch_hard_triplet(z, ids, margin):
    dist = torch.cdist(z, z)
    same = ids[:, None] == ids[None, :]
    eye = torch.eye(len(ids), dtype=torch.bool)
    hardest_pos = dist.masked_fill(~same | eye, -1.0).max(1).values
    hardest_neg = dist.masked_fill(same, float("inf")).min(1).values
    active = hardest_pos - hardest_neg + margin
    return torch.relu(active).mean(), (active > 0).float().mean()
