"""Element types: where the slice makes a tensor or array of the type that the message names."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.syntax import keyword
from dl_bug_lsp.evidence.domain_rules.tensor_mismatch import LAYERS
from dl_bug_lsp.messages import FactKind, Role
from dl_bug_lsp.provenance.engine import Node
from dl_bug_lsp.provenance.nodes import Config, Library
from dl_bug_lsp.provenance.scopes import called_name
from dl_bug_lsp.provenance.slices import Step

CANON = {
    "float": "float32",
    "single": "float32",
    "f32": "float32",
    "double": "float64",
    "f64": "float64",
    "half": "float16",
    "f16": "float16",
    "bf16": "bfloat16",
    "long": "int64",
    "i64": "int64",
    "int": "int32",
    "i32": "int32",
    "short": "int16",
    "byte": "uint8",
    "char": "int8",
    "boolean": "bool",
    "object_": "object",
    "str": "string",
}
KNOWN = {
    *CANON.values(),
    "complex64",
    "complex128",
    "uint8",
    "bool",
    "object",
    "int16",
    "int8",
    "uint16",
}
CASTS = {"float", "double", "half", "long", "int", "short", "bool", "bfloat16", "byte"}
PYTHON_TYPES = {
    "float": "float64",
    "int": "int64",
    "bool": "bool",
    "object": "object",
    "str": "string",
}
"""What NumPy and pandas make of a Python type that is given for an element type."""
DEFAULT_FLOAT64 = {
    "zeros",
    "ones",
    "empty",
    "linspace",
    "rand",
    "randn",
    "normal",
    "uniform",
    "random",
    "standard_normal",
    "full",
    "eye",
    "loadtxt",
    "genfromtxt",
    "cumsum",
    "std",
    "mean",
    "to_numpy",
    "load",
}
DEFAULT_OBJECT = {"to_numpy", "read_csv", "read_table", "DataFrame", "array", "asarray"}
DEFAULT_INT64 = {
    "read_csv",
    "read_table",
    "arange",
    "randint",
    "integers",
    "argmax",
    "tensor",
    "array",
    "LongTensor",
}
TAKES_OVER = {"from_numpy", "from_tensor_slices", "from_tensors", "convert_to_tensor"}
"""Calls that make a tensor of an array and keep its type, which is double if none was named."""
MOST_DEMANDED = 3
"""A message that names more types lists what would do; it demands none of them."""
NAMED = "a type that the message names"


def canonical(word: str) -> str | None:
    """Return the element type that a word names (``Long`` and ``torch.int64`` are one), or None."""
    low = word.rpartition(".")[2].strip().lower().removesuffix("tensor")
    low = CANON.get(low, low)
    return low if low in KNOWN else None


def _facts(case: Case, role: Role) -> set[str]:
    return {
        name
        for fact in case.facts.of(FactKind.DTYPE, role)
        for word in str(fact.value).split("/")
        if (name := canonical(word)) is not None
    }


def find(case: Case) -> Iterator[Clue]:
    """Yield the steps that give a value the element type of the message."""
    if "traced array" in case.message or "vmap got inconsistent sizes" in case.message:
        return  # types are only named to say which value is meant
    actual, expected = _facts(case, Role.ACTUAL), _facts(case, Role.EXPECTED)
    if actual and actual == expected:
        return  # the shapes differ, the types agree
    blamed = actual
    actual = actual | _facts(case, Role.OTHER)
    if not actual and not expected:
        return
    if {"float32", "float64"} == actual | expected:
        # Whichever side the message calls wrong, doubles are there by accident (NumPy's default).
        actual, expected = {"float64"}, {"float32"}
        blamed = actual
    if actual and len(expected) > MOST_DEMANDED:
        expected = set()
    for steps in (case.raise_slice, *case.outer_slices):
        for step in steps:
            if actual == {"float64"} and _is_layer(step):
                why = f"`{step.node.text}` has float32 weights, as layers have"
                yield Clue("slice.bystander", step.node.file, step.node.line, 1.0, why)
            about = case.category.id not in NOT_ABOUT_TYPES
            yield from _step(step, actual - expected or actual, expected, blamed, about)
    yield from _uncast_labels(case, actual | expected)
    if case.category.id != "corrupt_data":
        yield from _siblings(case.raise_slice, expected or actual)
    if (actual, expected) == ({"float64"}, {"float32"}):
        yield from _unlike_siblings(case)


COMPLAINED = "the type that the message complains about"
NOT_ABOUT_TYPES = frozenset(("tensor_mismatch", "illegal_index", "cpu_out_of_memory"))
"""Categories whose messages print types of arrays without complaining of them."""


def _step(
    step: Step, actual: set[str], expected: set[str], blamed: set[str], is_about_types: bool
) -> Iterator[Clue]:
    node = step.node
    if node.entry is not None or not isinstance(node.expr, ast.Call) or node.line <= 0:
        return
    named = dtypes_in(node.expr)
    for name in sorted(named & actual):
        word = COMPLAINED if name in blamed and is_about_types else NAMED
        why = f"`{node.text}` makes {name}, {word}"
        yield Clue("dtypes.actual", node.file, node.line, 1.0, why)
    for name in sorted(named - expected if not actual else ()):
        why = f"`{node.text}` makes {name}, which is not the type that was expected"
        yield Clue("dtypes.other", node.file, node.line, 1.0, why)
    for name in sorted(named & expected):
        why = f"`{node.text}` makes {name}, the type that was expected"
        yield Clue("dtypes.expected", node.file, node.line, 0.5, why)
    # A type that a name or a setting gives is named, too.
    is_given = keyword(node.expr, "dtype") is not None
    if not named and not is_given and not _cast_later(step):
        function = called_name(node.expr)
        floats = function in DEFAULT_FLOAT64 or _of_listed(node.expr)
        default = {_default_float(step)} if floats else set()
        default |= {"int64", "int32"} if function in DEFAULT_INT64 else set()
        default |= {"object"} if function in DEFAULT_OBJECT else set()
        default |= {"float64"} if function in TAKES_OVER and actual == {"float64"} else set()
        for name in sorted((default & expected) - actual):
            why = f"`{node.text}` names no type, and may make {name}"
            yield Clue("dtypes.default_expected", node.file, node.line, 1.0, why)
        for name in sorted(default & actual):
            why = f"`{node.text}` names no type, so it makes {name}"
            if name == "object":
                why = f"`{node.text}` makes object of what does not hold numbers alone"
            elif function in TAKES_OVER:
                why = f"`{node.text}` keeps the type of what it is given: {name}"
            yield Clue("dtypes.default", node.file, node.line, 0.8, why)


def _is_layer(step: Step) -> bool:
    """Whether a step makes a layer and names no element type for it."""
    expr = step.node.expr
    if not isinstance(expr, ast.Call) or step.node.line <= 0 or dtypes_in(expr):
        return False
    return called_name(expr) in LAYERS and called_name(expr)[0].isupper()


def _of_listed(call: ast.Call) -> bool:
    """Whether an array is made of a list that is written here, so of Python's own numbers."""
    listed = bool(call.args) and isinstance(call.args[0], (ast.List, ast.Tuple, ast.ListComp))
    return called_name(call) in ("array", "asarray") and listed


