import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
os.environ["KERAS_BACKEND"] = "tensorflow"
import keras
import numpy as np
import pandas as pd
import tensorflow as tf

from towers import ListenerTower, Retrieval, ShowTower

BATCH, DIM, EPOCHS, MIN_MINUTES = 128, 16, 8, 5


def load(folder):
    shows = pd.read_csv(f"{folder}/shows.csv")
    log = pd.read_csv(f"{folder}/listens.csv")
    log = log[log.minutes >= MIN_MINUTES].merge(shows, on="show", validate="many_to_one")
    last = log.groupby("listener").tail(2).index
    return shows, log.drop(last), log.loc[last]


def frequency_table(train):
    share = train.show.value_counts(normalize=True)
    init = tf.lookup.KeyValueTensorInitializer(share.index.to_numpy(str), np.log(share.to_numpy()).astype("float32"))
    return tf.lookup.StaticHashTable(init, default_value=-12.0)


def stream(frame, columns):
    return tf.data.Dataset.from_tensor_slices({c: frame[c].to_numpy(str if frame[c].dtype.kind not in "iuf" else "int32") for c in columns})


def training_data(train):
    train = train.sample(frac=1.0, random_state=9)
    listener = stream(train, ["listener", "device", "hour"])
    show = stream(train, ["show", "topic", "length"])
    listener, show = (d.shuffle(4096) for d in (listener, show))
    pairs = tf.data.Dataset.zip((listener, show)).map(lambda a, b: {**a, **b})
    return pairs.batch(BATCH, drop_remainder=True).prefetch(2)


class RecallAtK(keras.callbacks.Callback):
    def __init__(self, test, shows, k=12):
        super().__init__()
        self.test, self.shows, self.k = test, shows, k

    def on_epoch_end(self, epoch, logs=None):
        bank = {c: tf.constant(self.shows[c].to_numpy(str)) for c in ("show", "topic", "length")}
        items = self.model.show_tower(bank)
        hits = total = 0
        for q in stream(self.test, ["listener", "device", "hour", "show"]).batch(256):
            score = tf.matmul(self.model.listener_tower(q), items, transpose_b=True)
            top = tf.gather(bank["show"], tf.math.top_k(score, self.k).indices)
            hits += int(tf.reduce_sum(tf.cast(tf.reduce_any(top == q["show"][:, None], axis=1), tf.int32)))
            total += len(score)
        chance = self.k / len(self.shows)
        print(f"epoch {epoch + 1}: loss {logs['loss']:.4f}  recall@{self.k} {hits / total:.3f} (chance {chance:.3f})", flush=True)


def main():
    keras.utils.set_random_seed(3)
    shows, train, test = load("logs")
    print(f"{len(train)} listens for training, {len(test)} for test, {len(shows)} shows")
    model = Retrieval(
        ListenerTower(train.listener.unique(), train.device.unique(), DIM),
        ShowTower(shows.show, shows.topic.unique(), shows.length.unique(), DIM),
        frequency_table(train),
    )
    model.compile(optimizer=keras.optimizers.Adam(0.01))
    model.fit(training_data(train), epochs=EPOCHS, verbose=0, callbacks=[RecallAtK(test, shows)])


if __name__ == "__main__":
    main()
