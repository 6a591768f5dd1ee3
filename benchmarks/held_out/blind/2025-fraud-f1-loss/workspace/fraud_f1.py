import numpy as np
import tensorflow as tf
from sklearn.datasets import make_classification
from sklearn.metrics import f1_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

tf.keras.utils.set_random_seed(0)

# imbalanced "fraud" data
X, y = make_classification(n_samples=1200, n_features=12, n_informative=6,
                           weights=[0.85, 0.15], class_sep=1.5, random_state=0)
X_tr, X_te, y_tr, y_te = train_test_split(X, y, test_size=0.25, stratify=y, random_state=0)
sc = StandardScaler().fit(X_tr)
X_tr, X_te = sc.transform(X_tr).astype(np.float32), sc.transform(X_te).astype(np.float32)
y_tr = y_tr.reshape(-1, 1).astype(np.float32)
y_te = y_te.reshape(-1, 1).astype(np.float32)

train_ds = tf.data.Dataset.from_tensor_slices((X_tr, y_tr)).shuffle(2000, seed=0).batch(64)
test_ds = tf.data.Dataset.from_tensor_slices((X_te, y_te)).batch(256)


class FraudNet(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.d1 = tf.keras.layers.Dense(32, activation="relu")
        self.d2 = tf.keras.layers.Dense(16, activation="relu")
        self.drop = tf.keras.layers.Dropout(0.1)
        self.out = tf.keras.layers.Dense(1, activation="sigmoid")

    def call(self, x, training=False):
        x = self.d1(x)
        x = self.drop(x, training=training)
        x = self.d2(x)
        return self.out(x)


def f1_loss(y_true, y_prob):
    """1 - F1, computed on the whole batch."""
    eps = 1e-7
    y_hat = tf.cast(y_prob > 0.5, tf.float32)
    tp = tf.reduce_sum(y_true * y_hat)
    fp = tf.reduce_sum((1.0 - y_true) * y_hat)
    fn = tf.reduce_sum(y_true * (1.0 - y_hat))
    precision = tp / (tp + fp + eps)
    recall = tp / (tp + fn + eps)
    f1 = 2.0 * precision * recall / (precision + recall + eps)
    return 1.0 - f1


model = FraudNet()
optimizer = tf.keras.optimizers.Adam(3e-3)
train_loss = tf.keras.metrics.Mean()


def train_step(x, y):
    with tf.GradientTape() as tape:
        prob = model(x, training=True)
        loss = f1_loss(y, prob)
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    train_loss.update_state(loss)


def evaluate(ds):
    probs, targets = [], []
    for x, y in ds:
        probs.append(model(x, training=False).numpy())
        targets.append(y.numpy())
    probs, targets = np.concatenate(probs), np.concatenate(targets)
    return f1_score(targets, probs > 0.5)


for epoch in range(5):
    train_loss.reset_state()
    for xb, yb in train_ds:
        train_step(xb, yb)
    print("epoch {:2d}  loss {:.4f}  test F1 {:.4f}".format(
        epoch + 1, train_loss.result().numpy(), evaluate(test_ds)))
