import numpy as np


def sigmoid(z):
    return 1.0 / (1.0 + np.exp(-np.clip(z, -30, 30)))


class LogisticRegression:
    """Batch gradient descent with L2 penalty."""

    def __init__(self, lr=0.1, l2=0.0, iters=200):
        self.lr, self.l2, self.iters = lr, l2, iters

    def fit(self, X, y, log_every=0):
        n, d = X.shape
        self.w, self.b = np.zeros(d), 0.0
        for it in range(1, self.iters + 1):
            p = sigmoid(X @ self.w + self.b)
            g = p - y
            self.w -= self.lr * (X.T @ g / n + self.l2 * self.w)
            self.b -= self.lr * g.mean()
            if log_every and it % log_every == 0:
                nll = -np.mean(y * np.log(p + 1e-9) + (1 - y) * np.log(1 - p + 1e-9))
                print(f"  iter {it:4d}  nll {nll:.4f}")
        return self

    def predict_proba(self, X):
        return sigmoid(X @ self.w + self.b)
