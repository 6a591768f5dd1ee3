"""Values that a recorder saw in the frames of the failure, handed to the run that is followed.

Where the run comes to a place of the stack, its names hold what they held when the real run died.
What was followed stays as it is where it agrees, with what is known of its making; what is not
known is taken from the record.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from dl_bug_lsp.interpretation import operators
from dl_bug_lsp.interpretation.calls import own_nodes
from dl_bug_lsp.interpretation.table_values import Series
from dl_bug_lsp.interpretation.values import (
    OF_SETTINGS,
    UNKNOWN,
    Array,
    ClassValue,
    Environment,
    Instance,
    Lazy,
    Library,
    LibraryObject,
    ModuleValue,
    OpenDict,
    Origin,
    Origins,
    Raised,
    Table,
    Value,
)
from dl_bug_lsp.post_mortem.recorder import Description
from dl_bug_lsp.post_mortem.records import RecordedFrame

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

MOST_COMPARED = 5
"""How deep values are compared with what was recorded."""
CLOSE = 1e-6
"""The relative difference up to which two numbers are the same."""
LIBRARIES = {
    "torch": "torch",
    "numpy": "numpy",
    "jax": "jax",
    "jaxlib": "jax",
    "tensorflow": "tensorflow",
    "keras": "tensorflow",
}
"""The library of an array, by the package of its type."""
OF_NUMPY = {"bool_": "bool", "str_": "object"}


@dataclass(slots=True)
class RecordedNames:
    """What the frames of the failure held, by their places, and what has been made of it.

    With ``insists`` a name gets its recorded value also where another one was worked out. Else the
    names of a frame are left as they are where one of them is another: the frame is not the one
    that failed, but one of the same function before.
    """

    frames: Mapping[Origin, RecordedFrame]
    insists: bool = False
    definitions: dict[Origin, Mapping[str, frozenset[int]]] = field(default_factory=dict)

    def supply(self, run: Interpreter, line: int, env: Environment) -> None:
        """Give the names of a scope what was recorded for the frame at a line of its file."""
        frame = self.frames.get((env.file, line))
        if frame is None:
            return
        supplier = _Supplier(run, frame, self._made(run, frame))
        changes: list[tuple[dict[str, Value], str, Value]] = []
        for name, description in frame.names.items():
            holder = _scope_of(env, name)
            if holder is None and name not in frame.local_names:
                continue
            holder = env.names if holder is None else holder
            known = holder.get(name)
            given = supplier.refined(known, description, name)
            if given is not None and given is not known:
                changes.append((holder, name, given))
        if supplier.differs and not self.insists:
            return
        for holder, name, value in changes:
            holder[name] = value
        for container, key, value in supplier.inner:
            container[key] = value

    def _made(self, run: Interpreter, frame: RecordedFrame) -> Callable[[str], Origins]:
        """Return what gives the places at which a name of a frame was bound."""

        def places(name: str) -> Origins:
            place = frame.place
            if place not in self.definitions:
                tree = run.workspace.tree(frame.file)
                self.definitions[place] = _bound(tree, frame.line) if tree is not None else {}
            lines = self.definitions[place].get(name, frozenset())
            if 0 in lines:
                # A parameter is bound by the call in the frame above.
                at = run.order.index(place) if place in run.order else 0
                above = {run.order[at - 1]} if at else set()
                return frozenset(above)
            return frozenset((frame.file, line) for line in lines)

        return places


def _scope_of(env: Environment, name: str) -> dict[str, Value] | None:
    """Return the names of the innermost scope in which one is bound, None where it is nowhere.

    Python counts the names of functions around among the local variables of those in them.
    """
    scope: Environment | None = env
    while scope is not None:
        if name in scope.names:
            return scope.names
        scope = scope.outer
    return None


def _bound(tree: ast.Module, line: int) -> dict[str, frozenset[int]]:
    """Return the lines at which the names of the function around a line were bound last.

    Of parameters the line is 0.
    """
    around: ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda = tree
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            first = node.body.lineno if isinstance(node, ast.Lambda) else node.body[0].lineno
            if first <= line <= (node.end_lineno or 0):
                around = node
    bound: dict[str, frozenset[int]] = {}
    if not isinstance(around, ast.Module):
        given = around.args
        extra = [arg for arg in (given.vararg, given.kwarg) if arg is not None]
        for arg in (*given.posonlyargs, *given.args, *given.kwonlyargs, *extra):
            bound[arg.arg] = frozenset({0})
    body = [around.body] if isinstance(around, ast.Lambda) else around.body
    last: dict[str, int] = {}
    for node in (inner for statement in body for inner in own_nodes(statement)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.lineno <= line:
            last[node.id] = max(node.lineno, last.get(node.id, 0))
    return {**bound, **{name: frozenset({at}) for name, at in last.items()}}


class _Supplier:
    """Compares the names of one frame with what was recorded of them."""

    def __init__(
        self, run: Interpreter, frame: RecordedFrame, made: Callable[[str], Origins]
    ) -> None:
        self._run, self._frame, self._made = run, frame, made
        self.differs = False
        """Whether something that is known is another value than what was recorded."""
        self.inner: list[tuple[Any, Any, Value]] = []
        """Containers in which an item is to be replaced, with its key and what it is."""

    def refined(self, known: Value | None, given: Description, name: str) -> Value | None:
        """Return a value with what was recorded of it; None where that says nothing."""
        if known is None or not known.known:
            origins = known.origins if known is not None else frozenset()
            made = self.value(given, origins or self._made(name))
            return self._without_others(made) if made.known else None
        return self._compared(known, given, 0)

    def _without_others(self, made: Value) -> Value:
        """Return a value without the settings that cannot have made it."""
        origins = frozenset(place for place in made.origins if self._may_have(place, made))
        return made if origins == made.origins else Value(made.data, origins)

    def _may_have(self, place: Origin, made: Value) -> bool:
        """Whether a place may have made a value: a setting that holds another one has not."""
        file, line = place
        if not isinstance(made.data, (str, int, float)) or not file.endswith(OF_SETTINGS):
            return True
        text = self._run.workspace.source_line(file, abs(line)).lower()
        return str(made.data).lower() in text

    def _compared(self, known: Value, given: Description, depth: int) -> Value:
        """Return a known value with what is known in addition."""
        data = known.data
        if not known.known:
            made = self.value(given, known.origins)
            return made if made.known else known
        if isinstance(data, operators.PLAIN) or data is None:
            return self._plain(known, given)
        if isinstance(data, Array):
            return self._array(known, data, given)
        if depth < MOST_COMPARED:
            if isinstance(data, (list, tuple)):
                return self._sequence(known, data, given, depth)
            if isinstance(data, dict):
                self._table(data, given, depth)
            elif isinstance(data, Instance):
                self._attributes(data, given, depth)
            elif isinstance(data, LibraryObject):
                self._state(data, given, depth)
        return known

    def _other(self, known: Value, given: Description) -> Value:
        """Note that another value was recorded, and return that, with what made the known one."""
        self.differs = True
        made = self.value(given, known.origins)
        return self._without_others(made) if made.known else known

    def _plain(self, known: Value, given: Description) -> Value:
        if "v" not in given:
            return (
                known
                if given.get("t") in (None, "str", "int", "float") or given.get("cut")
                else self._other(known, given)
            )
        held, seen = known.data, given["v"]
        same = held == seen and isinstance(held, bool) == isinstance(seen, bool)
        if isinstance(held, float) and isinstance(seen, (int, float)):
            same = math.isclose(held, seen, rel_tol=CLOSE, abs_tol=1e-12)
        if not same and isinstance(seen, str) and len(seen) >= 3 and isinstance(held, str):
            # Paths begin where the run was.
            same = seen.endswith(held) or held.endswith(seen)
        return known if same else self._other(known, given)

    def _array(self, known: Value, data: Array, given: Description) -> Value:
        shape = given.get("shape")
        if "v" in given or "n" in given or not isinstance(shape, list):
            if data.library == "python" and "v" in given:
                return self.value(given, known.origins)
            return known
        recorded = self.value(given, known.origins)
        seen = recorded.data
        if not isinstance(seen, Array) or seen.shape is None:
            return known
        if data.shape is None:
            made = _merged(data, seen)
            ends = ((0, data.first), (-1, data.last)) if seen.shape else ()
            dims = list(seen.shape)
            for at, end in ends:
                if end is not None and end.data == dims[at].data:
                    dims[at] = end
            made.shape = tuple(dims)
            return Value(made, known.origins)
        if len(data.shape) != len(seen.shape):
            return self._other(known, given)
        dims = []
        for own, other in zip(data.shape, seen.shape, strict=True):
            if isinstance(own.data, int) and isinstance(other.data, int) and own.data != other.data:
                self.differs = True
                dims.append(Value(other.data, own.origins))
            elif isinstance(own.data, int):
                dims.append(own)
            else:
                dims.append(Value(other.data, own.origins or known.origins))
        made = _merged(data, seen)
        made.shape = tuple(dims)
        return Value(made, known.origins)

    def _sequence(
        self, known: Value, data: list[Value] | tuple[Value, ...], given: Description, depth: int
    ) -> Value:
        items = given.get("items")
        if given.get("is") not in ("list", "tuple") or not isinstance(items, list):
            return known
        if given.get("n") != len(data):
            return self._other(known, given)
        pairs = [(own, item) for own, item in zip(data, items, strict=False)]
        changed = [self._compared(own, item, depth + 1) for own, item in pairs]
        if isinstance(data, tuple):
            return Value((*changed, *data[len(changed) :]), known.origins)
        for number, (own, new) in enumerate(zip(data, changed, strict=False)):
            if own is not new:
                self.inner.append((data, number, new))
        return known

    def _table(self, data: dict[Any, Value], given: Description, depth: int) -> None:
        entries = _pairs(given) if given.get("is") == "dict" else None
        if entries is None:
            return
        for key, description in entries:
            own = data.get(key)
            if own is None:
                continue
            new = self._compared(own, description, depth + 1)
            if new is not own:
                self.inner.append((data, key, new))

    def _attributes(self, data: Instance, given: Description, depth: int) -> None:
        attributes = given.get("attributes")
        if not isinstance(attributes, dict) or not _is_class(data.cls, given):
            return
        for name, description in attributes.items():
            own = data.attributes.get(name)
            if own is None or not own.known:
                origins = own.origins if own is not None else frozenset()
                new = self.value(description, origins or _set_at(data.cls, name))
                if not new.known:
                    continue
            else:
                new = self._compared(own, description, depth + 1)
            if new is not own:
                self.inner.append((data.attributes, name, new))

    def _state(self, data: LibraryObject, given: Description, depth: int) -> None:
        entries = [*_pairs(given, "given"), *dict.items(given.get("attributes") or {})]
        for name, description in entries:
            own = data.state.get(name)
            if own is None:
                continue
            new = self._compared(own, description, depth + 1)
            if new is not own:
                self.inner.append((data.state, name, new))

    # -- values of their own ----------------------------------------------------------------------
    def value(self, given: Description, origins: Origins, depth: int = 0) -> Value:
        """Return what was recorded as a value that ``origins`` made."""
        kind = given.get("t", "")
        if "v" in given:
            if kind.startswith("pathlib."):
                path = {"path": Value(given["v"], origins)}
                return Value(
                    LibraryObject("pathlib.Path", (), {}, self._frame.place, path), origins
                )
            return Value(given["v"], origins)
        if kind == "float" and isinstance(given.get("is"), str):
            return Value(float(given["is"]), origins)
        if "columns" in given:
            columns: dict[object, str | None] = {n: str(dtype) for n, dtype in given["columns"]}
            if len(columns) != given["shape"][1]:
                return Value(UNKNOWN, origins)
            return Value(Table(columns, Value(given["shape"][0], origins)), origins)
        if "shape" in given:
            return _array_of(kind, given, origins)
        if depth >= MOST_COMPARED:
            return Value(UNKNOWN, origins)
        shape = given.get("is")
        if shape in ("list", "tuple"):
            return self._items(shape, given, origins, depth)
        if shape == "dict":
            entries = {k: self.value(d, origins, depth + 1) for k, d in _pairs(given)}
            if len(entries) == given.get("n"):
                return Value(entries, origins)
            return Value(OpenDict(entries, Value(UNKNOWN, origins)), origins)
        if "attributes" in given and kind.endswith(".Namespace"):
            names = {
                name: self.value(item, origins, depth + 1)
                for name, item in given["attributes"].items()
            }
            return Value(LibraryObject(kind, (), {}, self._frame.place, names), origins)
        if "given" in given:
            return self._library_object(kind, given, origins, depth)
        if "attributes" in given:
            return self._instance(kind, given, origins, depth)
        return Value(UNKNOWN, origins)

    def _items(self, shape: str, given: Description, origins: Origins, depth: int) -> Value:
        items = [self.value(item, origins, depth + 1) for item in given.get("items", ())]
        if len(items) == given["n"]:
            return Value(items if shape == "list" else tuple(items), origins)
        return Value(Lazy(Value(UNKNOWN, origins), Value(given["n"], origins)), origins)

    def _instance(self, kind: str, given: Description, origins: Origins, depth: int) -> Value:
        cls = self._class_of(kind)
        if cls is None:
            return Value(UNKNOWN, origins)
        attributes = {
            name: self.value(item, _set_at(cls, name) or origins, depth + 1)
            for name, item in given["attributes"].items()
        }
        known = {name: value for name, value in attributes.items() if value.known}
        return Value(Instance(cls, known), origins)

    def _class_of(self, kind: str) -> ClassValue | None:
        """Return the only class of the program with a recorded name, None without one."""
        name = kind.rpartition(".")[2]
        found = {
            id(held.data): held.data
            for module in self._run.modules.values()
            if isinstance(module.data, ModuleValue)
            for held in (module.data.environment.names.get(name),)
            if held is not None and isinstance(held.data, ClassValue)
        }
        return next(iter(found.values())) if len(found) == 1 else None

    def _library_object(self, kind: str, given: Description, origins: Origins, depth: int) -> Value:
        """Return an object of a library's class, made as its constructor was called."""
        library = _public(kind)
        if library is None:
            return Value(UNKNOWN, origins)
        place = min(origins, default=self._frame.place)
        keywords: dict[str, Value] = {}
        for name, description in _pairs(given, "given"):
            item = self.value(description, origins, depth + 1) if description else None
            if item is not None and item.known:
                keywords[name] = item
        args = tuple(
            self.value(module, origins, depth + 1) for _, module in _pairs(given, "modules")
        )
        with suppress(Raised):
            return self._run.call(Value(Library(library), origins), args, keywords, place)
        return Value(UNKNOWN, origins)


