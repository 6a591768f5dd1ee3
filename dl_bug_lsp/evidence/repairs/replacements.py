"""Expressions that may replace another one: what may have been meant, and what goes around a value.

What may have been meant instead: calls, words, axes, other counts, the whole or another part of the
data (vocabularies, label tables and encoders that were built from the training part know nothing of
what only the other part holds). What is put around a value is a template, an expression of Python
in which ``X`` stands for the value. A name in capitals stands for a library under the name by which
the program imported it.
"""

from __future__ import annotations

import ast
import copy
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from dl_bug_lsp.interpretation.table_values import Series
from dl_bug_lsp.interpretation.values import (
    Array,
    Environment,
    Instance,
    Lazy,
    Library,
    Table,
    Value,
)
from dl_bug_lsp.provenance.scopes import called_name

METHODS = ("size", "numel", "dim")
FIELDS = ("num_nodes", "num_edges", "num_features", "size", "ndim")
MOST_COUNTS = 6
Held = Callable[[ast.expr], "Value | None"]


def measured(node: ast.expr) -> ast.expr | None:
    """Return what an expression counts (`len(x)`, `x.size(1)`, `x.shape[0]`), None if nothing."""
    if isinstance(node, ast.Call):
        func = node.func
        if isinstance(func, ast.Name) and func.id == "len" and len(node.args) == 1:
            return node.args[0]
        if isinstance(func, ast.Attribute) and func.attr in METHODS and len(node.args) < 2:
            return func.value
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute):
        return node.value.value if node.value.attr == "shape" else None
    if isinstance(node, ast.Attribute) and node.attr in FIELDS:
        return node.value
    return None


def other_counts(node: ast.expr, function: ast.AST, held: Held) -> Iterator[ast.expr]:
    """Yield other counts that give another number than ``node`` does.

    They are those that the function around it reads, then lengths of its other variables where
    ``node`` is one, then of the fields of what holds the thing that is counted.
    """
    counted, own = measured(node), held(node)
    if counted is None or own is None or type(own.data) is not int:
        return
    found: dict[str, ast.expr] = {}
    for part in ast.walk(function):
        if isinstance(part, ast.expr) and measured(part) is not None:
            value = held(part)
            if value is not None and type(value.data) is int and value.data != own.data:
                found.setdefault(ast.unparse(part), copy.deepcopy(part))
    variables = _variables(function, held) if isinstance(counted, ast.Name) else ()
    for other, length in (*variables, *_beside(counted, held)):
        if length is not None and length != own.data and ast.dump(other) != ast.dump(counted):
            call = ast.Call(ast.Name("len", ast.Load()), [other], [])
            found.setdefault(ast.unparse(call), call)
    yield from list(found.values())[:MOST_COUNTS]


def _variables(function: ast.AST, held: Held) -> Iterator[tuple[ast.expr, int | None]]:
    """Yield the variables that a function reads, with how many items they have."""
    for part in ast.walk(function):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
            value = held(part)
            if value is not None and isinstance(value.data, (list, tuple, str, dict)):
                yield ast.Name(part.id, ast.Load()), len(value.data)


def _beside(counted: ast.expr, held: Held) -> Iterator[tuple[ast.expr, int | None]]:
    """Yield the fields beside one that is counted, with how many items they have."""
    if isinstance(counted, ast.Attribute):
        holder = held(counted.value)
        if holder is not None and isinstance(holder.data, Instance):
            for name, value in holder.data.attributes.items():
                if name != counted.attr:
                    yield ast.Attribute(counted.value, name, ast.Load()), _length(value)
    elif isinstance(counted, ast.Subscript):
        holder = held(counted.value)
        if holder is not None and isinstance(holder.data, dict):
            for key, value in holder.data.items():
                if isinstance(key, (str, int)):
                    index = ast.Constant(key)
                    yield ast.Subscript(counted.value, index, ast.Load()), _length(value)


def _length(value: Value) -> int | None:
    data = value.data
    if isinstance(data, Array):
        return data.sizes[0] if data.sizes else None
    if isinstance(data, Table):
        return data.rows.data if type(data.rows.data) is int else None
    return len(data) if isinstance(data, (list, tuple, str)) else None


