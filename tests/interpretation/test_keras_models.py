"""Keras, TensorFlow and JAX programs: what shapes they have and where they fail."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dl_bug_lsp.interpretation.interpreter import Interpreter, Outcome
from dl_bug_lsp.interpretation.values import Array, ModuleValue, Raised, Value
from dl_bug_lsp.workspace import Workspace

KERAS = "import numpy as np\nimport tensorflow as tf\nfrom tensorflow import keras\n" + (
    "from tensorflow.keras import layers\n"
)
JAX = (
    "import jax\nimport jax.numpy as jnp\nimport flax.linen as nn\nimport optax\n"
    "import equinox as eqx\n"
)


def follow(tmp_path: Path, source: str) -> tuple[Outcome, dict[str, Value]]:
    """Follow a program up to its last line."""
    (tmp_path / "run.py").write_text(source, encoding="utf-8")
    interpreter = Interpreter(
        Workspace(tmp_path, cache=False), "run.py", ("run.py", source.rstrip().count("\n") + 1)
    )
    outcome = interpreter.run()
    module = interpreter.modules["run.py"].data
    assert isinstance(module, ModuleValue)
    return outcome, module.environment.names


# Shapes as Keras 3.15 gives them.
LAYERS = """
Conv2D(8, 3)                                            (32, 32, 3)  (30, 30, 8)
Conv2D(8, (3, 5), strides=2, padding='same')            (33, 32, 3)  (17, 16, 8)
Conv2D(8, 3, dilation_rate=2)                           (32, 32, 3)  (28, 28, 8)
Conv2D(4, 2, data_format='channels_first')              (3, 8, 8)    (4, 7, 7)
Conv1D(4, 3, padding='causal')                          (10, 2)      (10, 4)
Conv2DTranspose(4, 2, strides=3)                        (8, 8, 3)    (24, 24, 4)
DepthwiseConv2D(3, depth_multiplier=2)                  (8, 8, 3)    (6, 6, 6)
MaxPooling2D()                                          (9, 9, 3)    (4, 4, 3)
AveragePooling2D(3, strides=2, padding='same')          (9, 9, 3)    (5, 5, 3)
GlobalMaxPooling1D(keepdims=True)                       (9, 3)       (1, 3)
Flatten()                                               (3, 4, 5)    (60,)
Reshape((6, -1))                                        (3, 4)       (6, 2)
Permute((2, 1))                                         (3, 4)       (4, 3)
RepeatVector(5)                                         (3,)         (5, 3)
UpSampling2D((2, 3))                                    (4, 4, 1)    (8, 12, 1)
ZeroPadding2D(((1, 2), (3, 4)))                         (4, 4, 1)    (7, 11, 1)
Cropping2D(1)                                           (6, 6, 1)    (4, 4, 1)
Embedding(10, 6)                                        (5,)         (5, 6)
LSTM(6)                                                 (5, 3)       (6,)
Bidirectional(layers.GRU(6, return_sequences=True))     (5, 3)       (5, 12)
TimeDistributed(layers.Flatten())                       (5, 3, 4)    (5, 12)
Lambda(lambda t: tf.reduce_mean(t, axis=1))             (5, 3)       (3,)
"""


def test_layers_give_the_shapes_that_keras_gives(tmp_path: Path) -> None:
    rows = [re.split(r"  +", line) for line in LAYERS.strip().splitlines()]
    program = KERAS + "".join(
        f"r{i} = layers.{layer}(keras.Input({shape}))\n" for i, (layer, shape, _) in enumerate(rows)
    )
    _, names = follow(tmp_path, program)
    found = []
    for i in range(len(rows)):
        data = names[f"r{i}"].data
        assert isinstance(data, Array), rows[i]
        found.append(data.sizes and str(data.sizes[1:]))
    assert found == [wanted for *_, wanted in rows]


def model(*layers: str, loss: str = "mse", inputs: str = "(4,)") -> str:
    """Write a sequential model."""
    inside = ", ".join(f"layers.{layer}" for layer in layers)
    return (
        f"model = keras.Sequential([keras.Input({inputs}), {inside}])\n"
        f"model.compile('adam', loss={loss!r}, metrics=['acc'])\n"
    )


DATASET = "tf.data.Dataset.from_tensor_slices((np.zeros((20, 6, 6, 1)), np.zeros((20, 3))))"
OWN = """
class Own(keras.Model):
    def __init__(self, width):
        super().__init__()
        self.hidden = layers.Dense(width)
        self.out = layers.Dense(3)
    def call(self, x):
        return self.out(self.hidden(x))