def _pairs(given: Description, name: str = "items") -> list[tuple[Any, Description]]:
    """Return entries that are kept as pairs."""
    return [(key, held) for key, held in given.get(name) or ()]


def _array_of(kind: str, given: Description, origins: Origins) -> Value:
    """Return an array with its shape, its dtype, and the bounds of whole numbers."""
    shape = given["shape"]
    if shape is None:
        return Value(UNKNOWN, origins)
    dims = tuple(Value(n if isinstance(n, int) else UNKNOWN, origins) for n in shape)
    dtype = given.get("dtype")
    dtype = OF_NUMPY.get(dtype, dtype) if isinstance(dtype, str) else None
    package = kind.partition(".")[0]
    if package == "pandas":
        # An index is no column.
        is_column = kind.endswith("Series")
        made: Array | None = Series(dims, dtype, index=()) if is_column else None
    else:
        # A subclass of the program most likely is one of PyTorch's tensors.
        other = "torch" if "device" in given else "numpy"
        made = Array(dims, dtype, LIBRARIES.get(package, other))
    if made is None:
        return Value(UNKNOWN, origins)
    device = given.get("device")
    made.device = device if isinstance(device, str) else None
    low, high = given.get("low"), given.get("high")
    if type(low) is int and type(high) is int:
        made.lowest, made.highest, made.attained = low, high, True
    return Value(made, origins)