SPLITTERS = frozenset(
    ("train_test_split", "random_split", "split", "array_split", "vsplit", "partition", "islice",
     "sample", "head", "tail", "query", "drop", "iloc", "loc", "take", "skip", "select", "filter",
     "Subset", "narrow", "subset", "split_data", "split_dataset", "train_val_split", "choices")
)  # fmt: skip
"""Functions and methods that give a part of what they are given."""
MOST_PARTS = 4
Known = Callable[[str], "Value | None"]


SPLITS = frozenset(
    {"train", "training", "tr", "val", "valid", "va", "validation", "dev", "test", "te", "eval"}
    | {"holdout"}
)
"""What names of parts of a data set say which part it is."""


@dataclass(frozen=True, slots=True)
class Part:
    """How a name was bound: ``value`` is the expression, ``beside`` the names bound likewise."""

    line: int
    value: ast.expr
    beside: tuple[str, ...]


def parts_in(function: ast.AST) -> dict[str, list[Part]]:
    """Return the names that a function or module binds, with how, in the order of lines."""
    found: dict[str, list[Part]] = {}
    made: dict[str, list[str]] = {}
    for node in _own_statements(function):
        if not isinstance(node, ast.Assign) or len(node.targets) != 1:
            continue
        for name, value, group in _bound(node.targets[0], node.value):
            found.setdefault(name, []).append(Part(node.lineno, value, group))
            if isinstance(value, ast.Call):
                made.setdefault(ast.unparse(value.func), []).append(name)
    for names in made.values():
        for name in names if 1 < len(set(names)) <= MOST_PARTS else ():
            found[name] = [
                replace(part, beside=tuple(dict.fromkeys((*part.beside, *names))))
                for part in found[name]
            ]
    return found


def _own_statements(function: ast.AST) -> Iterator[ast.AST]:
    waiting = list(reversed(getattr(function, "body", [])))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            inner = [n for n in ast.iter_child_nodes(node) if isinstance(n, ast.stmt)]
            waiting.extend(reversed(inner))


def _bound(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr, tuple[str, ...]]]:
    if isinstance(target, ast.Name):
        yield target.id, value, ()
    elif isinstance(target, ast.Tuple):
        names = [item.id for item in target.elts if isinstance(item, ast.Name)]
        paired = isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts)
        for at, item in enumerate(target.elts):
            if isinstance(item, ast.Name):
                own = value.elts[at] if paired and isinstance(value, ast.Tuple) else value
                yield item.id, own, tuple(names)


def others_of(
    node: ast.Name, own: Value, parts: Sequence[Part], known: Known
) -> Iterator[tuple[ast.expr, str]]:
    """Yield what a part may have to be: what it was taken from, or all parts together."""
    before = [part for part in parts if part.line < node.lineno]
    if not before:
        return
    part = before[-1]
    for name in _taken_from(part.value):
        whole = known(name) if name != node.id else None
        if whole is not None and type(whole.data) is type(own.data) and whole.data is not own.data:
            yield ast.Name(name, ast.Load()), "name.whole"
    for name in part.beside[: MOST_PARTS + 1]:
        other = known(name) if name != node.id else None
        if other is None or type(other.data) is not type(own.data):
            continue
        pair: list[ast.expr] = [ast.Name(node.id, ast.Load()), ast.Name(name, ast.Load())]
        if isinstance(own.data, (list, tuple, str)):
            yield ast.BinOp(pair[0], ast.Add(), pair[1]), "name.joined"
        elif isinstance(own.data, Table) and known("pd") is not None:
            concat = ast.Attribute(ast.Name("pd", ast.Load()), "concat", ast.Load())
            yield ast.Call(concat, [ast.List(pair, ast.Load())], []), "name.joined"


def _taken_from(value: ast.expr) -> Iterator[str]:
    """Yield the names of what an expression takes a part of."""
    taken: list[ast.expr] = []
    if isinstance(value, ast.Subscript):
        taken = [value.value]
    elif isinstance(value, ast.Call) and called_name(value) in SPLITTERS:
        taken = list(value.args[:2])
        if isinstance(value.func, ast.Attribute):
            taken.append(value.func.value)
    for base in taken:
        while isinstance(base, (ast.Attribute, ast.Subscript, ast.Call)):
            base = base.func if isinstance(base, ast.Call) else base.value
        if isinstance(base, ast.Name):
            yield base.id


