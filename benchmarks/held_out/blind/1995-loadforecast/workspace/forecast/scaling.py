import numpy as np


class ColumnScaler:
    """Standardises every column with statistics of the training part."""

    def __init__(self):
        self.mean = None
        self.std = None

    def fit(self, values):
        self.mean = np.mean(values, axis=0)
        self.std = np.std(values, axis=0)
        return self

    def transform(self, values):
        return (values - self.mean) / self.std

    def inverse_column(self, values, column):
        return values * self.std[column] + self.mean[column]
