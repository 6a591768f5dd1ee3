"""Multinomial logistic regression with plain gradient descent."""
import numpy as np


class SoftmaxRegression:
    def __init__(self, n_features, n_classes, lr):
        self.W = np.zeros((n_features, n_classes))
        self.b = np.zeros(n_classes)
        self.lr = lr

    def predict_proba(self, X):
        z = X @ self.W + self.b
        z = z - z.max(axis=1, keepdims=True)
        e = np.exp(z)
        return e / e.sum(axis=1, keepdims=True)

    def predict(self, X):
        return self.predict_proba(X).argmax(axis=1)

    def step(self, X, Y):
        P = self.predict_proba(X)
        loss = -np.mean(np.sum(Y * np.log(P + 1e-12), axis=1))
        G = (P - Y) / len(X)
        self.W -= self.lr * X.T @ G
        self.b -= self.lr * G.sum(axis=0)
        return loss