AXES = (-1, 1, 0, 2, -2)
AXIS_WORDS = {"dim", "axis", "axes", "dims", "dim0", "dim1", "start_dim", "end_dim"}
AXIS_POSITIONS = {
    **dict.fromkeys(("cat", "concatenate", "stack", "concat"), 1),
    **dict.fromkeys(("sum", "mean", "max", "min", "argmax", "argmin", "softmax", "log_softmax"), 0),
    **dict.fromkeys(("squeeze", "unsqueeze", "flatten", "size", "any", "all", "norm", "std"), 0),
    **dict.fromkeys(("transpose", "swapaxes", "split", "chunk", "repeat_interleave"), 0),
    **dict.fromkeys(("permute", "expand_dims", "cumsum", "gather", "narrow", "unbind"), 0),
}
"""From which argument on numbers of a call may be axes (methods; of functions one later)."""
ARRAY_FUNCTIONS = {"torch", "F", "np", "jnp", "tf", "numpy", "functional"}
UNWRAPPED = {
    *("squeeze", "unsqueeze", "transpose", "permute", "view", "reshape", "flatten", "float"),
    *("long", "int", "softmax", "log_softmax", "sigmoid", "argmax", "item", "numpy", "detach"),
    *("mean", "sum", "tolist", "ravel", "expand_dims", "one_hot", "get_dummies", "to_categorical"),
    *("astype", "double", "half", "T", "mT", "cpu", "values", "strip", "lower", "upper", "list"),
    *("str", "int", "tuple", "asarray", "array", "set", "sorted", "swapaxes", "squeeze_"),
    *("batch", "padded_batch", "ragged_batch", "unbatch", "repeat", "tile", "stack", "atleast_2d"),
    *("atleast_1d", "atleast_3d", "to_frame", "to_list", "split", "encode", "decode", "diff"),
}
RENAMED = (
    ("view", "permute"),
    ("reshape", "transpose"),
    ("cat", "stack"),
    ("concatenate", "stack"),
    ("append", "extend"),
    ("squeeze", "unsqueeze"),
    ("argmax", "max"),
    ("sum", "mean"),
    ("zeros", "ones"),
    ("matmul", "mul"),
    ("vstack", "hstack"),
    ("fit_transform", "transform"),
    ("train_step", "test_step"),
    ("iloc", "loc"),
    ("fit", "fit_transform"),
    ("items", "values"),
    ("items", "keys"),
    ("ones", "eye"),
    ("merge", "join"),
)
Words: TypeAlias = "tuple[tuple[str, bool | int | str], ...]"
KEYWORDS: dict[str, Words] = {
    **dict.fromkeys(
        ("MultiheadAttention", "TransformerEncoderLayer", "TransformerDecoderLayer", "Transformer"),
        (("batch_first", True),),
    ),
    **dict.fromkeys(("pad_sequence",), (("batch_first", True),)),
    **dict.fromkeys(("Conv1d", "Conv2d", "Conv3d"), (("padding", 1),)),
    **dict.fromkeys(("Conv1D", "Conv2D"), (("padding", "same"),)),
    **dict.fromkeys(("DataLoader",), (("drop_last", True),)),
    **dict.fromkeys(("linspace", "read_csv"), (("dtype", "float32"),)),
    **dict.fromkeys(
        ("array", "zeros", "ones", "empty", "full"), (("dtype", "float32"), ("dtype", "int64"))
    ),
    **dict.fromkeys(("drop", "concat"), (("axis", 1),)),
    **dict.fromkeys(("reset_index",), (("drop", True),)),
    **dict.fromkeys(("OneHotEncoder",), (("sparse_output", False), ("handle_unknown", "ignore"))),
    **dict.fromkeys(("Bidirectional",), (("merge_mode", "sum"),)),
    **dict.fromkeys(("get_dummies",), (("dtype", "float32"),)),
    **dict.fromkeys(("backward",), (("retain_graph", True),)),
    **dict.fromkeys(("load_state_dict",), (("strict", False),)),
    **dict.fromkeys(("merge",), (("how", "left"),)),
    **dict.fromkeys(("log_softmax", "softmax"), (("dim", -1),)),
    **dict.fromkeys(("arange",), (("dtype", "float32"),)),
    **dict.fromkeys(("open",), (("encoding", "utf-8"), ("newline", ""))),
    **dict.fromkeys(("tokenizer",), (("padding", True), ("truncation", True))),
    **dict.fromkeys(("CrossEntropyLoss", "cross_entropy"), (("ignore_index", 0),)),
}
"""Keyword arguments that a call may lack, by the last name of what is called."""
RECURRENT = ("RNN", "GRU", "LSTM", "SimpleRNN", "ConvLSTM1D", "ConvLSTM2D")
REDUCTIONS = ("sum", "mean", "max", "min", "norm", "std", "prod", "var", "median")
KERAS_KEYWORDS: dict[str, Words] = {
    **dict.fromkeys(RECURRENT, (("return_sequences", True),)),
    **dict.fromkeys(
        (f"Global{kind}Pooling{n}D" for kind in ("Average", "Max") for n in (1, 2, 3)),
        (("keepdims", True),),
    ),
    **dict.fromkeys(("Conv3D", "Conv2DTranspose", "Conv3DTranspose"), (("padding", "same"),)),
}
LIBRARY_KEYWORDS: dict[str, dict[str, Words]] = {
    "torch": {
        **dict.fromkeys(RECURRENT[:3], (("batch_first", True), ("bidirectional", True))),
        **dict.fromkeys(REDUCTIONS, (("keepdim", True),)),
    },
    "keras": KERAS_KEYWORDS,
    "tensorflow": {
        **KERAS_KEYWORDS,
        **dict.fromkeys((f"reduce_{name}" for name in REDUCTIONS), (("keepdims", True),)),
    },
    **dict.fromkeys(("numpy", "jax"), dict.fromkeys(REDUCTIONS, (("keepdims", True),))),
}
"""The same of one library, by its name."""
DTYPES = {
    *("float64", "float32", "float16", "bfloat16", "double", "half", "float"),
    *("int64", "int32", "long", "uint8", "int", "object"),
}
RESHAPED: tuple[tuple[int, int, str, str, str, str], ...] = (
    (2, 9, "wrap.transpose", "X.transpose(-2, -1)", "X.swapaxes(-2, -1)", ""),
    (3, 9, "wrap.transpose", "X.transpose(0, 1)", "X.swapaxes(0, 1)", ""),
    (2, 2, "wrap.transpose", "", "", "TF.transpose(X)"),
    (3, 3, "wrap.transpose", "", "", "TF.transpose(X, [0, 2, 1])"),
    (3, 3, "wrap.transpose", "", "", "TF.transpose(X, [1, 0, 2])"),
    (3, 3, "wrap.transpose", "X.permute(2, 0, 1)", "X.transpose(2, 0, 1)", ""),
    (3, 3, "wrap.transpose", "X.permute(1, 2, 0)", "X.transpose(1, 2, 0)", ""),
    (4, 4, "wrap.transpose", "X.permute(0, 3, 1, 2)", "X.transpose(0, 3, 1, 2)", ""),
    (4, 4, "wrap.transpose", "X.permute(0, 2, 3, 1)", "X.transpose(0, 2, 3, 1)", ""),
    (4, 4, "wrap.transpose", "", "", "TF.transpose(X, [0, 2, 3, 1])"),
    (3, 9, "wrap.reshape", "X.flatten(1)", "X.reshape(X.shape[0], -1)", "LAYERS.Flatten()(X)"),
    (3, 3, "wrap.reshape", "X.reshape(-1, X.shape[-1])", "X.reshape(-1, X.shape[-1])", ""),
    (2, 9, "wrap.reshape", "X.reshape(-1)", "X.reshape(-1)", "TF.reshape(X, [-1])"),
    (4, 4, "wrap.pooled", "X.mean((2, 3))", "X.mean((1, 2))", "LAYERS.GlobalAveragePooling2D()(X)"),
    (3, 3, "wrap.pooled", "X.mean(1)", "X.mean(1)", "LAYERS.GlobalAveragePooling1D()(X)"),
    (0, 9, "wrap.unsqueeze", "X[None]", "X[None]", "TF.expand_dims(X, 0)"),
    (2, 9, "wrap.unsqueeze", "X[..., None]", "X[..., None]", "TF.expand_dims(X, -1)"),
    (2, 9, "wrap.unsqueeze", "X[:, None]", "X[:, None]", "TF.expand_dims(X, 1)"),
    (1, 1, "wrap.axes", "X[:, None]", "X[:, None]", "TF.expand_dims(X, -1)"),
    (1, 1, "wrap.axes", "X[:, None, None]", "X[:, None, None]", ""),
    (1, 1, "wrap.axes", "X[:, None, None, None]", "X[:, None, None, None]", ""),
    (2, 2, "wrap.unsqueeze", "X[..., None, None]", "X[..., None, None]", ""),
    (2, 9, "index.added", "X[0]", "X[0]", "X[0]"),
    (2, 9, "index.added", "X[:, -1]", "X[:, -1]", "X[:, -1]"),
    (3, 3, "index.added", "X[:, 0]", "X[:, 0]", "X[:, 0]"),
    (1, 9, "wrap.reduced", "X.mean()", "X.mean()", "TF.reduce_mean(X)"),
    (2, 9, "wrap.decided", "X.argmax(-1)", "X.argmax(-1)", "TF.argmax(X, -1)"),
)
"""Fewest and most axes, kind, and what to write for a tensor of PyTorch, for an array of NumPy or
JAX, and for a tensor of TensorFlow or Keras."""
LIBRARIES: dict[str, tuple[str, ...]] = {
    "TORCH": ("torch",),
    "NP": ("numpy",),
    "PD": ("pandas",),
    "JNP": ("jax.numpy",),
    "TF": ("tensorflow",),
    "KERAS": ("keras", "tensorflow.keras"),
    "LAYERS": ("keras.layers", "tensorflow.keras.layers"),
}
"""What the words of templates stand for."""
CONVERTED: dict[str, tuple[tuple[str, str], ...]] = {
    "pandas": (
        ("X.values", "wrap.array"),
        ("X.reset_index(drop=True)", "wrap.index"),
        ("X.dropna()", "wrap.missing"),
        ("X.fillna(0)", "wrap.missing"),
        ("X.astype(str)", "wrap.text"),
        ("X.tolist()", "wrap.list"),
        ("X.to_frame()", "wrap.frame"),
        ("X.astype('category').cat.codes", "wrap.codes"),
        ("PD.to_datetime(X)", "wrap.dates"),
    ),
    "numpy": (
        ("TORCH.as_tensor(X)", "wrap.tensor"),
        ("X.tolist()", "wrap.list"),
        ("X.copy()", "wrap.copy"),
    ),
    "scipy": (("X.toarray()", "wrap.dense"),),
    "torch": (
        ("X.numpy()", "wrap.array"),
        ("X.item()", "wrap.number"),
        ("X.tolist()", "wrap.list"),
    ),
    "tensorflow": (("X.numpy()", "wrap.array"),),
    "jax": (("NP.asarray(X)", "wrap.array"),),
}
"""Templates, with their kinds, that make another kind of object of an array, by its library."""
OF_TABLES = (
    ("X.values", "wrap.array"),
    ("X.reset_index(drop=True)", "wrap.index"),
    ("X.dropna()", "wrap.missing"),
    ("X.fillna(0)", "wrap.missing"),
    ("X.select_dtypes('number')", "wrap.columns"),
    ("X.iloc[:, :-1]", "wrap.columns"),
    ("X.iloc[:, 1:]", "wrap.columns"),
    ("X.drop_duplicates()", "wrap.missing"),
    ("X.astype('float32')", "wrap.dtype"),
    ("X.to_dict('records')", "wrap.list"),
)
OF_TEXTS = (
    ("int(X)", "wrap.number"),
    ("float(X)", "wrap.number"),
    ("[X]", "wrap.list"),
    ("X.strip()", "wrap.text"),
    ("X.lower()", "wrap.text"),
    ("X.split()", "wrap.list"),
)
OF_RAGGED = (
    ("KERAS.preprocessing.sequence.pad_sequences(X)", "wrap.padded"),
    ("TF.keras.preprocessing.sequence.pad_sequences(X)", "wrap.padded"),
    ("TORCH.nn.utils.rnn.pad_sequence(X, batch_first=True)", "wrap.padded"),
)
"""What makes items of different lengths one array."""
SHAPED = {
    *("zeros", "ones", "rand", "randn", "empty", "full", "normal", "uniform", "randint"),
    *("random", "standard_normal", "random_sample", "truncated_normal"),
}
"""Calls that make an array of the sizes that they are given."""
MOST_PROBES = 2
"""Up to how many samples an array is taken to stand for others, not to be the data."""
CROPPED = (
    ("X[:{0}]",),
    ("X[:, :{0}]", "X[:, -{0}:]"),
    ("X[:, :, :{0}]",),
)
"""What takes no more items of each of the first axes than a number."""
READERS = {"read_csv", "read_table", "read_excel"}
"""Functions that may read dates."""
DATE = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}")
"""How the text of a date begins."""
MOST_KEYS = 4
MOST_ITEMS = 8
MOST_SHAPES = 4
MOST_NAMES = 8
MOST_NUMBERS = 6
MOST_SWAPPED = 4
MATCHED = {
    ast.Add: (ast.Sub, ast.Mult),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.FloorDiv, ast.Add, ast.Div),
    ast.Div: (ast.FloorDiv, ast.Mult),
    ast.FloorDiv: (ast.Mult,),
    ast.MatMult: (ast.Mult,),
}