def _merged(known: Array, seen: Array) -> Array:
    """Return an array with what is known of it and what was recorded."""
    made = copy(known)
    made.shape = known.shape if known.shape is not None else seen.shape
    made.dtype = known.dtype or seen.dtype
    made.device = known.device or seen.device
    if seen.lowest is not None:
        made.lowest, made.highest, made.attained = seen.lowest, seen.highest, True
    return made


def _is_class(cls: ClassValue, given: Description) -> bool:
    return str(given.get("t", "")).rpartition(".")[2] == cls.name


def _set_at(cls: ClassValue, name: str) -> Origins:
    """Return the lines of a class that set an attribute of its objects."""
    return frozenset((cls.file, line) for line in _setting_lines(cls.node).get(name, ()))


@lru_cache(maxsize=64)
def _setting_lines(node: ast.ClassDef) -> dict[str, set[int]]:
    """Return the lines of a class that set the attributes of its objects, by their names."""
    lines: dict[str, set[int]] = {}
    for inner in ast.walk(node):
        if not isinstance(inner, ast.Attribute) or not isinstance(inner.ctx, ast.Store):
            continue
        if isinstance(inner.value, ast.Name) and inner.value.id == "self":
            lines.setdefault(inner.attr, set()).add(inner.lineno)
    return lines


def _public(kind: str) -> str | None:
    """Return the name under which a class of a library is documented.

    ``torch.nn.modules.linear.Linear`` is ``torch.nn.Linear``,
    ``sklearn.linear_model._ridge.Ridge`` is ``sklearn.linear_model.Ridge``.
    """
    parts = kind.split(".")
    if parts[0] == "torch":
        if parts[1:3] == ["nn", "modules"]:
            return f"torch.nn.{parts[-1]}"
        return ".".join((*parts[:-2], parts[-1])) if len(parts) > 3 else kind
    if parts[0] == "sklearn":
        return ".".join(part for part in parts if not part.startswith("_"))
    return None
