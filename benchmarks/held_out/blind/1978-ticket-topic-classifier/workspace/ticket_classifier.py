import random

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

random.seed(0)
np.random.seed(0)
tf.random.set_seed(0)

TOPICS = {
    "billing": "invoice payment charge refund card price bill double amount subscription".split(),
    "network": "router wifi connection slow cable signal modem drop speed outage".split(),
    "account": "password login locked email reset profile username verify access code".split(),
    "hardware": "screen keyboard battery charger broken fan noise mouse repair warranty".split(),
}
FILLER = "my the is please help since yesterday i have a problem with and it does not work again".split()


def make_ticket(topic):
    words = random.choices(TOPICS[topic], k=random.randint(2, 4))
    words += random.choices(FILLER, k=random.randint(4, 9))
    random.shuffle(words)
    return " ".join(words)


names = list(TOPICS)
tickets, labels = [], []
for _ in range(1200):
    topic = random.choice(names)
    tickets.append(make_ticket(topic))
    labels.append(names.index(topic))

tickets = np.array(tickets)
labels = np.array(labels)
split = int(0.8 * len(tickets))
x_train, x_val = tickets[:split], tickets[split:]
y_train, y_val = labels[:split], labels[split:]

vectorizer = layers.TextVectorization(max_tokens=500, output_sequence_length=14)
vectorizer.adapt(x_train)
print("vocabulary:", vectorizer.vocabulary_size())

train_ds = (
    tf.data.Dataset.from_tensor_slices((x_train, y_train))
    .shuffle(2000, seed=0)
    .batch(32)
    .map(lambda t, y: (vectorizer(t), y))
    .prefetch(1)
)
val_ds = (
    tf.data.Dataset.from_tensor_slices((x_val, y_val))
    .batch(64)
    .map(lambda t, y: (vectorizer(t), y))
)


def build_model(vocab_size, num_classes):
    inputs = keras.Input(shape=(14,), dtype="int64")
    x = layers.Embedding(vocab_size, 16)(inputs)
    x = layers.GlobalAveragePooling1D()(x)
    x = layers.Dense(32, activation="relu")(x)
    x = layers.Dropout(0.2)(x)
    outputs = layers.Dense(num_classes, activation="softmax")(x)
    return keras.Model(inputs, outputs, name="tickets")


model = build_model(vectorizer.vocabulary_size(), len(names))
model.compile(
    optimizer=keras.optimizers.Adam(5e-3),
    loss="categorical_crossentropy",
    metrics=["accuracy"],
)

model.fit(train_ds, validation_data=val_ds, epochs=4, verbose=2)

loss, acc = model.evaluate(val_ds, verbose=0)
print(f"val loss {loss:.3f}  val accuracy {acc:.3f}")
probs = model.predict(vectorizer(np.array(["my router has no signal again"])), verbose=0)
print("prediction:", names[int(probs[0].argmax())])
