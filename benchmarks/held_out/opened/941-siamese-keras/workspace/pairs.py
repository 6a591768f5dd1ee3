import random

import numpy as np
from sklearn.datasets import load_digits


def load_images():
    digits = load_digits()
    images = digits.images.astype("float32") / 16.0
    return images, digits.target


def group_by_class(labels):
    return {int(c): np.flatnonzero(labels == c) for c in np.unique(labels)}


class PairSampler:
    """Yields ((left, right), same) with as many equal as unequal pairs."""

    def __init__(self, images, labels, n_pairs, seed):
        self.images = images
        self.groups = group_by_class(labels)
        self.n_pairs = n_pairs
        self.rng = random.Random(seed)

    def __call__(self):
        classes = sorted(self.groups)
        for i in range(self.n_pairs):
            a = self.rng.choice(classes)
            if i % 2 == 0:
                b, same = a, 1.0
            else:
                b, same = self.rng.choice([c for c in classes if c != a]), 0.0
            left = self.images[self.rng.choice(list(self.groups[a]))]
            right = self.images[self.rng.choice(list(self.groups[b]))]
            yield (left, right), same
