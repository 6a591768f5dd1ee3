"""A two-layer softmax network in plain numpy (momentum SGD, L2)."""
import numpy as np


def one_hot(y, k):
    out = np.zeros((y.size, k))
    out[np.arange(y.size), y] = 1.0
    return out


def softmax(z):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


class TwoLayerNet:
    def __init__(self, n_in, n_hidden, n_out, seed=0, l2=1e-3):
        rng = np.random.default_rng(seed)
        self.W1 = rng.normal(0, np.sqrt(2 / n_in), (n_in, n_hidden))
        self.b1 = np.zeros(n_hidden)
        self.W2 = rng.normal(0, np.sqrt(1 / n_hidden), (n_hidden, n_out))
        self.b2 = np.zeros(n_out)
        self.l2, self.k = l2, n_out
        self.rng = rng
        self.vel = {n: np.zeros_like(getattr(self, n)) for n in ("W1", "b1", "W2", "b2")}

    def forward(self, X):
        self.h = np.maximum(0, X @ self.W1 + self.b1)
        return softmax(self.h @ self.W2 + self.b2)

    predict_proba = forward

    def grads(self, X, y):
        p = self.forward(X)
        loss = -np.log(p[np.arange(len(y)), y] + 1e-12).mean()
        d = (p - one_hot(y, self.k)) / len(y)
        g = {"W2": self.h.T @ d + self.l2 * self.W2, "b2": d.sum(0)}
        dh = (d @ self.W2.T) * (self.h > 0)
        g["W1"] = X.T @ dh + self.l2 * self.W1
        g["b1"] = dh.sum(0)
        return loss, g

    def fit(self, X, y, epochs=60, lr=0.1, momentum=0.9, batch=32):
        for _ in range(epochs):
            order = self.rng.permutation(len(y))
            for s in range(0, len(y), batch):
                b = order[s:s + batch]
                loss, g = self.grads(X[b], y[b])
                for n, v in self.vel.items():
                    v *= momentum
                    v -= lr * g[n]
                    getattr(self, n).__iadd__(v)
        return loss

    def score(self, X, y):
        return float((self.predict_proba(X).argmax(1) == y).mean())
