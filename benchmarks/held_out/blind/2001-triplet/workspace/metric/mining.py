import torch
import torch.nn.functional as F


def pairwise_distance(emb):
    square = (emb.unsqueeze(0) - emb.unsqueeze(1)).pow(2).sum(-1)
    return torch.sqrt(square + 1e-8)


def batch_hard_triplet(emb, labels, margin):
    """Hardest positive and hardest negative of every anchor in the batch."""
    dist = pairwise_distance(emb)
    same = labels.unsqueeze(0) == labels.unsqueeze(1)
    eye = torch.eye(len(labels), dtype=torch.bool, device=emb.device)

    positive = dist.masked_fill(~same | eye, 0.0)
    hardest_pos = positive.max(dim=1).values
    negative = dist.masked_fill_(same, float("inf"))
    hardest_neg = negative.min(dim=1).values

    loss = F.relu(hardest_pos - hardest_neg + margin)
    active = (loss > 0).float().mean()
    return loss.mean(), active.item()