WORDS = (
    ("categorical_crossentropy", "sparse_categorical_crossentropy", "binary_crossentropy", "mse"),
    ("same", "valid"),
    ("none", "mean", "sum"),
    ("softmax", "sigmoid", "linear"),
    ("channels_first", "channels_last"),
    ("multiclass", "binary", "multilabel"),
    ("inner", "left", "outer"),
    ("macro", "micro", "weighted", "binary"),
    ("max_length", "longest"),
    ("pt", "np", "tf"),
    ("index", "columns"),
    ("raise", "ignore", "coerce"),
    ("records", "list", "index"),
    ("int", "categorical", "binary", "sparse"),
    ("epoch", "steps", "no"),
    ("min", "max"),
    ("r", "rb"),
    ("w", "wb"),
    ("train", "valid", "val", "validation", "test", "dev", "eval"),
)
"""Words of which a library or a program takes one at a place."""
CALLS = (
    ("CrossEntropyLoss", "NLLLoss", "BCEWithLogitsLoss", "BCELoss", "MSELoss"),
    ("cross_entropy", "nll_loss", "binary_cross_entropy_with_logits", "mse_loss"),
    ("CategoricalCrossentropy", "SparseCategoricalCrossentropy", "BinaryCrossentropy"),
    ("CategoricalAccuracy", "SparseCategoricalAccuracy", "BinaryAccuracy"),
    ("softmax_cross_entropy", "softmax_cross_entropy_with_integer_labels"),
    ("Conv1d", "Conv2d", "Conv3d"),
    ("Conv1D", "Conv2D", "Conv3D"),
    ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d"),
    ("ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"),
    ("InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d"),
    ("MaxPool1d", "MaxPool2d", "MaxPool3d"),
    ("AvgPool1d", "AvgPool2d", "AvgPool3d"),
    ("AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d"),
    ("AdaptiveMaxPool1d", "AdaptiveMaxPool2d", "AdaptiveMaxPool3d"),
    ("MaxPooling1D", "MaxPooling2D", "MaxPooling3D"),
    ("AveragePooling1D", "AveragePooling2D", "AveragePooling3D"),
    ("GlobalAveragePooling1D", "GlobalAveragePooling2D", "GlobalAveragePooling3D"),
    ("GlobalMaxPooling1D", "GlobalMaxPooling2D", "GlobalMaxPooling3D"),
    ("UpSampling1D", "UpSampling2D"),
    ("ZeroPadding1D", "ZeroPadding2D"),
    (
        *("DataCollatorWithPadding", "DataCollatorForTokenClassification"),
        *("DataCollatorForSeq2Seq", "DefaultDataCollator"),
    ),
    ("ModuleList", "Sequential"),
    ("as_tensor", "from_numpy"),
    ("LabelEncoder", "OrdinalEncoder", "OneHotEncoder"),
    ("mm", "bmm", "matmul"),
    ("min", "max"),
)
"""Classes and functions of a library of which one may be taken for another."""
LAYERS_BETWEEN = {
    "torch": ("Flatten",),
    "keras": ("Flatten",),
    "tensorflow": ("Flatten",),
}
"""Layers without arguments, by library, that a model in a row may lack."""


