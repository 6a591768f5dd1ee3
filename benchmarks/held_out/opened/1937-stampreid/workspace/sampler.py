import numpy as np
from torch.utils.data import Sampler


class IdentityBatches(Sampler):
    """Batches of p identities with k views each."""

    def __init__(self, ids, p, k, batches, seed=0):
        self.by_id = {int(i): np.flatnonzero(ids == i) for i in np.unique(ids)}
        self.p, self.k, self.batches = p, k, batches
        self.rng = np.random.default_rng(seed)

    def __len__(self):
        return self.batches

    def __iter__(self):
        names = list(self.by_id)
        for _ in range(self.batches):
            chosen = self.rng.choice(names, self.p, replace=False)
            batch = [self.rng.choice(self.by_id[c], self.k, replace=False) for c in chosen]
            yield np.concatenate(batch).tolist()
