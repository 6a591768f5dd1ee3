import json

import tensorflow as tf

from tickets.net import TicketNet
from tickets.pipeline import dataset, make_vectorizer, read
from tickets.report import confusion, show

tf.keras.utils.set_random_seed(3)
spec = json.load(open("spec.json"))
classes = spec["classes"]
train_texts, train_y = read(spec["train_csv"], classes)
test_texts, test_y = read(spec["test_csv"], classes)
vec = make_vectorizer(train_texts, spec)
print("vocabulary", vec.vocabulary_size())

net = TicketNet(vec.vocabulary_size(), spec["embedding"], len(classes))
net.compile(
    optimizer=tf.keras.optimizers.Adam(0.02),
    loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=["accuracy"],
)
net.fit(dataset(train_texts, train_y, vec, spec["batch"], shuffle=True), epochs=spec["epochs"], verbose=2)
logits = net.predict(dataset(test_texts, test_y, vec, spec["batch"]), verbose=0)
show(confusion(test_y, logits.argmax(axis=-1), len(classes)), classes)
