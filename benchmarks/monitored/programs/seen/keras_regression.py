# metric: mae (-?[\d.]+|nan) lower
import numpy as np
from keras import Sequential, utils
from keras.layers import Dense, Input
from keras.optimizers import Adam
from sklearn.datasets import make_regression
from sklearn.preprocessing import StandardScaler

utils.set_random_seed(8)
X, y = make_regression(n_samples=1500, n_features=12, noise=8.0, random_state=8)
X = StandardScaler().fit_transform(X)
y = StandardScaler().fit_transform(y.reshape(-1, 1))
X_train, X_test = X[:1200], X[1200:]
y_train, y_test = y[:1200], y[1200:]

model = Sequential(
    [
        Input(shape=(12,)),
        Dense(32, activation="relu"),
        Dense(32, activation="relu"),
        Dense(1),
    ]
)
model.compile(optimizer=Adam(learning_rate=0.003), loss="mse", metrics=["mae"])
model.fit(X_train, y_train, epochs=10, batch_size=32, verbose=2, validation_split=0.1)
_, mae = model.evaluate(X_test, y_test, verbose=0)
print(f"mae {mae:.4f}")