def _cast_later(step: Step) -> bool:
    """Whether the value is cast by name on its way, so that its own type does not matter."""
    at = step
    while at.before is not None:
        expr = at.before.node.expr
        takes = "receiver", "argument 0"
        if at.roles[-1] in takes and isinstance(expr, ast.Call) and dtypes_in(expr):
            return True
        at = at.before
    return False


def _default_float(step: Step) -> str:
    """Return the floating type that a library makes when none is named: NumPy's is double."""
    node = step.node
    if not isinstance(node.expr, ast.Call):
        return "float64"
    callee = node.engine.node(node.expr.func, node.context)
    names = [v.name for v in callee.values if isinstance(v, Library)]
    single = ("torch", "tensorflow", "jax", "keras", "flax")
    return "float32" if any(n.startswith(single) for n in names) else "float64"


NO_ARRAYS = (ast.Dict, ast.Set, ast.List, ast.Tuple, ast.JoinedStr, ast.ListComp, ast.DictComp)
"""Expressions whose value has no element type that a cast would change."""


def _is_setting(node: Node) -> bool:
    """Whether an expression reads a setting: a word or a number, of which no array is cast."""
    expr = node.expr
    if isinstance(expr, ast.Constant):
        return True
    if isinstance(expr, ast.Subscript) and isinstance(expr.slice, ast.Constant):
        table = node.engine.node(expr.value, node.context)
        return any(isinstance(value, Config) for value in table.values)
    return False


