import tensorflow as tf
import numpy as np

tf.random.set_seed(0)
np.random.seed(0)

# toy recommender: matrix factorization with a custom training loop
n_users, n_items, dim = 60, 40, 5
U = np.random.randn(n_users, dim)
V = np.random.randn(n_items, dim)
pairs = np.array([(u, i) for u in range(n_users) for i in range(n_items) if np.random.rand() < 0.4])
ratings = np.array([U[u] @ V[i] for u, i in pairs], dtype="float32")
ratings = 5 / (1 + np.exp(-ratings))


class Recommender(tf.keras.Model):
    def __init__(self, n_users, n_items, k):
        super().__init__()
        self.user_emb = tf.keras.layers.Embedding(n_users, k)
        self.item_emb = tf.keras.layers.Embedding(n_items, k)
        self.bias = tf.keras.layers.Embedding(n_items, 1)

    def call(self, inputs):
        u = self.user_emb(inputs[:, 0])
        v = self.item_emb(inputs[:, 1])
        b = self.bias(inputs[:, 1])
        dot = tf.reduce_sum(u * v, axis=1, keepdims=True)
        return 5 * tf.sigmoid(dot + b)


model = Recommender(n_users, n_items, 8)
optimizer = tf.keras.optimizers.Adam(0.02)
mse = tf.keras.losses.MeanSquaredError()
train_metric = tf.keras.metrics.RootMeanSquaredError()

ds = tf.data.Dataset.from_tensor_slices((pairs, ratings.reshape(-1, 1).astype("float32")))
ds = ds.shuffle(2000).batch(64)


def train_step(x, y):
    with tf.GradientTape() as tape:
        pred = model(x, training=True)
    loss = mse(y, pred)
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    train_metric.update_state(y, pred)
    return loss


for epoch in range(6):
    train_metric.reset_state()
    for x, y in ds:
        loss = train_step(x, y)
    print("Epoch", epoch + 1, "RMSE", float(train_metric.result()))

user = 3
cand = np.array([[user, i] for i in range(n_items)])
scores = model(cand).numpy()[:, 0]
print("top items for user 3:", np.argsort(-scores)[:5])
