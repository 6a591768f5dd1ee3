import argparse
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import tensorflow as tf

from reader import make_dataset

ap = argparse.ArgumentParser()
ap.add_argument("--records", default="records")
ap.add_argument("--frames", type=int, default=14)
ap.add_argument("--dim", type=int, default=13)
ap.add_argument("--classes", type=int, default=4)
ap.add_argument("--epochs", type=int, default=5)
ap.add_argument("--lr", type=float, default=3e-3)
args = ap.parse_args()
tf.keras.utils.set_random_seed(1)

train = make_dataset(f"{args.records}/train.tfrecord", args.frames, args.dim, 16, True)
valid = make_dataset(f"{args.records}/valid.tfrecord", args.frames, args.dim, 16, False)

model = tf.keras.Sequential([
    tf.keras.layers.Input((args.frames, args.dim)),
    tf.keras.layers.Bidirectional(tf.keras.layers.GRU(24)),
    tf.keras.layers.Dense(24, activation="relu"),
    tf.keras.layers.Dense(args.classes),
])
opt = tf.keras.optimizers.Adam(args.lr)
loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
acc = tf.keras.metrics.SparseCategoricalAccuracy()


@tf.function
def step(x, y):
    with tf.GradientTape() as tape:
        loss = loss_fn(y, model(x, training=True))
    opt.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
    return loss


for ep in range(args.epochs):
    mean = tf.keras.metrics.Mean()
    for x, y in train:
        mean.update_state(step(x, y))
    acc.reset_state()
    for x, y in valid:
        acc.update_state(y, model(x, training=False))
    print(f"epoch {ep + 1}/{args.epochs} loss {mean.result():.4f} valid acc {acc.result():.3f}", flush=True)
