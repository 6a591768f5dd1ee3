"""Recorded values in a few words, and those that a statement reads."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from dl_bug_lsp.post_mortem.recorder import Description
from dl_bug_lsp.provenance.scopes import dotted_name

MOST_VARIABLES = 8
"""Variables of one frame that are shown."""
LONGEST = 70
MOST_GIVEN = 4
SILENT = ("training",)
"""Attributes that say little: all modules of PyTorch have them."""
KINDS = {"torch": "tensor", "tensorflow": "tensor", "keras": "tensor"}
"""What an array is called, by the package of its type; others are arrays."""


def variables(
    expressions: Iterable[ast.AST], names: Mapping[str, Description]
) -> tuple[tuple[str, str], ...]:
    """Return what expressions read and what it held, in the order of the code.

    Of ``self.net.width`` the longest part counts of which a value was recorded.
    """
    found: dict[str, str] = {}
    for node in _in_order(expressions):
        dotted = (dotted_name(node) or "").split(".")
        while dotted and len(found) < MOST_VARIABLES:
            held = _held(dotted, names)
            text = worded(held) if held is not None else ""
            if text:
                found.setdefault(".".join(dotted), text)
                break
            dotted = dotted[:-1]
    return tuple(found.items())


def read_names(expressions: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the names and dotted attributes of names that expressions read."""
    for node in _in_order(expressions):
        dotted = (dotted_name(node) or "").split(".")
        yield from (".".join(dotted[:count]) for count in range(1, len(dotted) + 1))


def scalars(names: Mapping[str, Description]) -> Iterator[tuple[str, str | int | float]]:
    """Yield the numbers and texts that names held, those of attributes and entries by their way.

    An entry of a dictionary has a dotted name as an attribute has (``config.width``).
    """
    todo = list(names.items())[::-1]
    while todo:
        name, given = todo.pop()
        held = given.get("v")
        if isinstance(held, (str, int, float)) and not isinstance(held, bool):
            yield name, held
        within = dict(given.get("attributes") or {})
        if given.get("is") == "dict":
            within.update(
                (key, item) for key, item in given.get("items") or () if isinstance(key, str)
            )
        todo.extend((f"{name}.{part}", item) for part, item in list(within.items())[::-1])


def _in_order(expressions: Iterable[ast.AST]) -> Iterator[ast.Name | ast.Attribute]:
    """Yield names and the longest attributes of names, as the code has them."""
    todo = list(expressions)[::-1]
    while todo:
        node = todo.pop()
        if isinstance(node, (ast.Name, ast.Attribute)) and dotted_name(node) is not None:
            if isinstance(node.ctx, ast.Load):
                yield node
            continue
        todo.extend(list(ast.iter_child_nodes(node))[::-1])


def _held(dotted: list[str], names: Mapping[str, Description]) -> Description | None:
    held = names.get(dotted[0])
    for part in dotted[1:]:
        if held is None:
            return None
        within = held.get("attributes")
        held = within.get(part) if isinstance(within, dict) else None
    return held if isinstance(held, dict) else None


def worded(given: Description) -> str:
    """Return a recorded value in a few words; empty where nothing is known but its type."""
    kind = str(given.get("t", ""))
    if "v" in given:
        return _cut(repr(given["v"]))
    if given.get("hidden"):
        return "text (not kept)"
    if "begins" in given:
        return _cut(repr(given["begins"]))
    if "columns" in given and isinstance(given.get("shape"), list):
        return f"DataFrame of {given['shape'][0]} rows, {given['shape'][1]} columns"
    if "shape" in given:
        return _array(kind, given)
    shape = given.get("is")
    if shape in ("list", "tuple", "set", "frozenset"):
        return _sequence(str(shape), given)
    if shape == "dict":
        return _table(given)
    if isinstance(shape, str):
        return shape
    name = kind.rpartition(".")[2]
    held = given.get("given") or (given.get("attributes") or {}).items()
    shown = [f"{part}={item['v']!r}" for part, item in held if _tells(part, item)]
    if shown:
        more = ["…"] if len(shown) > MOST_GIVEN else []
        return _cut(f"{name}({', '.join([*shown[:MOST_GIVEN], *more])})")
    return f"{name} object" if "attributes" in given or "given" in given else ""


def _array(kind: str, given: Description) -> str:
    package, name = kind.partition(".")[0], kind.rpartition(".")[2]
    shape = given["shape"]
    dtype = given.get("dtype") or ""
    if package == "pandas" and shape:
        return f"{dtype} {name} of {shape[0]}".strip() + _bounds(given)
    sizes = "?"
    if isinstance(shape, list):
        sizes = ", ".join("?" if n is None else str(n) for n in shape)
        sizes += "," if len(shape) == 1 else ""
    device = given.get("device")
    on = f" on {device}" if device not in (None, "cpu") else ""
    return f"{dtype} {KINDS.get(package, 'array')} ({sizes}){on}".strip() + _bounds(given)


def _bounds(given: Description) -> str:
    if given.get("nan"):
        return ", with NaN"
    if given.get("inf"):
        return ", with infinite numbers"
    low, high = given.get("low"), given.get("high")
    if low is None or high is None:
        return ""
    if low == high:
        return f", all {low:.6g}"
    return f", {low:.6g} to {high:.6g}"


def _sequence(shape: str, given: Description) -> str:
    items, count = given.get("items"), given.get("n")
    plain = [item["v"] for item in items or () if "v" in item]
    if len(plain) == count:
        held: Any = tuple(plain) if shape == "tuple" else plain
        text = repr(held)
        if len(text) <= LONGEST:
            return text if shape in ("list", "tuple") else f"{shape} of {count}: {text[1:-1]}"
    return f"{shape} of {count}"


def _table(given: Description) -> str:
    keys = [str(entry[0]) for entry in given.get("items") or () if isinstance(entry, list)]
    count = given.get("n")
    named = f": {', '.join(keys)}" if keys else ""
    return _cut(f"dict of {count}{named}")


def _tells(name: str, held: Description) -> bool:
    """Whether what an object was made with, or holds, is a plain value that says something."""
    return "v" in held and held["v"] is not None and name not in SILENT


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 2]} …"
