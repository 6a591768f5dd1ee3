import numpy as np


class PCA:
    def __init__(self, n_components):
        self.n_components = n_components

    def fit(self, X):
        self.mean = X.mean(axis=0)
        _, s, vt = np.linalg.svd(X - self.mean, full_matrices=False)
        self.components = vt[: self.n_components]
        self.explained = (s[: self.n_components] ** 2).sum() / (s ** 2).sum()
        return self

    def transform(self, X):
        return (X - self.mean) @ self.components.T
