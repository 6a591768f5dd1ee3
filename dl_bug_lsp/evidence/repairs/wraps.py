"""What may be put around an expression, by the value that it has.

Each is a template, an expression of Python in which ``X`` stands for the value. A name in capitals
stands for a library under the name by which the program imported it.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from dl_bug_lsp.evidence.repairs.alternatives import (
    CONVERTED,
    CROPPED,
    LIBRARIES,
    MOST_KEYS,
    OF_RAGGED,
    OF_TABLES,
    OF_TEXTS,
    RESHAPED,
)
from dl_bug_lsp.interpretation.cells import Series
from dl_bug_lsp.interpretation.values import Array, Environment, Lazy, Library, Table, Value

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
    lengths = {_length(item) for item in data}
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


def _length(item: object) -> int | None:
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
