import numpy as np
from sklearn.metrics import accuracy_score, confusion_matrix

import settings
from dataset import load, one_hot, shuffle, standardize
from softmax import SoftmaxRegression


def main():
    rng = np.random.default_rng(0)
    X, y = load("flowers.csv")
    X, y = shuffle(X, y, rng)
    cut = int(0.75 * len(X))
    X_train, X_test = standardize(X[:cut], X[cut:])
    Y_train = one_hot(y[:cut], settings.N_CLASSES)
    model = SoftmaxRegression(X.shape[1], settings.N_CLASSES, settings.LR)
    for epoch in range(1, settings.EPOCHS + 1):
        loss = model.step(X_train, Y_train)
        if epoch % 10 == 0:
            acc = accuracy_score(y[:cut], model.predict(X_train))
            print(f"epoch {epoch:3d}  loss {loss:.4f}  train_acc {acc:.3f}")
    pred = model.predict(X_test)
    print("test_acc %.3f" % accuracy_score(y[cut:], pred))
    print(confusion_matrix(y[cut:], pred))


if __name__ == "__main__":
    main()
