import argparse
import time

import tensorflow as tf

import pipeline


class TempCNN(tf.Module):
    """Small Conv1D classifier with variables handled by hand (no keras layers)."""

    def __init__(self, n_classes, width=24, kernel=5, name=None):
        super().__init__(name=name)
        init = tf.initializers.GlorotUniform(seed=0)
        self.k1 = tf.Variable(init([kernel, 1, width]), name="k1")
        self.k2 = tf.Variable(init([kernel, width, width]), name="k2")
        self.b1 = tf.Variable(tf.zeros([width]), name="b1")
        self.b2 = tf.Variable(tf.zeros([width]), name="b2")
        self.w = tf.Variable(init([2 * width, n_classes]), name="w")
        self.b = tf.Variable(tf.zeros([n_classes]), name="b")

    def __call__(self, x):
        h = tf.nn.relu(tf.nn.conv1d(x, self.k1, 1, "SAME") + self.b1)
        h = tf.nn.relu(tf.nn.conv1d(h, self.k2, 2, "SAME") + self.b2)
        pooled = tf.concat([tf.reduce_max(h, 1), tf.reduce_mean(h, 1)], axis=-1)
        return pooled @ self.w + self.b


def make_step(model, optimizer):
    @tf.function(reduce_retracing=True)
    def step(x, y):
        with tf.GradientTape() as tape:
            logits = model(x)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
        variables = model.trainable_variables
        grads, _ = tf.clip_by_global_norm(tape.gradient(loss, variables), 5.0)
        optimizer.apply_gradients(zip(grads, variables))
        return loss
    return step


def evaluate(model, ds):
    hits = total = 0
    for x, y in ds:
        pred = tf.argmax(model(x), axis=-1)
        hits += int(tf.reduce_sum(tf.cast(pred == y, tf.int32)))
        total += int(tf.size(y))
    return hits / total


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--root", default="shards")
    p.add_argument("--epochs", type=int, default=6)
    p.add_argument("--batch", type=int, default=32)
    p.add_argument("--lr", type=float, default=5e-3)
    a = p.parse_args()
    tf.random.set_seed(0)
    info = pipeline.meta(a.root)
    train = pipeline.dataset(a.root, [0, 1, 2], a.batch, True)
    test = pipeline.dataset(a.root, [3], 64, False)
    model = TempCNN(len(info["crops"]))
    opt = tf.keras.optimizers.Adam(a.lr)
    step = make_step(model, opt)
    for e in range(a.epochs):
        t0, mean = time.time(), tf.keras.metrics.Mean()
        for x, y in train:
            mean.update_state(step(x, y))
        print(f"epoch {e} loss {mean.result().numpy():.4f} acc {evaluate(model, test):.3f} ({time.time() - t0:.1f}s)")
    tf.train.Checkpoint(model=model).write("ckpt/tempcnn")


if __name__ == "__main__":
    main()
