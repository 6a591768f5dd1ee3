import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf
from sklearn.metrics import classification_report

import settings as S
from model import build_classifier
from pipeline import SegmentPipeline, read_labels


def evaluate(model, ds, labels):
    y_true = np.concatenate([y.numpy() for _, y in ds])
    y_pred = model.predict(ds, verbose=0).argmax(axis=1)
    print(classification_report(y_true, y_pred, labels=range(len(labels)), target_names=labels, zero_division=0))


def main():
    tf.keras.utils.set_random_seed(8)
    labels = read_labels()
    pipeline = SegmentPipeline(labels)
    train_ds = pipeline(S.TRAIN_CSV, training=True)
    valid_ds = pipeline(S.VALID_CSV, training=False)
    print("classes:", labels)

    model = build_classifier(len(labels), S.N_SAMPLES, S.LEARNING_RATE)
    model.fit(train_ds, validation_data=valid_ds, epochs=S.EPOCHS, verbose=2)
    evaluate(model, valid_ds, labels)
    os.makedirs("export", exist_ok=True)
    model.save("export/motion.keras")


if __name__ == "__main__":
    main()