# --- what goes around a value ---------------------------------------------------------------------

MOST_LETTERS = 60
"""Characters of a text that may be a key or a name."""


@dataclass(frozen=True, slots=True)
class Sought:
    """What a repair may be led by: the numbers of a failure, and the shapes of its sides."""

    numbers: Sequence[int] = ()
    shapes: Sequence[tuple[int, ...]] = ()


def around_value(
    node: ast.expr, value: Value, env: Environment, sought: Sought
) -> Iterator[tuple[ast.expr, str]]:
    """Yield expressions around another that has a value, each with the kind of the edit."""
    data = value.data
    if isinstance(data, Array):
        yield from _around_array(node, data, env, sought)
    elif isinstance(data, Table):
        yield from _filled(node, OF_TABLES, env)
    elif isinstance(data, (bool, float)):
        yield _around(node, "int(X)"), "wrap.number"
    elif isinstance(data, int):
        yield from _around_number(node, data)
    elif isinstance(data, str):
        yield from _filled(node, OF_TEXTS, env)
        if 0 < len(data) <= MOST_LETTERS:
            # Keys and names of two sources are mostly told apart by case or by what stands around.
            for method, other in (("strip", data.strip()), ("lower", data.lower())):
                if other != data:
                    yield _around(node, f"X.{method}()"), "wrap.spelt"
    elif isinstance(data, (tuple, list)):
        yield from _around_items(node, data, env)
    elif isinstance(data, dict):
        for key in list(data)[:MOST_KEYS]:
            if isinstance(key, (str, int)):
                index = ast.copy_location(ast.Constant(key), node)
                yield ast.Subscript(node, index, ast.Load()), "index.added"
        yield _around(node, "list(X.values())"), "wrap.list"
    elif isinstance(data, Lazy):
        yield _around(node, "list(X)"), "wrap.list"


