import numpy as np
import torch

from shoprec.data.batches import right_align


@torch.no_grad()
def ranks(model, test, length, batch_size=256):
    model.eval()
    found = []
    for start in range(0, len(test), batch_size):
        part = test[start:start + batch_size]
        seq = right_align([h for h, _ in part], length)
        target = torch.tensor([t for _, t in part])
        scores = model.rank_scores(seq)
        scores[:, 0] = float("-inf")
        own = scores.gather(1, target.unsqueeze(1))
        found.append((scores > own).sum(dim=1))
    return torch.cat(found).numpy()


def hit_and_ndcg(rank, k):
    inside = rank < k
    ndcg = np.where(inside, 1 / np.log2(rank + 2), 0.0)
    return inside.mean(), ndcg.mean()
