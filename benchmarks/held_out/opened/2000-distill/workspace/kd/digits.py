from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
import torch
from torch.utils.data import DataLoader, TensorDataset


def digit_loaders(batch_size, train_size=600, seed=0):
    """8x8 digits that ship with scikit-learn, no download."""
    data = load_digits()
    x = torch.tensor(data.images, dtype=torch.float32).unsqueeze(1) / 16.0
    y = torch.tensor(data.target)
    idx_train, idx_test = train_test_split(range(len(y)), train_size=train_size, test_size=400,
                                           random_state=seed, stratify=data.target)
    train = TensorDataset(x[idx_train], y[idx_train])
    test = TensorDataset(x[idx_test], y[idx_test])
    return DataLoader(train, batch_size, shuffle=True), DataLoader(test, 200)