def _around_number(node: ast.expr, data: int) -> Iterator[tuple[ast.expr, str]]:
    if _is_length(node):
        # Numbers that are sparse or begin at one need more room than there are of them.
        assert isinstance(node, ast.Call)
        if isinstance(node.func, ast.Name):
            yield _around(node.args[0], "max(X) + 1"), "count.maximum"
        elif isinstance(node.func, ast.Attribute):
            yield _around(node.func.value, "X.max() + 1"), "count.maximum"
    for operator in ("+", "-"):
        yield _around(node, f"X {operator} 1"), "offset.added"
    yield _around(node, "X * 2"), "factor.added"
    if data % 2 == 0:
        yield _around(node, "X // 2"), "factor.added"
    yield _around(node, "[X]"), "wrap.list"


def _is_length(node: ast.expr) -> bool:
    """Whether an expression counts items: ``len(...)``, ``....nunique()``."""
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Name):
        return node.func.id == "len" and len(node.args) == 1
    return isinstance(node.func, ast.Attribute) and node.func.attr == "nunique" and not node.args


def _around_items(
    node: ast.expr, data: Sequence[object], env: Environment
) -> Iterator[tuple[ast.expr, str]]:
    for index in (0, 1, -1):
        if len(data) > 1 or index == 0:
            yield _around(node, f"X[{index}]"), "index.added"
    first = data[0] if data else None
    lengths = {_items_in(item) for item in data}
    if len(lengths) > 1 and None not in lengths:
        of_tensors = isinstance(first, Value) and isinstance(first.data, Array)
        yield from _filled(node, OF_RAGGED[2:] if of_tensors else OF_RAGGED[:2], env)
    if isinstance(first, Value) and isinstance(first.data, Array):
        template = "TORCH.stack(X)" if first.data.library == "torch" else "NP.stack(X)"
    elif isinstance(first, Value) and isinstance(first.data, (int, float)):
        template = "NP.array(X)"
    else:
        return
    yield from _filled(node, [(template, "wrap.stack")], env)


