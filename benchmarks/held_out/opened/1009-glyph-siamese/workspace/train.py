import argparse
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
import numpy as np
import tensorflow as tf

from glyphs import build_encoder, contrastive_loss, load_glyphs, pair_accuracy, pair_dataset, pair_distance


def get_args():
    ap = argparse.ArgumentParser(description="siamese network on glyph pairs")
    ap.add_argument("--data", default="glyphs.npz")
    ap.add_argument("--epochs", type=int, default=4)
    ap.add_argument("--pairs", type=int, default=600)
    ap.add_argument("--batch-size", type=int, default=40)
    ap.add_argument("--embedding-dim", type=int, default=16)
    ap.add_argument("--margin", type=float, default=1.0)
    ap.add_argument("--lr", type=float, default=1e-3)
    return ap.parse_args()


def main():
    args = get_args()
    tf.keras.utils.set_random_seed(5)
    images, labels = load_glyphs(args.data)
    print("glyph sheet:", images.shape, "classes:", len(np.unique(labels)))
    held_out = labels >= labels.max() - 1
    train_ds = pair_dataset(images[~held_out], labels[~held_out], args.pairs, args.batch_size, seed=1)
    test_ds = pair_dataset(images[held_out], labels[held_out], 120, args.batch_size, seed=2, shuffle=False)

    encoder = build_encoder(images.shape[1], [8, 16], args.embedding_dim)
    optimizer = tf.keras.optimizers.Adam(args.lr)

    @tf.function
    def train_step(a, b, same):
        with tf.GradientTape() as tape:
            dist = pair_distance(encoder, a, b, training=True)
            loss = contrastive_loss(same, dist, args.margin)
        grads = tape.gradient(loss, encoder.trainable_variables)
        optimizer.apply_gradients(zip(grads, encoder.trainable_variables))
        return loss

    for epoch in range(args.epochs):
        losses = [train_step(a, b, s).numpy() for a, b, s in train_ds]
        accs = [pair_accuracy(s, pair_distance(encoder, a, b), args.margin).numpy() for a, b, s in test_ds]
        print(f"epoch {epoch}: loss {np.mean(losses):.4f}  unseen-class pair accuracy {np.mean(accs):.3f}")


if __name__ == "__main__":
    main()
