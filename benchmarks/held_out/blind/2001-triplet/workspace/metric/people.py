import numpy as np
import torch


class IdentityFeatures:
    """Identity prototypes seen through nuisance factors that are shared by everybody."""

    def __init__(self, cfg):
        rng = np.random.default_rng(cfg.seed)
        protos = rng.normal(size=(cfg.identities, cfg.feature_dim // 2))
        nuis_mix = rng.normal(size=(6, cfg.feature_dim)) * cfg.nuisance
        mix = rng.normal(size=(cfg.feature_dim // 2, cfg.feature_dim))
        feats, labels = [], []
        for i in range(cfg.identities):
            z = protos[i] + 0.15 * rng.normal(size=(cfg.images_per_identity, cfg.feature_dim // 2))
            n = rng.normal(size=(cfg.images_per_identity, 6))
            feats.append(np.tanh(0.3 * (z @ mix)) + n @ nuis_mix)
            labels += [i] * cfg.images_per_identity
        self.x = torch.tensor(np.concatenate(feats), dtype=torch.float32)
        self.y = torch.tensor(labels)

    def subset(self, keep):
        mask = torch.isin(self.y, torch.as_tensor(list(keep)))
        return self.x[mask], self.y[mask]


class PKSampler:
    def __init__(self, labels, p, k, rng):
        self.by_label = {int(c): torch.nonzero(labels == c).flatten() for c in labels.unique()}
        self.p, self.k, self.rng = p, k, rng

    def draw(self):
        classes = self.rng.choice(list(self.by_label), size=self.p, replace=False)
        picks = []
        for c in classes:
            pool = self.by_label[int(c)]
            order = torch.randperm(len(pool))[: self.k]
            picks.append(pool[order])
        return torch.cat(picks)