def _items_in(item: object) -> int | None:
    """Return how many items something holds, None where that is not known."""
    data = item.data if isinstance(item, Value) else None
    if isinstance(data, Array):
        return data.sizes[0] if data.sizes else None
    return len(data) if isinstance(data, (list, tuple)) else None


TO_FLOAT = ("float64", "float16", "bfloat16")
"""Types of numbers that layers of PyTorch do not have unless a program asks for it."""


def _around_array(
    node: ast.expr, data: Array, env: Environment, sought: Sought
) -> Iterator[tuple[ast.expr, str]]:
    whole = (data.dtype or "").startswith(("int", "uint", "bool"))
    if data.library == "torch":
        to_float = whole or data.dtype in TO_FLOAT
        yield _around(node, "X.float()" if to_float else "X.long()"), "wrap.dtype"
    elif data.library == "tensorflow":
        other = "float32" if whole else "int64"
        yield from _filled(node, [(f"TF.cast(X, '{other}')", "wrap.dtype")], env)
    else:
        other = "int64" if data.dtype == "float32" else "float32"
        yield _around(node, f"X.astype('{other}')"), "wrap.dtype"
    kind = "pandas" if isinstance(data, Series) and data.index is not None else data.library
    yield from _filled(node, CONVERTED.get(kind, ()), env)
    sizes = data.sizes
    if sizes is None:
        return
    column = {"torch": 0, "tensorflow": 2}.get(data.library, 1)
    for fewest, most, reshaping, *templates in RESHAPED:
        if fewest <= len(sizes) <= most and templates[column]:
            yield from _filled(node, [(templates[column], reshaping)], env)
    for axis in dict.fromkeys((len(sizes) - 1, 0, 1)):
        if 0 <= axis < len(sizes) and sizes[axis] == 1:
            template = f"TF.squeeze(X, {axis})" if column == 2 else f"X.squeeze({axis})"
            yield from _filled(node, [(template, "wrap.squeeze")], env)
    yield from _cropped(node, sizes, sought.numbers)
    if column != 2:
        yield from _in_shape(node, sizes, sought.shapes)