def _siblings(steps: list[Step], wanted: set[str]) -> Iterator[Clue]:
    """Find values left as they are where the same function casts another one."""
    for step in steps:
        scope = step.node.context.scope
        if step.node.entry is not None or scope.is_module or scope.is_class:
            continue
        if isinstance(step.node.expr, NO_ARRAYS) or _is_setting(step.node):
            continue
        bindings = [b for bindings_of_name in scope.bindings.values() for b in bindings_of_name]
        own_bindings = [b for b in bindings if b.line == step.node.line]
        if not own_bindings or any(_casts(b.value) for b in own_bindings):
            continue
        named = {name for b in bindings for name in _casts(b.value)}
        for name in sorted(named & wanted):
            why = f"`{step.node.text}` is not cast, though its neighbour is made {name}"
            score = 1 / (1 + step.distance / 8)
            yield Clue("dtypes.sibling_cast", step.node.file, step.node.line, score, why)


LABELS = re.compile(r"(?i)^(?:y_?true|true|labels?|targets?|gt|y|yb|truth)$")
PREDICTIONS = re.compile(r"(?i)pred|logit|output|y_?hat|prob|score")


def _uncast_labels(case: Case, named: set[str]) -> Iterator[Clue]:
    """Find losses and metrics that compute with whole-numbered labels as they come.

    TensorFlow does not promote types; the losses of Keras cast the labels to the type of the
    predictions (``keras/src/losses/losses.py``, ``ops.cast(y_true, y_pred.dtype)``).
    """
    whole = {name for name in named if name.startswith(("int", "uint", "bool"))}
    site = case.sites[-1] if case.sites else None
    if not whole or whole == named or site is None or site.statement is None:
        return
    place = case.places[-1]
    scope = case.engine.program.scope_at(place.file, place.line)
    if scope is None or not isinstance(scope.node, ast.FunctionDef):
        return
    modules = {m.partition(".")[0] for m in _imported(case.workspace.tree(place.file))}
    names = [a.arg for a in scope.node.args.args]
    labels = next((name for name in names if LABELS.search(name)), None)
    if labels is None or not any(PREDICTIONS.search(name) for name in names):
        return
    read = {n.id for n in ast.walk(site.statement) if isinstance(n, ast.Name)}
    casts = any("cast" in ast.unparse(b.value) for b in scope.bindings.get(labels, ()) if b.value)
    if modules & {"tensorflow", "keras"} and labels in read and not casts:
        why = (
            f"`{labels}` is used here with the type that it comes with; the losses of Keras first "
            "cast the labels to the type of the predictions"
        )
        yield Clue("rules.strong", place.file, place.line, 1.0, why)


