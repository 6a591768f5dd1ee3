import torch
from torch.utils.data import TensorDataset


def make_split(classes, per_class, features, test_share=0.25):
    """Return (train, test) sets of noisy copies of one random pattern for each class."""
    patterns = torch.randn(classes, features)
    labels = torch.arange(classes).repeat_interleave(per_class)
    samples = patterns[labels] + 0.9 * torch.randn(len(labels), features)
    order = torch.randperm(len(labels))
    cut = int(test_share * len(labels))
    test, train = order[:cut], order[cut:]
    return TensorDataset(samples[train], labels[train]), TensorDataset(samples[test], labels[test])