def _cropped(
    node: ast.expr, sizes: Sequence[int | None], numbers: Sequence[int]
) -> Iterator[tuple[ast.expr, str]]:
    """Yield parts of an array of as many items as the failure allows."""
    for axis, templates in enumerate(CROPPED[: len(sizes)]):
        size = sizes[axis]
        for number in numbers:
            if size is not None and 0 < number < size:
                yield from (
                    (_around(node, template.format(number)), "wrap.crop") for template in templates
                )


def _in_shape(
    node: ast.expr, sizes: Sequence[int | None], shapes: Sequence[tuple[int, ...]]
) -> Iterator[tuple[ast.expr, str]]:
    """Yield an array in the shape of a side of the failure that has as many items."""
    known = [size for size in sizes if size is not None]
    if len(known) < len(sizes):
        return
    for shape in shapes:
        if shape != tuple(known) and len(shape) > 1 and math.prod(shape) == math.prod(known):
            rest = ", ".join(map(str, shape[1:]))
            yield _around(node, f"X.reshape(-1, {rest})"), "wrap.reshape_like"


def _filled(
    node: ast.expr, templates: Sequence[tuple[str, str]], env: Environment
) -> Iterator[tuple[ast.expr, str]]:
    """Yield the templates of which the program has imported the libraries."""
    for template, kind in templates:
        names = {
            word: _alias(env, libraries)
            for word, libraries in LIBRARIES.items()
            if f"{word}." in template
        }
        known = {word: name for word, name in names.items() if name is not None}
        if len(known) == len(names):
            yield _around(node, template, known), kind


def _alias(env: Environment | None, libraries: Sequence[str]) -> str | None:
    """Return the name by which a scope knows one of some libraries, None where it knows none."""
    while env is not None:
        for name, value in env.names.items():
            if isinstance(value.data, Library) and value.data.name in libraries:
                return name
        env = env.outer
    return None


def _around(node: ast.expr, template: str, names: Mapping[str, str] | None = None) -> ast.expr:
    """Return a template's expression with ``X`` for a node, at the node's place."""
    tree = ast.parse(template, mode="eval").body
    renamed = names or {}

    class Insertion(ast.NodeTransformer):
        def visit_Name(self, name: ast.Name) -> ast.expr:
            if name.id == "X":
                return node
            return ast.copy_location(ast.Name(renamed.get(name.id, name.id), ast.Load()), node)

    for part in ast.walk(tree):
        ast.copy_location(part, node)
    made: ast.expr = Insertion().visit(tree)
    return made


def detached(node: ast.expr) -> ast.expr:
    """Return a tensor that is cut off from the graph of its gradients."""
    return _around(node, "X.detach()")


def requiring(node: ast.expr) -> ast.expr:
    """Return a tensor for which gradients are asked."""
    return _around(node, "X.requires_grad_()")
