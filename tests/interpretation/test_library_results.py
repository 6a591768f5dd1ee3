"""No model contradicts its library: some 8,500 expressions, evaluated in the real ones.

What is not known to a model may stay unknown, and what a library refuses may pass; but a shape, a
dtype, a plain value or a refusal that a model states is the library's. ``results/record.py``
evaluates the expressions (PyTorch 2.13, NumPy 2.4, JAX 0.10, TensorFlow 2.21, Keras 3.15, pandas
3.1, scikit-learn 1.9, SciPy 1.17, OpenCV 5.0).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path

import pytest

from dl_bug_lsp.interpretation.interpreter import Interpreter
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    Lazy,
    ModuleValue,
    Table,
    Value,
    rest_of,
)
from dl_bug_lsp.workspace import Workspace

RESULTS = Path(__file__).parent / "results"
MOST_ITEMS = 20
TEXTS = ("object", "str", "U", "string")
"""What texts are called as dtypes: their names differ from version to version."""
KNOWN = {
    "flax": 0.80,
    "huggingface": 0.80,
    "jax_numpy": 0.60,
    "keras_models": 0.70,
    "lightning": 0.80,
    "numpy": 0.85,
    "opencv": 0.95,
    "pandas": 0.80,
    "python": 0.75,
    "scipy": 0.95,
    "sklearn": 0.80,
    "tensorflow": 0.85,
    "tensorflow_values": 0.85,
    "tf_keras": 0.85,
    "torch_layers": 0.80,
    "torch_modules": 0.95,
    "torch_tensors": 0.85,
}
"""The least share of expressions that are wholly known, or refused where the library does."""
DIFFERENT = {
    # A condition that is not known is taken to hold.
    "x if x.sum() > 0 else v",
    "a if a.any() else v",
    # Scalars of arrays are followed as Python's numbers.
    "isinstance(np.float32(1), float)",
    "isinstance(np.int64(1), int)",
    "isinstance(b[0, 0], np.integer)",
    "isinstance(a, np.ndarray)",
    "a == None",
    # What is drawn at random is one item that stands for all.
    "random.choice(words)",
    "random.sample(words, 2)",
    "np.random.triangular(0, 1, 2, 3)",
    "nn.ConvTranspose2d(3, 4, 3, stride=2, padding=1)(im, output_size=(32, 32))",
    "nn.Linear(2, 3).load_state_dict(nn.Linear(2, 3).state_dict())",
    "nn.Linear(2, 3).load_state_dict({'w': 1}, strict=False)",
    'CountVectorizer().fit_transform(["ab b cd"]).toarray()',
    # Columns of arrays are taken to have a value.
    "impute.SimpleImputer().fit_transform(np.array([[1, np.nan], [2, np.nan]]))",
    # Said earlier than by the library.
    "m.compile(loss='mses')",
    "KFold(30).split(X)",
    # JAX refuses nothing of values.
    "np.percentile(a, 101)",
    "np.bincount(np.array([-1]))",
    "np.unravel_index(7, (2, 3))",
    # JAX's methods, whose numbers are of 32 bits.
    "np.array([1.5]).astype(int)",
    "a.astype(int)",
    "v.sort()",
    "np.histogram(v)",
    "np.histogram(v, bins=5)",
    "np.histogram(v, bins=5)[0]",
}
"""Where models are known to differ from their library."""


def outlined(value: Value, depth: int = 0) -> list[object]:
    """Return the outline of a value as the recorder writes it, ``["?"]`` of what is not known."""
    data = value.data
    if depth > 3:
        return ["deep"]
    if data is UNKNOWN:
        return ["?"]
    if isinstance(data, Array):
        return ["array", data.dtype, None if data.sizes is None else list(data.sizes)]
    if isinstance(data, Table):
        rows = data.rows.data if isinstance(data.rows.data, int) else None
        return ["table", [str(name) for name in data.columns], rows]
    if isinstance(data, float) and math.isnan(data):
        return ["plain", "nan"]
    if data is None or isinstance(data, bool | int | float | str):
        return ["plain", data]
    if isinstance(data, Lazy) and isinstance(data.length.data, int):
        count = min(data.length.data, MOST_ITEMS)
        return ["seq", [outlined(data.item, depth + 1)] * count]
    if isinstance(data, list | tuple):
        return ["seq", [outlined(item, depth + 1) for item in data[:MOST_ITEMS]]]
    if rest_of(data) is not None:
        return ["?"]
    if isinstance(data, dict):
        items = list(data.items())[:MOST_ITEMS]
        return ["dict", {str(key): outlined(item, depth + 1) for key, item in items}]
    if isinstance(data, set):
        return ["set", sorted(map(str, data))]
    return ["object"]


def agreement(real: list, model: list) -> float:
    """Return 1 where an outline says the same, 0.5 where it leaves open, 0 where it contradicts."""
    if model[0] in ("?", "object") or real[0] == "object":
        return 1.0 if real[0] == model[0] else 0.5
    if "deep" in (real[0], model[0]):
        return 1.0
    number = {real[0], model[0]} == {"plain", "array"}
    if number:
        array = real if real[0] == "array" else model
        return 1.0 if array[2] == [] else 0.0
    if real[0] == "array" and model[0] == "seq" and real[2] is not None and len(real[2]) == 1:
        return float(len(model[1]) == min(real[2][0], MOST_ITEMS))
    if real[0] != model[0]:
        return 0.0
    if real[0] == "array":
        return min(_same_dtype(real[1], model[1]), _same_sizes(real[2], model[2]))
    if real[0] == "table":
        return 0.0 if real[1] != model[1] else _same_sizes([real[2]], [model[2]])
    if real[0] == "plain":
        a, b = real[1], model[1]
        near = isinstance(a, float) and isinstance(b, float) and abs(a - b) <= 1e-6 * (1 + abs(a))
        return float(near or (a == b and type(a) is type(b)))
    if real[0] in ("seq", "dict"):
        if len(real[1]) != len(model[1]):
            return 0.0
        keys = real[1] if real[0] == "dict" else range(len(real[1]))
        if isinstance(real[1], Mapping) and real[1].keys() != model[1].keys():
            return 0.0
        return min((agreement(real[1][key], model[1][key]) for key in keys), default=1.0)
    return float(real == model)


def _same_dtype(real: str, model: str | None) -> float:
    if model is None:
        return 0.5
    if model in TEXTS:
        return 1.0
    return float(real.lower().startswith((model, "key", "category")))


def _same_sizes(real: list | None, model: list | None) -> float:
    if real is None:
        return 1.0
    if model is None:
        return 0.5
    pairs = list(zip(real, model, strict=False))
    if len(real) != len(model) or any(None not in pair and pair[0] != pair[1] for pair in pairs):
        return 0.0
    return 0.5 if any(a is not None and b is None for a, b in pairs) else 1.0


@pytest.mark.parametrize("name", sorted(KNOWN))
def test_no_model_contradicts_its_library(name: str, tmp_path: Path) -> None:
    data = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    head = "".join(f"{line}\n" for line in data["head"])
    for number, one in enumerate(data["results"]):
        statement = one[1:] if one.startswith("!") else f"result = {one}"
        (tmp_path / f"p{number}.py").write_text(f"{head}{statement}\n", encoding="utf-8")
    workspace = Workspace(tmp_path, cache=False)
    wrong, known = set(), 0
    for number, (one, real) in enumerate(data["results"].items()):
        file = f"p{number}.py"
        last = head.count("\n") + one.count("\n") + 1
        interpreter = Interpreter(workspace, file, (file, last))
        outcome = interpreter.run()
        module = interpreter.modules[file].data
        assert isinstance(module, ModuleValue)
        value = module.environment.names.get("result")
        if outcome.raised is not None or real[0] == "raises":
            same = 0.0 if real[0] != "raises" else float(outcome.raised is not None) or 0.5
        else:
            same = 0.5 if value is None else agreement(real, outlined(value))
        known += same == 1.0
        if same == 0.0:
            wrong.add(one)
    assert wrong <= DIFFERENT
    assert known >= KNOWN[name] * len(data["results"])
