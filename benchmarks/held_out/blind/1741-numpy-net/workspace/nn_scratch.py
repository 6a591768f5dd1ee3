import numpy as np

np.random.seed(0)

# two moons by hand
n = 400
t = np.random.rand(n) * np.pi
X1 = np.c_[np.cos(t), np.sin(t)]
X2 = np.c_[1 - np.cos(t), 0.5 - np.sin(t)]
X = np.vstack([X1, X2]) + 0.1 * np.random.randn(2 * n, 2)
Y = np.array([0] * n + [1] * n)
order = np.random.permutation(2 * n)
X, Y = X[order], Y[order]

layer_dims = [2, 16, 8, 2]


def init_params(dims):
    params = {}
    for l in range(1, len(dims)):
        params["W" + str(l)] = np.random.randn(dims[l], dims[l - 1]) * np.sqrt(2 / dims[l - 1])
        params["b" + str(l)] = np.zeros((dims[l], 1))
    return params


def softmax(z):
    e = np.exp(z - z.max(axis=0, keepdims=True))
    return e / e.sum(axis=0, keepdims=True)


def forward(X, params):
    L = len(params) // 2
    cache = {"A0": X}
    A = X
    for l in range(1, L + 1):
        Z = params["W%d" % l] @ A + params["b%d" % l]
        A = softmax(Z) if l == L else np.maximum(0, Z)
        cache["Z%d" % l] = Z
        cache["A%d" % l] = A
    return A, cache


def backward(y_onehot, params, cache):
    L = len(params) // 2
    m = y_onehot.shape[1]
    grads = {}
    dZ = cache["A%d" % L] - y_onehot
    for l in range(L, 0, -1):
        grads["W%d" % l] = dZ @ cache["A%d" % (l - 1)].T / m
        grads["b%d" % l] = dZ.sum(axis=1) / m
        if l > 1:
            dA = params["W%d" % l].T @ dZ
            dZ = dA * (cache["Z%d" % (l - 1)] > 0)
    return grads


def update(params, grads, lr):
    for k in params:
        params[k] -= lr * grads[k]
    return params


params = init_params(layer_dims)
y_onehot = np.eye(2)[Y].T
for i in range(1000):
    probs, cache = forward(X.T, params)
    grads = backward(y_onehot, params, cache)
    params = update(params, grads, 0.3)
    if i % 200 == 0:
        cost = -np.mean(np.log(probs[Y, np.arange(len(Y))]))
        print("Cost after iteration %d: %f" % (i, cost))

probs, _ = forward(X.T, params)
print("train accuracy:", np.mean(probs.argmax(axis=0) == Y))