model = Own(8)
model.compile('sgd', 'categorical_crossentropy')
"""
# A program whose last line fails, the kind of failure, and the two values that do not fit.
NAMED = (
    "a = keras.Input((4,))\nheads = [layers.Dense(1, name='age')(a), "
    "layers.Dense(3, activation='softmax', name='kind')(a)]\nm = keras.Model(a, heads)\n"
)
FAILURES = {
    "rank of the data": (
        model("Dense(1)") + "model.fit(np.zeros((64, 2, 2)), np.zeros(64))",
        ("size", 3, 2),
    ),
    "size of the data": (
        model("Dense(1)") + "model.fit(np.zeros((64, 5)), np.zeros(64))",
        ("size", 5, 4),
    ),
    "number of samples": (
        model("Dense(1)") + "model.fit(np.zeros((64, 4)), np.zeros(60))",
        ("size", 64, 60),
    ),
    "classes": (
        model("Dense(10)", loss="categorical_crossentropy")
        + "model.fit(np.zeros((64, 4)), np.zeros((64, 9)))",
        ("size", 9, 10),
    ),
    "class numbers for one-hot rows": (
        model("Dense(10)", loss="categorical_crossentropy")
        + "model.fit(np.zeros((64, 4)), np.zeros(64))",
        ("size", 1, 2),
    ),
    "label beyond the outputs": (
        model("Flatten()", "Dense(9)", loss="sparse_categorical_crossentropy", inputs="(28, 28)")
        + "(x, y), _ = keras.datasets.mnist.load_data()\nmodel.fit(x, y)",
        ("index", 9, 9),
    ),
    "binary loss": (
        model("Dense(1)", loss="binary_crossentropy")
        + "model.fit(np.zeros((8, 4)), np.zeros((8, 2)))",
        ("size", 2, 1),
    ),
    "regression": (
        model("Dense(5)") + "model.fit(np.zeros((8, 4)), np.zeros((8, 3)))",
        ("size", 3, 5),
    ),
    "validation data": (
        model("Dense(5)")
        + "x, y = np.zeros((8, 4)), np.zeros((8, 5))\n"
        + "model.fit(x, y, validation_data=(np.zeros((4, 6)), y[:4]))",
        ("size", 6, 4),
    ),
    "stacked recurrent layers": (
        "model = keras.Sequential()\nmodel.add(keras.Input((5, 2)))\nmodel.add(layers.LSTM(4))\n"
        "model.add(layers.LSTM(4))",
        ("size", 2, 3),
    ),
    "input_shape": (
        "keras.Sequential([layers.Conv2D(4, 3, input_shape=(28, 28))])",
        ("size", 3, 4),
    ),
    "kernel larger than the image": (
        "layers.Conv2D(4, 5)(keras.Input((3, 3, 1)))",
        ("size", 3, 5),
    ),
    "branches": (
        "a = keras.Input((8, 8, 1))\nb = layers.Conv2D(4, 3)(a)\n"
        "layers.Add()([b, layers.Conv2D(4, 3, padding='same')(a)])",
        ("size", 6, 8),
    ),
    "functional": (
        "a = keras.Input((4,))\nm = keras.Model(a, layers.Dense(3)(layers.Dense(2)(a)))\n"
        "m.compile('sgd', keras.losses.CategoricalCrossentropy())\n"
        "m.fit(np.zeros((9, 4)), np.zeros((9, 2)))",
        ("size", 2, 3),
    ),
    "embedding range": (
        model("Embedding(10, 2)") + "model.predict(np.full((2, 4), 10))",
        ("index", 10, 10),
    ),
    "subclassed": (OWN + "model.fit(np.zeros((6, 4)), np.zeros((6, 2)))", ("size", 2, 3)),
    "data set": (
        model("Flatten()", "Dense(3)", inputs="(5, 6, 1)") + f"model.fit({DATASET}.batch(4))",
        ("size", 36, 30),
    ),
    "data that is not known": (
        "import pickle, sys\nx = pickle.load(sys.stdin)\n"
        + model("Dense(3)", loss="categorical_crossentropy")
        + "model.fit(x, np.zeros(20))",
        ("size", 1, 2),
    ),
    "loss of another name": (
        NAMED + "m.compile('sgd', {'age': 'mse', 'kind_out': 'mse'})\n"
        "m.fit(np.zeros((9, 4)), {'age': np.zeros(9), 'kind_out': np.zeros(9)})",
        ("key", "kind_out", None),
    ),
    "sparse loss of one output": (
        NAMED + "m.compile('sgd', {'age': 'mse', 'kind': 'sparse_categorical_crossentropy'})\n"
        "m.fit(np.zeros((9, 4)), {'age': np.zeros(9), 'kind': np.zeros((9, 3))})",
        ("size", 2, 2),
    ),
    "text as a learning rate": (
        "keras.optimizers.Adam(learning_rate='3e-3')",
        ("value", "3e-3", None),
    ),
    "one-hot": (
        "y = np.array([0, 3, 4])\nkeras.utils.to_categorical(y, num_classes=4)",
        ("index", 4, 4),
    ),
    "history": (
        model("Dense(1)") + "h = model.fit(np.zeros((8, 4)), np.zeros(8))\nh.history['accuracy']",
        ("key", "accuracy", None),
    ),
    "activation": ("layers.Dense(3, activation='rellu')", ("value", "rellu", None)),
    "unknown keyword": ("layers.Dense(3, activaton='relu')", ("arguments", "activaton", None)),
    "dtypes": ("tf.matmul(tf.ones((2, 2)), tf.constant(np.zeros((2, 2))))", ("type", None, None)),
    "concat": ("tf.concat([tf.ones((2, 3)), tf.ones((4, 3))], axis=1)", ("size", 2, 4)),
    "gather": ("tf.gather(tf.ones((3, 2)), [0, 3])", ("index", 3, 3)),
    "images": (
        "import keras as k\nlayers.Dense(2)(tf.zeros((2, 3)) @ tf.zeros((4, 2)))",
        ("size", 3, 4),
    ),
}
JAX_FAILURES = {
    "product": (
        "k1, k2 = jax.random.split(jax.random.key(0))\n"
        "jnp.dot(jnp.ones((5, 4)), jax.random.normal(k1, (3, 4)))",
        ("size", 4, 3),
    ),
    "gradient of an array": (
        "jax.grad(lambda w: w * 2)(jnp.ones(3))",
        ("type", 1, 3),
    ),
    "vmap": (
        "jax.vmap(lambda a, b: a @ b)(jnp.ones((3, 4)), jnp.ones((5, 4)))",
        ("size", 3, 5),
    ),
    "scan": (
        "def step(c, x):\n    return jnp.concatenate([c, x]), c\n"
        "jax.lax.scan(step, jnp.zeros(3), jnp.ones((10, 2)))",
        ("size", 3, 5),
    ),
    "flax": (
        "class Net(nn.Module):\n    @nn.compact\n    def __call__(self, x):\n"
        "        return nn.Dense(10)(nn.relu(nn.Dense(4)(x)))\n"
        "net = Net()\np = net.init(jax.random.key(0), jnp.ones((1, 8)))\n"
        "jnp.ones((3, 9)) @ net.apply(p, jnp.ones((2, 8)))",
        ("size", 9, 2),
    ),
    "optax": (
        "optax.softmax_cross_entropy_with_integer_labels(jnp.ones((5, 3)), jnp.ones((5, 3), int))",
        ("size", 2, 2),
    ),
    "a warmup longer than the schedule": (
        "optax.warmup_cosine_decay_schedule(0.0, 1e-3, warmup_steps=500, decay_steps=3 * 16)",
        ("value", 48, 500),
    ),
    "a schedule without steps": ("optax.cosine_decay_schedule(1e-3, 7 // 8)", ("value", 0, None)),
    "rows of numbers of which not much is known": (
        "import numpy as np\nrows = np.array([[int(c) for c in input()] for _ in range(12)])\n"
        "optax.warmup_cosine_decay_schedule(0.0, 1e-3, 64, len(rows))",
        ("value", 12, 64),
    ),
    "equinox": (
        "layer = eqx.nn.Linear(3, 4, key=None)\njax.vmap(layer)(jnp.ones((7, 3)))\n"
        "layer(jnp.ones((5,)))",
        ("size", 5, 3),
    ),
}
ALL = {
    **{name: (KERAS + source, wanted) for name, (source, wanted) in FAILURES.items()},
    **{f"jax {name}": (JAX + source, wanted) for name, (source, wanted) in JAX_FAILURES.items()},
}


@pytest.mark.parametrize("name", ALL)
def test_the_last_line_fails_with_the_values_that_do_not_fit(tmp_path: Path, name: str) -> None:
    source, (what, first, second) = ALL[name]
    outcome, _ = follow(tmp_path, source)
    assert isinstance(outcome.raised, Raised), outcome.elsewhere
    assert outcome.raised.what == what
    assert not outcome.elsewhere
    sides = [side.data for side in outcome.raised.sides]
    for wanted in (first, second):
        assert wanted is None or wanted in sides
    if first is not None and second is not None:
        assert sides[:2] == [first, second]


SOUND = {
    "subclassed": OWN + "r = model.predict(np.zeros((6, 4)))",
    "sequential": model("Dense(3)") + "r = model.predict(np.zeros((6, 4, 1)))",
    "functional": "a = keras.Input((None, 2))\nm = keras.Model(a, layers.LSTM(3)(a))\n"
    "r = m.predict(np.zeros((6, 7, 2)))",
    "two inputs": "a, b = keras.Input((2,)), keras.Input((3,))\n"
    "m = keras.Model([a, b], layers.Dense(3)(layers.concatenate([a, b])))\n"
    "r = m.predict([np.zeros((6, 2)), np.zeros((6, 3))])",
}


@pytest.mark.parametrize("name", SOUND)
def test_predictions_have_a_row_for_each_sample(tmp_path: Path, name: str) -> None:
    outcome, names = follow(tmp_path, KERAS + SOUND[name])
    assert outcome.raised is None
    assert not outcome.elsewhere
    data = names["r"].data
    assert isinstance(data, Array)
    assert data.sizes == (6, 3)


def test_sides_carry_the_lines_that_made_them(tmp_path: Path) -> None:
    source = (
        KERAS
        + "units = 9\nlabels = np.zeros((64, 7))\n"
        + model("Dense(units)", loss="categorical_crossentropy")
        + "model.fit(np.zeros((64, 4)), labels)"
    )
    outcome, _ = follow(tmp_path, source)
    assert outcome.raised is not None
    target, output = outcome.raised.sides[:2]
    assert {line for _, line in target.origins} == {6}
    assert {line for _, line in output.origins} == {5, 7}
