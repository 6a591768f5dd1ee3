import numpy as np
import pandas as pd
import tensorflow as tf
from tensorflow.keras.layers import Dense, Embedding, LSTM
from tensorflow.keras.models import Sequential
from tensorflow.keras.utils import pad_sequences

df = pd.read_csv("reviews.csv")
texts = df["review"].values
labels = df["sentiment"].map({"negative": 0, "positive": 1}).values

# build word index by hand, 0 is for padding and 1 for unknown words
word_index = {}
for t in texts:
    for w in t.split():
        if w not in word_index:
            word_index[w] = len(word_index) + 2

sequences = [[word_index.get(w, 1) for w in t.split()] for t in texts]
max_len = 16
X = np.array(sequences)
y = np.array(labels)

vocab_size = len(word_index) + 2
print("vocab", vocab_size, "X", X.shape, "y", y.shape)

model = Sequential([
    Embedding(vocab_size, 16, mask_zero=True),
    LSTM(16),
    Dense(1, activation="sigmoid"),
])
model.compile(loss="binary_crossentropy", optimizer=tf.keras.optimizers.Adam(0.02), metrics=["accuracy"])
model.fit(X[:120], y[:120], validation_data=(X[120:], y[120:]), epochs=4, batch_size=16, verbose=2)


def predict(text):
    seq = [[word_index.get(w, 1) for w in text.split()]]
    seq = pad_sequences(seq, maxlen=max_len, padding="post")
    return float(model.predict(seq, verbose=0)[0, 0])


print(predict("a lovely movie with great acting"))
print(predict("terrible plot and dull cast"))
