import numpy as np
import torch
from sklearn.datasets import load_digits
from torch.utils.data import TensorDataset

from base import BaseDataLoader


class DigitsDataLoader(BaseDataLoader):
    """
    Handwritten digits of scikit-learn, scaled up to the size of MNIST
    """
    def __init__(self, batch_size, limit=300, shuffle=True, validation_split=0.0, num_workers=1, training=True):
        digits = load_digits()
        images = digits.images[:limit] if training else digits.images[-limit:]
        labels = digits.target[:limit] if training else digits.target[-limit:]
        images = np.kron(images / 16.0, np.ones((1, 3, 3)))
        images = np.pad(images, ((0, 0), (2, 2), (2, 2)))
        images = (images - 0.1307) / 0.3081
        self.dataset = TensorDataset(
            torch.tensor(images, dtype=torch.float32).unsqueeze(1),
            torch.tensor(labels, dtype=torch.long),
        )
        super().__init__(self.dataset, batch_size, shuffle, validation_split, num_workers)
