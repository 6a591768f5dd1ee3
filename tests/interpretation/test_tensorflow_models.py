"""What is known of TensorFlow's and Keras's values beside single expressions."""

from __future__ import annotations

from pathlib import Path

import pytest
from followed_programs import followed, shown

from dl_bug_lsp.interpretation.values import Array


def test_what_a_variable_holds_changes(tmp_path: Path) -> None:
    text = """
import tensorflow as tf
v = tf.Variable(3)
v.assign(40)
rows = tf.gather(tf.zeros((5, 2)), v - 38)
n = 1
"""
    assert shown(followed(tmp_path, text, {})[1]["n"]) == 1


def test_a_gradient_is_known_of_what_a_tape_watches(tmp_path: Path) -> None:
    text = """
import tensorflow as tf
x = tf.zeros((2, 3))
w = tf.Variable(tf.zeros((2, 3)))
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * w
a, b = tape.gradient(y, [x, w])
with tf.GradientTape() as other:
    y = x * w
c = other.gradient(y, x)
"""
    names = followed(tmp_path, text, {})[1]
    for name in ("a", "b"):
        data = names[name].data
        assert isinstance(data, Array) and data.sizes == (2, 3)
    assert not names["c"].known


def test_the_last_of_a_few_batches_is_smaller(tmp_path: Path) -> None:
    text = """
import tensorflow as tf
data = tf.data.Dataset.range(10).batch(4)
for batch in data:
    last = batch.shape[0]
first = next(iter(data)).shape[0]
"""
    names = followed(tmp_path, text, {})[1]
    assert (shown(names["first"]), shown(names["last"])) == (4, 2)


def test_a_layer_without_a_name_is_found_where_only_one_can_have_it(tmp_path: Path) -> None:
    text = """
from tensorflow import keras
m = keras.Sequential([
    keras.Input((8,)), keras.layers.Dense(4), keras.layers.Dropout(0.5), keras.layers.Dense(2),
])
a = m.get_layer("dropout_3")
b = m.get_layer("dense_1")
n = keras.Sequential([
    keras.Input((8, 8, 3)), keras.layers.MaxPool2D(), keras.applications.VGG16(include_top=False),
])
c = n.get_layer("vgg16"), n.get_layer("max_pooling2d_1")
d = 1
"""
    names = followed(tmp_path, text, {})[1]
    assert names["a"].known
    assert not names["b"].known
    assert shown(names["d"]) == 1


def test_how_many_labels_a_trained_checkpoint_has_is_not_known(tmp_path: Path) -> None:
    text = """
import torch
from transformers import AutoModelForSequenceClassification
ids = torch.zeros((3, 7), dtype=torch.long)
a = AutoModelForSequenceClassification.from_pretrained("some-user/model-of-three")(ids).logits
b = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased")(ids).logits
c = AutoModelForSequenceClassification.from_pretrained("me/x", num_labels=5)(ids).logits
"""
    names = followed(tmp_path, text, {})[1]
    sizes = [
        value.data.sizes for value in (names[n] for n in "abc") if isinstance(value.data, Array)
    ]
    assert sizes == [(3, None), (3, 2), (3, 5)]


def test_a_model_that_is_saved_and_loaded_again(tmp_path: Path) -> None:
    text = """
import numpy as np
from tensorflow import keras
m = keras.Sequential([keras.layers.Dense(3, input_shape=(4,))])
m.compile(loss="mse", optimizer="sgd", metrics=["mae"])
m.save("a.keras")
again = keras.models.load_model("a.keras")
m.add(keras.layers.Dense(7))
a = again.predict(np.zeros((5, 4)))
b = again.evaluate(np.zeros((5, 4)), np.zeros((5, 3)))
c = keras.models.load_model("other.keras")
"""
    names = followed(tmp_path, text, {})[1]
    assert shown(names["a"]) == ((5, 3), "float32")
    assert shown(names["b"]) == [((), "float32"), ((), "float32")]
    assert not names["c"].known


def test_the_words_that_a_tokenizer_of_keras_2_numbers(tmp_path: Path) -> None:
    text = """
from tensorflow.keras.preprocessing.text import Tokenizer, one_hot
from tensorflow.keras.preprocessing.sequence import pad_sequences
t = Tokenizer(num_words=50, oov_token="<OOV>")
t.fit_on_texts(["I love my dog", "I love my cat!"])
a = t.word_index
b = pad_sequences(t.texts_to_sequences(["I love", "you"]), maxlen=5)
c = len(one_hot("nice food", 30))
"""
    names = followed(tmp_path, text, {})[1]
    words = {"<OOV>": 1, "i": 2, "love": 3, "my": 4, "dog": 5, "cat": 6}
    assert shown(names["a"]) == words
    assert shown(names["b"]) == ((2, 5), "int32")
    assert shown(names["c"]) == 2


def test_tensors_that_are_alike_are_joined(tmp_path: Path) -> None:
    text = """
import numpy as np
import tensorflow as tf
layer = tf.keras.layers.Dense(3)
parts = [layer(rows) for rows in tf.zeros((5, 2, 8))]
a, b = tf.stack(parts), tf.concat(parts, axis=1)
c = tf.keras.layers.concatenate(parts)
batches = tf.data.Dataset.from_tensor_slices(np.zeros((1000, 8), "float32")).batch(32)
d = tf.concat([batch for batch in batches], axis=0)
e = tf.keras.Sequential([layer]).predict(batches)
"""
    names = followed(tmp_path, text, {})[1]
    assert shown(names["a"]) == ((5, 2, 3), "float32")
    assert shown(names["b"]) == shown(names["c"]) == ((2, 15), "float32")
    assert shown(names["d"]) == ((None, 8), "float32")
    assert shown(names["e"]) == ((1000, 3), "float32")


RUNNING_WELL = {
    "sizes of a tensor are joined with others": """
import tensorflow as tf
x = tf.zeros((2, 7, 12, 60))
shape = tf.shape(x)
y = tf.reshape(x, tf.concat([shape[:-1], [shape[-1] // 3, 3]], axis=0))
""",
    "a text of a data set is bytes": """
import tensorflow as tf
for text in tf.data.Dataset.from_tensor_slices(tf.constant(["abc", "de"])):
    y = text.numpy()[:2]
""",
    "layers that another model has built have weights": """
from tensorflow import keras
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3), keras.layers.Dense(2)])
other = keras.Sequential([layer for layer in model.layers])
other.set_weights(model.get_weights())
""",
    "a model that was built for one feature takes a single axis": """
import tensorflow as tf
x = tf.range(40.0)
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile(loss="mae")
model.fit(x[:, None], x)
y = model.predict(x)
""",
}


@pytest.mark.parametrize("name", RUNNING_WELL)
def test_nothing_is_refused(name: str, tmp_path: Path) -> None:
    run, _ = followed(tmp_path, RUNNING_WELL[name], {})
    assert not run.elsewhere