def _imported(tree: ast.Module | None) -> Iterator[str]:
    """Yield the modules that a file imports at any place."""
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def _unlike_siblings(case: Case) -> Iterator[Clue]:
    """Find arrays that stay doubles where the same function, used elsewhere in the file, is cast.

    ``X = df[names].values`` beside ``y = df["price"].values.astype("float32")``.
    """
    found: dict[tuple[str, int], str] = {}
    makers: dict[str, dict[str, int]] = {}
    for step in (*case.raise_slice, *(s for steps in case.outer_slices for s in steps)):
        node = step.node
        name = _maker(node.expr)
        if node.entry is not None or node.line <= 0 or name is None or _cast_later(step):
            continue
        if node.file not in makers:
            makers[node.file] = _cast_makers(case.workspace.tree(node.file))
        line = makers[node.file].get(name)
        made = node.expr if isinstance(node.expr, ast.Call) else None
        if line is None or line == node.line or (made is not None and dtypes_in(made)):
            continue
        why = f"`{node.text}` keeps doubles; in line {line} what `{name}` gives is made float32"
        found.setdefault((node.file, node.line), why)
    for (file, line), why in found.items():
        for kind in ("rules.strong", "dtypes.sibling_cast"):
            yield Clue(kind, file, line, 1.0 / len(found) ** 0.5, why)


ARRAY_MAKERS = {
    *("to_numpy", "array", "asarray", "values", "loadtxt", "genfromtxt", "load", "read_csv"),
    *("fit_transform", "transform", "from_numpy", "tensor", "as_tensor", "column_stack"),
    *("hstack", "vstack", "concatenate", "stack", "normal", "standard_normal", "uniform", "random"),
    *("zeros", "ones", "full", "empty", "linspace", "eye", "rand", "randn"),
}
"""Functions and attributes that give an array of doubles where nothing says otherwise."""


def _maker(expr: ast.AST | None) -> str | None:
    """Return the name of the function or attribute that makes an array, None of others."""
    if isinstance(expr, ast.Call):
        name = called_name(expr)
    else:
        name = expr.attr if isinstance(expr, ast.Attribute) else ""
    return name if name in ARRAY_MAKERS else None


def _cast_makers(tree: ast.Module | None) -> dict[str, int]:
    """Return what makes arrays and is cast to float32 at once, with the first line of it."""
    result: dict[str, int] = {}
    for call in ast.walk(tree) if tree is not None else ():
        if not isinstance(call, ast.Call) or "float32" not in dtypes_in(call):
            continue
        made: list[ast.AST] = [call]
        if isinstance(call.func, ast.Attribute) and call.func.attr in ("astype", "float", "type"):
            made = [call.func.value]
        for expr in made:
            name = _maker(expr)
            if name is not None:
                result.setdefault(name, call.lineno)
    return result


def _casts(expr: ast.expr) -> set[str]:
    return {n for c in ast.walk(expr) if isinstance(c, ast.Call) for n in dtypes_in(c)}


def _named_types(table: ast.Dict) -> set[str]:
    """Return the element types that a table of columns names (``dtype={"id": "string"}``)."""
    names: set[str] = set()
    for value in table.values:
        if isinstance(value, ast.Name):
            name = PYTHON_TYPES.get(value.id)
        elif isinstance(value, ast.Constant) and isinstance(value.value, str):
            name = canonical(value.value)
        else:
            name = canonical(value.attr) if isinstance(value, ast.Attribute) else None
        names.update({name} if name is not None else ())
    return names


def dtypes_in(call: ast.Call) -> set[str]:
    """Return the element types that a call names: casts, ``dtype=`` and dtype arguments."""
    dtypes: set[str] = set()
    if isinstance(call.func, ast.Attribute) and call.func.attr in CASTS:
        dtypes.add(CANON.get(call.func.attr, call.func.attr))
    for argument in (*call.args, *(k.value for k in call.keywords)):
        name: str | None = None
        if isinstance(argument, ast.Attribute):
            name = canonical(argument.attr)
        elif isinstance(argument, ast.Constant) and isinstance(argument.value, str):
            name = canonical(argument.value)
        elif isinstance(argument, ast.Name) and argument.id in PYTHON_TYPES:
            name = PYTHON_TYPES[argument.id]
        elif isinstance(argument, ast.Dict):
            dtypes.update(_named_types(argument))
        if name is not None:
            dtypes.add(name)
    return dtypes
