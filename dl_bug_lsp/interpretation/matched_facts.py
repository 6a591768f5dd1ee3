"""What a failure's message says of the values of the failing line, where no model saw it fail.

The run came to the failing line, and the library raised there: that is certain. The message tells
which values it refuses: an argument by its name, a shape, a size, a dtype, a device, a key, a path.
Those of the line's values that are what it tells are the failure's. Nothing is said where none is.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.matched_messages import Line, python_type
from dl_bug_lsp.interpretation.models import state_of
from dl_bug_lsp.interpretation.table_values import Frame, Series, column
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    BoundMethod,
    ClassValue,
    FunctionValue,
    Instance,
    Lazy,
    Library,
    LibraryObject,
    ModuleValue,
    Raised,
    Table,
    Value,
)
from dl_bug_lsp.provenance.scopes import called_name

Said = tuple[str, str, object]
"""A fact of the message: its kind and role (`dl_bug_lsp.messages.facts`), and its value."""
MOST_PARTS = 240
MOST_ITEMS = 24
MOST_DEPTH = 3
MOST_SIDES = 3
MOST_LINES = 12
"""Times that the failing line was followed which are looked at."""
ACTUAL, EXPECTED, OWNER = "actual", "expected", "owner"
WEIGHT = 0.05
"""What the sides count that the message alone chooses among the operands, beside the operands.

A greater weight named fewer causes of unread programs within the first five.
"""
WHAT = {
    "KeyError": "key",
    "IndexError": "index",
    "TypeError": "type",
    "AttributeError": "attribute",
    "FileNotFoundError": "file",
    "ZeroDivisionError": "value",
    "NameError": "name",
}
"""What our models call the failures of Python's classes; all others are of a value."""
POSITIONS = {
    **dict.fromkeys(("X", "input", "log_probs", "mat1", "indices", "y_true", "a", "x", "self"), 0),
    **dict.fromkeys(("ids", "tensors", "arrays", "data", "samples", "population", "logits"), 0),
    **dict.fromkeys(("y", "target", "targets", "lengths", "key", "mat2", "other", "index"), 1),
    **dict.fromkeys(("y_pred", "y_score", "b", "labels"), 1),
    **dict.fromkeys(("input_lengths", "value"), 2),
    "probs": 0,
    "target_lengths": 3,
}
"""Where libraries take the arguments that their messages name, from 0."""
PASSED_ON = {"cross_validate": 1, "cross_val_score": 1, "cross_val_predict": 1, "learning_curve": 1}
"""How many arguments come before those of ``fit`` in what calls it."""


@dataclass(frozen=True, slots=True)
class Part:
    """A value that the failing line hands to an operation, and how deep within another it lies."""

    value: Value
    depth: int
    name: str = ""
    """Under which name what holds the value has it: a keyword, an attribute, a key."""


class Demand:
    """One following of the failing line beside what the message says."""

    def __init__(self, line: Line, said: Sequence[Said]) -> None:
        self.line = line
        self.said = said
        self.message = line.interpreter.message
        self.handed = list(_distinct(_handed(line)))
        self.parts = list(_within(self.handed))

    def of(self, kind: str, *roles: str) -> list[object]:
        """Return what the message says of a kind, in a role where one is given."""
        return [v for k, role, v in self.said if k == kind and (not roles or role in roles)]

    @property
    def arrays(self) -> list[tuple[Value, Array]]:
        """The arrays of the line, those that are handed over themselves first."""
        result = sorted(self.parts, key=lambda part: part.depth)
        return [
            (p.value, p.value.data)
            for p in result
            if isinstance(p.value.data, Array) and p.value.data.library != arrays.PYTHON
        ]


Reader = Callable[[Demand], "list[Value] | None"]


def demanded(lines: Iterable[Line], said: Sequence[Said]) -> Raised | None:
    """Return the failure where the message's facts fit values of the failing line."""
    demands = [Demand(line, said) for line in list(lines)[:MOST_LINES]]
    if not demands or demands[0].line.interpreter.gradients is not None:
        # What is wrong with a graph of tensors lies in its history.
        return None
    is_memory = MEMORY.search(demands[0].message) is not None
    for reader in (_memory, _shapes, _most) if is_memory else READERS:
        for demand in demands:
            sides = [side for side in reader(demand) or () if _tells(side)]
            if sides:
                interpreter = demand.line.interpreter
                what = WHAT.get(interpreter.exception, "value")
                raised = Raised(what, "what the message refuses", *sides[:MOST_SIDES])
                raised.place = interpreter.target
                raised.weight = WEIGHT
                return raised
    return None


def _tells(side: Value) -> bool:
    """Whether anything made a value that lies in the workspace."""
    data = side.data
    if isinstance(data, Array):
        return bool(side.origins or any(dim.origins for dim in data.shape or ()))
    if isinstance(data, (list, tuple)):
        return bool(side.origins) or any(item.origins for item in data[:MOST_ITEMS])
    if isinstance(data, dict):
        return bool(side.origins) or any(item.origins for item in data.values())
    return bool(side.origins)


# -- the values of a line --------------------------------------------------------------------------


def _distinct(result: Iterable[tuple[ast.AST, Value]]) -> Iterator[Part]:
    seen: set[int] = set()
    for node, value in result:
        if id(value) not in seen:
            seen.add(id(value))
            yield Part(value, 0, node.arg if isinstance(node, ast.keyword) and node.arg else "")


def _handed(line: Line) -> Iterator[tuple[ast.AST, Value]]:
    """Yield the values that the failing line hands to operations, outermost first."""
    statement = line.statement
    if isinstance(statement, (ast.For, ast.AsyncFor)):
        yield statement.iter, line.of(statement.iter)
    if isinstance(statement, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return)):
        value = statement.value
        if value is not None and not isinstance(value, ast.Call):
            yield value, line.of(value)
    for node in line.nodes:
        for part in _given_to(line, node):
            yield part, line.of(part.value if isinstance(part, ast.keyword) else part)


def _given_to(line: Line, node: ast.expr) -> Iterator[ast.expr | ast.keyword]:
    if isinstance(node, ast.Call):
        callee = line.of(node.func)
        if isinstance(callee.data, (FunctionValue, ClassValue)):
            return
        if isinstance(node.func, ast.Attribute) and not isinstance(callee.data, BoundMethod):
            yield node.func.value
        if isinstance(callee.data, (LibraryObject, Instance)):
            yield node.func
        for argument in node.args:
            yield argument.value if isinstance(argument, ast.Starred) else argument
        yield from node.keywords
    elif isinstance(node, ast.BinOp):
        yield from (node.left, node.right)
    elif isinstance(node, ast.Compare):
        yield from (node.left, *node.comparators)
    elif isinstance(node, ast.Subscript):
        yield node.value
        yield from node.slice.elts if isinstance(node.slice, ast.Tuple) else (node.slice,)
    elif isinstance(node, (ast.UnaryOp, ast.Await, ast.Attribute, ast.FormattedValue)):
        yield node.operand if isinstance(node, ast.UnaryOp) else node.value
    elif isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
        yield from (generator.iter for generator in node.generators)


def _within(parts: Sequence[Part]) -> Iterator[Part]:
    """Yield values with those inside of them: items, arguments of layers, attributes."""
    queue = list(parts)
    seen: set[int] = set()
    for part in queue:
        if id(part.value.data) in seen and not isinstance(part.value.data, (int, str)):
            continue
        seen.add(id(part.value.data))
        yield part
        if len(queue) >= MOST_PARTS:
            continue
        if part.depth < MOST_DEPTH:
            inner = ((n, v) for n, v in _items(part.value) if isinstance(v, Value))
            queue.extend(Part(v, part.depth + 1, name) for name, v in inner)
        # The layers of a functional model of Keras follow one another.
        layer = getattr(part.value.data, "layer", None)
        if isinstance(layer, Value):
            before = getattr(part.value.data, "inputs", ())
            queue.extend(Part(v, MOST_DEPTH - 1) for v in (layer, *before))


def _items(value: Value) -> list[tuple[str, object]]:
    """Return what a value holds, with the names that it has there."""
    data = value.data
    if isinstance(data, (list, tuple)):
        return [("", item) for item in data[:MOST_ITEMS]]
    if isinstance(data, Lazy):
        return [("", data.item)]
    named: list[tuple[object, object]] = []
    if isinstance(data, dict):
        named = list(data.items())
    elif isinstance(data, LibraryObject):
        named = [("", argument) for argument in data.args]
        named += [*data.keywords.items(), *data.state.items()]
    elif isinstance(data, Instance):
        named = list(data.attributes.items())
    return [(str(name), item) for name, item in named[:MOST_ITEMS]]


# -- arguments -------------------------------------------------------------------------------------


def _named(demand: Demand, name: str) -> Value | None:
    """Return the argument that a message names, of the call or of the layer that is called."""
    line = demand.line
    for call, callee in line.calls():
        given = line.keywords(call)
        if name in given:
            return given[name]
        state = state_of(callee)
        held = None if state is None else state.get(name)
        if held is not None:
            return held
        if isinstance(callee.data, LibraryObject) and name in callee.data.keywords:
            return callee.data.keywords[name]
        at = POSITIONS.get(name)
        if at is None or any(isinstance(argument, ast.Starred) for argument in call.args):
            continue
        at += PASSED_ON.get(called_name(call), 0)
        if at < len(call.args):
            return line.of(call.args[at])
    return None


def _arguments(demand: Demand) -> list[Value] | None:
    names = [name for name in demand.of("argument", ACTUAL) if isinstance(name, str)]
    result = [value for value in (_named(demand, name) for name in names) if value is not None]
    return [side for value in result for side in _faulty(demand, value)] or None


def _faulty(demand: Demand, value: Value) -> list[Value]:
    """Return what of an argument the message may mean: of a table the columns with gaps."""
    if not MISSING_CELLS.search(demand.message):
        return [value]
    data = value.data
    if isinstance(data, Series):
        is_full = data.cells is not None and None not in data.cells
        if is_full or data.dtype in WITHOUT_GAPS:
            return []
        return [Value(data, data.gaps) if data.gaps else value]
    if isinstance(data, Frame) and data.cells:
        gaps = [n for n in data.columns if n not in data.cells or None in data.cells[n]]
        return [column(data, name) for name in gaps][:MOST_SIDES]
    return [value]


MISSING_CELLS = re.compile(
    r"contains? (?:NaN|infinity|missing|inf)|infs or NaNs|NaN, infinity|"
    r"cannot convert float NaN|non-finite|missing values|nan|NaN"
)


WITHOUT_GAPS = ("int64", "int32", "bool")
"""Dtypes of which no value is missing."""


def _gaps(demand: Demand) -> list[Value] | None:
    """Return the values that may lack cells, where the message complains of gaps."""
    if not MISSING_CELLS.search(demand.message):
        return None
    result: list[Value] = []
    for part in demand.handed:
        data = part.value.data
        if isinstance(data, Table) or (isinstance(data, Array) and data.dtype not in WITHOUT_GAPS):
            result.extend(_faulty(demand, part.value))
    return result or None


def _mentioned(demand: Demand) -> list[Value] | None:
    """Return the keyword arguments whose names stand in the message."""
    words = set(re.findall(r"[A-Za-z_]\w*", demand.message))
    result = [
        value
        for call, _ in demand.line.calls()
        for name, value in demand.line.keywords(call).items()
        if name in words and (len(name) > 5 or "_" in name)
    ]
    return result or None


# -- sizes -----------------------------------------------------------------------------------------


def _strength(data: Array, shape: tuple[int, ...]) -> int:
    """Return how many sizes of an array are those of a shape, -1 where one cannot be."""
    if data.shape is None:
        last = arrays.size(data.last)
        return 0 if last is None else 1 if shape and shape[-1] == last else -1
    sizes = data.sizes or ()
    if len(sizes) != len(shape):
        return -1
    agreeing = 0
    for own, expected in zip(sizes, shape, strict=True):
        if own is not None and expected >= 0:
            if own != expected:
                return -1
            agreeing += 1
    return agreeing


def _of_shape(demand: Demand, shape: object, taken: Sequence[Value] = ()) -> Value | None:
    if not isinstance(shape, tuple):
        return None
    best: Value | None = None
    most = 0
    for value, data in demand.arrays:
        if any(value is other for other in taken):
            continue
        agreeing = _strength(data, shape)
        if agreeing > most or (agreeing == 0 == most and best is None and len(shape) > 1):
            best, most = value, agreeing
    return best


def _shapes(demand: Demand) -> list[Value] | None:
    """Return the arrays, or their dimensions, of which the message shows the shapes."""
    actual = [s for s in demand.of("shape", ACTUAL) if isinstance(s, tuple)]
    expected = [s for s in demand.of("shape", EXPECTED) if isinstance(s, tuple)]
    sides: list[Value] = []
    pairs = list(zip(actual, expected, strict=False))
    for a, b in pairs:
        first = _of_shape(demand, a)
        second = _of_shape(demand, b, [first] if first is not None else [])
        if first is None and second is None:
            continue
        differing = [i for i in range(len(a)) if a[i] != b[i]] if len(a) == len(b) else []
        for value in (first, second):
            if value is not None:
                sides.extend(_dims(value, differing))
        if sides:
            return sides
    others = [shape for shape in demand.of("shape", "other") if isinstance(shape, tuple)]
    for shape in (*actual, *expected, *others):
        value = _of_shape(demand, shape)
        if value is not None:
            return [value]
    return None


def _dims(value: Value, axes: Sequence[int]) -> list[Value]:
    """Return dimensions of an array, itself where these come from nowhere."""
    data = value.data
    if not isinstance(data, Array) or data.shape is None:
        return [value]
    result = [data.shape[i] for i in axes if i < len(data.shape) and data.shape[i].origins]
    return result or [value]


def _sizes(demand: Demand) -> list[Value] | None:
    """Return two sizes of the line that the message sets against each other."""
    actual, expected = demand.of("size", ACTUAL), demand.of("size", EXPECTED)
    for a, b in zip(actual, expected, strict=False):
        first, second = _of_size(demand, a), _of_size(demand, b)
        if first is not None and second is not None and first is not second:
            return [first, second]
    for number in (*actual, *expected):
        result = _of_size(demand, number)
        if result is not None and number not in (0, 1):
            return [result]
    if not actual and not expected:
        return None
    handed = {id(part.value) for part in demand.handed}
    flat = [(v, data) for v, data in demand.arrays if id(v) in handed] or demand.arrays[:2]
    unknown_ones = [
        dim
        for _, data in flat
        for dim in data.shape or ()
        if arrays.size(dim) is None and dim.origins
    ]
    return unknown_ones or None


def _of_size(demand: Demand, number: object) -> Value | None:
    if not isinstance(number, int):
        return None
    for _, data in demand.arrays:
        for dim in data.shape or ():
            if arrays.size(dim) == number and dim.origins:
                return dim
    for part in sorted(demand.parts, key=lambda part: part.depth):
        if arrays.size(part.value) == number and part.value.origins:
            return part.value
    for part in demand.handed:
        items = part.value.data
        if isinstance(items, (list, tuple)) and len(items) == number:
            return part.value
    return None


def _numbers(demand: Demand) -> list[Value] | None:
    """Return the plain numbers that the message repeats."""
    numbers_told = [
        v
        for kind in ("number", "count", "index", "bound", "axis")
        for v in demand.of(kind)
        if isinstance(v, (int, float)) and not isinstance(v, bool) and v not in (0, 1, -1)
    ]
    result = [
        part.value
        for part in demand.parts
        if part.depth <= 1
        and isinstance(part.value.data, (int, float))
        and not isinstance(part.value.data, bool)
        and part.value.data in numbers_told
    ]
    return result or None


# -- dtypes and devices ----------------------------------------------------------------------------


def _kind_of_device(name: str | None) -> str | None:
    return None if name is None else name.partition(":")[0]


def _devices(demand: Demand) -> list[Value] | None:
    if "device" in demand.message and not demand.of("device"):
        return [
            Value(UNKNOWN, frozenset({part.value.data.made}))
            for part in demand.handed
            if isinstance(part.value.data, LibraryObject) and part.value.data.made[1] > 0
        ]
    devices = {_kind_of_device(str(d)) for d in demand.of("device")}
    if not devices:
        return None
    known = [(value, _kind_of_device(data.device)) for value, data in demand.arrays]
    handed = {id(part.value) for part in demand.handed}
    if len(devices) > 1:
        left = [value for value, device in known if device == "cpu"]
        there = [value for value, device in known if device not in (None, "cpu")]
        if left:
            return [*left[: MOST_SIDES - 1], *there[:1]]
        open_ones = [value for value, device in known if device is None and id(value) in handed]
        return (open_ones or None) if there else None
    result = [value for value, device in known if device in devices and id(value) in handed]
    named = [
        part.value
        for part in demand.parts
        if part.depth <= 1
        and isinstance(part.value.data, str)
        and _kind_of_device(part.value.data) in devices
    ]
    return named or result or None


TORCH_NAMES = {
    "Float": "float32",
    "Double": "float64",
    "Half": "float16",
    "BFloat16": "bfloat16",
    "Long": "int64",
    "Int": "int32",
    "Short": "int16",
    "Byte": "uint8",
    "Bool": "bool",
    "ComplexFloat": "complex64",
}
"""What PyTorch's messages call dtypes."""


def _dtypes(demand: Demand) -> list[Value] | None:
    actual = set(demand.of("dtype", ACTUAL))
    expected = set(demand.of("dtype", EXPECTED))
    if not actual and not expected:
        words = re.findall(r"[(' ](?:torch\.|c10::)?(\w+)[)',. ]", f" {demand.message} ")
        actual = {TORCH_NAMES[word] for word in words if word in TORCH_NAMES}
        actual = actual if len(actual) > 1 else set()
    first = [value for value, data in demand.arrays if data.dtype in actual]
    second = [value for value, data in demand.arrays if data.dtype in expected - actual]
    if not first and not second:
        return None
    return [*first[:2], *second[:1]]


def _types(demand: Demand) -> list[Value] | None:
    """Return the values of the type that the message refuses."""
    told = {str(name).rpartition(".")[2] for name in demand.of("class", ACTUAL)}
    if demand.of("attribute", ACTUAL):
        told |= {str(name) for name in demand.of("class", OWNER)}
    told -= {str(name) for name in demand.of("class", EXPECTED)}
    found = [p.value for p in demand.parts if p.depth <= 1 and python_type(p.value) in told]
    return found or None


# -- keys, names, paths ----------------------------------------------------------------------------


def _key(demand: Demand) -> list[Value] | None:
    """Return a key that is not there, and what lacks it."""
    keys = demand.of("key", ACTUAL) or demand.of("column", ACTUAL)
    for key in keys:
        for node in demand.line.nodes:
            if isinstance(node, ast.Subscript):
                asked = demand.line.of(node.slice)
                if _is_key(asked, key):
                    base = demand.line.of(node.value)
                    if not _holds(base, key):
                        return [asked, base]
        for part in demand.parts:
            if part.depth <= 1 and _is_key(part.value, key) and part.value.known:
                tables = [p.value for p in demand.handed if isinstance(p.value.data, (Table, dict))]
                lacking = [table for table in tables if not _holds(table, key)]
                return [part.value, *lacking[:1]]
    for key in demand.of("key", EXPECTED):
        for part in demand.handed:
            if isinstance(part.value.data, dict) and not _holds(part.value, key):
                return [part.value]
        for part in demand.parts:
            columns = (state_of(part.value) or {}).get("columns")
            if columns is not None and isinstance(columns.data, dict) and key not in columns.data:
                return [Value(part.value.data, part.value.origins or columns.origins)]
    return None


def _is_key(value: Value, key: object) -> bool:
    if isinstance(value.data, (bool, int, float, str)):
        return value.data == key or str(value.data) == str(key)
    return not value.known


def _holds(value: Value, key: object) -> bool:
    data = value.data
    if isinstance(data, dict):
        return key in data
    return isinstance(data, Table) and key in data.columns


def _quoted(demand: Demand) -> list[Value] | None:
    """Return the texts of the line that the message repeats: a path, a name, an option."""
    kinds = ("path", "literal", "name", "column", "option", "module", "requirement", "parameter")
    quoted = {v for kind in kinds for v in demand.of(kind, ACTUAL, OWNER, "other")}
    texts = {v for v in quoted if isinstance(v, str) and len(v) > 1}
    texts |= set(re.findall(r"['\"`]([^'\"`\n]{2,120})['\"`]", demand.message))
    result = []
    for part in demand.parts:
        data = part.value.data
        if isinstance(data, str) and len(data) > 1 and part.value.origins:
            ends = any(t == data or (("/" in t) and t.endswith("/" + data)) for t in texts)
            if ends or (len(data) > 5 and "/" in data and data in demand.message):
                result.append(part.value)
    return result or _cells(demand, texts) or None


def _cells(demand: Demand, texts: set[str]) -> list[Value]:
    """Return the cells of tables that the message repeats, with the lines that they stand on."""
    found: list[Value] = []
    for part in demand.parts:
        data = part.value.data
        columns: list[tuple[Sequence[object], Value]] = []
        if isinstance(data, Series) and data.cells is not None:
            columns = [(data.cells, part.value)]
        elif isinstance(data, Frame):
            columns = [(cells, column(data, name)) for name, cells in data.cells.items()]
        lines = data.lines if isinstance(data, (Series, Frame)) else ()
        for cells, whole in columns:
            at = next((i for i, cell in enumerate(cells) if _repeated(cell, texts)), None)
            if at is not None:
                found.append(Value(cells[at], frozenset(lines[at : at + 1])))
                found.append(whole)
    return found


def _repeated(cell: object, texts: set[str]) -> bool:
    """Whether a message repeats a cell: wholly, or as the end of a path."""
    if not isinstance(cell, str) or not cell:
        return False
    return any(t == cell or (len(cell) > 5 and "/" in t and cell in t) for t in texts)


# -- what the line itself tells --------------------------------------------------------------------


def _asserted(demand: Demand) -> list[Value] | None:
    """Return what a failing ``assert`` compares: that it did not hold is certain."""
    statement = demand.line.statement
    if not isinstance(statement, ast.Assert):
        return None
    test = statement.test
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test = test.operand
    parts = [test.left, *test.comparators] if isinstance(test, ast.Compare) else [test]
    if isinstance(test, ast.Call):
        parts = [*test.args, *(keyword.value for keyword in test.keywords)] or parts
    return [demand.line.of(part) for part in parts if not isinstance(part, ast.Constant)]


def _beyond(demand: Demand) -> list[Value] | None:
    """Return an index and what it is beyond, of the axis that the message names."""
    bounds = demand.of("bound", EXPECTED)
    axes = [axis for axis in demand.of("axis") if isinstance(axis, int)]
    if not bounds:
        return None
    for node in demand.line.nodes:
        if not isinstance(node, ast.Subscript):
            continue
        base = demand.line.of(node.value)
        if isinstance(base.data, dict):
            continue
        elements = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        at = axes[0] if axes and len(elements) > 1 else 0
        if at >= len(elements) or isinstance(elements[at], ast.Slice):
            continue
        index = demand.line.of(elements[at])
        shape = base.data.shape if isinstance(base.data, Array) else None
        limit = shape[axes[0]] if shape and axes and axes[0] < len(shape) else base
        number = arrays.size(limit)
        if number is None or number == bounds[0]:
            return [index, limit] if index.origins else None
    return None


ORDER = re.compile(
    r"is being called after|called before|must be called|must call|"
    r"call [`'\"(\w.)]+ (?:first|before)|isn't fitted|not fitted yet|has already been|"
    r"(?:has|have|is|was|been) not (?:been |yet )?(?:\w+ )?"
    r"(?:fitted|fit|built|compiled|initialized|set|called|started|configured|prepared)|"
    r"no inf checks were recorded|not initialized|has not been",
    re.IGNORECASE,
)


def _order(demand: Demand) -> list[Value] | None:
    """Return the object whose methods the program calls in a wrong order, and where it calls them.

    The methods are those that the message names; what decides whether one is called counts as well.
    """
    if not ORDER.search(demand.message):
        return None
    names = set(re.findall(r"(?<!\w)(\w+)\(\)", demand.message))
    names |= set(re.findall(r"[`'\"](?:\w+\.)?(\w+)[`'\"]", demand.message))
    sides: list[Value] = []
    for part in demand.handed:
        data = part.value.data
        if isinstance(data, LibraryObject) and data.made[1] > 0:
            sides.append(Value(UNKNOWN, frozenset({data.made})))
            sides.extend(_calls_of(demand, names))
            return sides
    return None


def _uncalled(demand: Demand) -> list[Value] | None:
    """Return where the program calls the function that should have been called before."""
    names = {str(name).rpartition(".")[2] for name in demand.of("function", EXPECTED)}
    if not names:
        return None
    interpreter = demand.line.interpreter
    found: list[Value] = []
    for file in list(interpreter.modules)[:MOST_ITEMS]:
        tree = interpreter.workspace.tree(file)
        calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call)] if tree is not None else []
        found.extend(
            Value(UNKNOWN, frozenset({(file, call.lineno)}))
            for call in calls
            if called_name(call) in names
        )
    return found or None


def _imported(demand: Demand) -> list[Value] | None:
    """Return the module that an import does not find."""
    if not isinstance(demand.line.statement, (ast.Import, ast.ImportFrom)):
        return None
    names = [name for kind in ("module", "name") for name in demand.of(kind, ACTUAL)]
    return [Value(name, frozenset({demand.line.interpreter.target})) for name in names[:1]] or None


def _zero(demand: Demand) -> list[Value] | None:
    """Return the numbers that are nothing, where something is divided by nothing."""
    if demand.line.interpreter.exception != "ZeroDivisionError":
        return None
    return [p.value for p in demand.parts if p.depth <= 1 and p.value.data in (0, 0.0)] or None


def _not_pickled(demand: Demand) -> list[Value] | None:
    """Return the functions and objects that cannot be sent to another process."""
    told = re.search(r"[Cc]an(?:'t|not) pickle (?:local object |<?)'?([\w.<>]+)", demand.message)
    if told is None:
        return None
    name = told[1].rpartition(".")[2]
    found: list[Value] = []
    for part in demand.parts:
        data = part.value.data
        if isinstance(data, FunctionValue):
            if getattr(data.node, "name", "<lambda>") == name:
                found.append(Value(UNKNOWN, frozenset({(data.file, data.node.lineno)})))
        elif python_type(part.value) == name:
            made = data.made if isinstance(data, LibraryObject) else None
            origins = part.value.origins | (frozenset({made}) if made else frozenset())
            found.append(Value(UNKNOWN, origins))
    return found or None


PAIRED = {"unscale_": "update", "step": "update", "transform": "fit", "predict": "fit"}
"""The method that should have been called, where a message names those that were."""


def _calls_of(demand: Demand, names: set[str]) -> list[Value]:
    """Return the places at which the program calls methods, with the conditions around them."""
    interpreter = demand.line.interpreter
    wanted = names | {PAIRED[name] for name in names if name in PAIRED}
    result: list[Value] = []
    for file in list(interpreter.modules)[:MOST_ITEMS]:
        tree = interpreter.workspace.tree(file)
        for node in ast.walk(tree) if tree is not None else ():
            if not isinstance(node, ast.If):
                continue
            calls = [n for n in ast.walk(node) if isinstance(n, ast.Call)]
            result.extend(
                Value(UNKNOWN, frozenset({(file, node.lineno), (file, call.lineno)}))
                for call in calls
                if called_name(call) in wanted
            )
    return result[:2]


# -- what single messages demand -------------------------------------------------------------------


def _sampled(demand: Demand) -> list[Value] | None:
    """Return more items that are drawn than there are."""
    if not re.search(r"larger (?:sample )?than (?:the )?population", demand.message, re.IGNORECASE):
        return None
    for call, _ in demand.line.calls():
        if called_name(call) in ("sample", "choice") and len(call.args) + len(call.keywords) > 1:
            given = [demand.line.of(argument) for argument in call.args]
            count = demand.line.keywords(call)
            return [*reversed(given), *(count[k] for k in ("k", "n", "size") if k in count)]
    return None


def _of_labels(demand: Demand) -> list[Value] | None:
    """Return the labels and the number of classes, where a label is beyond it."""
    if not LABELS.search(demand.message):
        return None
    labels = [
        value
        for value, data in demand.arrays
        if (data.dtype or "").startswith("int") and len(data.shape or ()) <= 2
    ]
    scores = [
        dim
        for _, data in demand.arrays
        if (data.dtype or "float").startswith("float")
        and len(data.shape or ()) > 1
        and (dim := arrays.last_of(data)) is not None
    ]
    if NEGATIVE.search(demand.message):
        return labels[:1] or None
    return [*labels[:1], *scores[:1]] or None


NEGATIVE = re.compile(r"Target -\d")
"""A label below 0: no number of classes has room for it."""
LABELS = re.compile(r"Target -?\d+ is out of bounds|t >= 0 && t < n_classes|label value")


MEMORY = re.compile(
    r"out of memory|OOM when|unable to allocate|allocate memory|RESOURCE_EXHAUSTED", re.IGNORECASE
)
ALLOCATED = re.compile(
    r"(?:allocate|allocating|alloc)\s+(?:of\s+)?([\d.]+)\s*(bytes|[KMGT]i?B|B\b)", re.IGNORECASE
)
BYTES = {"b": 0, "k": 1, "m": 2, "g": 3, "t": 4}
ITEM = {"64": 8, "32": 4, "16": 2, "bool": 1, "int8": 1}
NEARLY = 0.01


def _memory(demand: Demand) -> list[Value] | None:
    """Return the sizes of what has as many bytes as the message says that were asked for."""
    allocated = ALLOCATED.search(demand.message)
    if allocated is None:
        return None
    wanted = float(allocated[1]) * 1024 ** BYTES[allocated[2][0].lower()]
    for node in demand.line.nodes:
        data = demand.line.of(node).data
        if not isinstance(data, Array) or not data.shape:
            continue
        count = arrays.size(arrays.product(data.shape))
        width = next((n for end, n in ITEM.items() if (data.dtype or "").endswith(end)), None)
        if count and width and abs(count * width / wanted - 1) < NEARLY:
            return [dim for dim in data.shape if dim.origins]
    return None


MANY = 1_000_000


def _most(demand: Demand) -> list[Value] | None:
    """Return the greatest number or array that the line hands over, where memory is not enough."""
    numbers = [p.value for p in demand.parts if (arrays.size(p.value) or 0) >= MANY]
    if numbers:
        return [max(numbers, key=lambda value: arrays.size(value) or 0)]
    sized = [
        (count, data)
        for _, data in demand.arrays
        if data.shape and (count := arrays.size(arrays.product(data.shape))) is not None
    ]
    if not sized:
        return None
    greatest = max(sized, key=lambda one: one[0])[1]
    return [dim for dim in greatest.shape or () if dim.origins]


ROWS = ("num_embeddings", "input_dim", "vocab_size", "n_positions", "max_position_embeddings")
TABLE = re.compile(r"index out of range in self|indices\[[\d, ]*\] = -?\d+ is not in \[0, \d+\)")


def _rows(demand: Demand) -> list[Value] | None:
    """Return the number of rows of the embeddings in which an index was looked up."""
    if not TABLE.search(demand.message):
        return None
    bounds = demand.of("bound", EXPECTED)
    result = [p.value for p in demand.parts if p.name in ROWS]
    for part in demand.parts:
        data = part.value.data
        if isinstance(data, LibraryObject) and "Embed" in data.short and data.args:
            result.append(data.args[0])
    fitting = [v for v in result if not bounds or not v.known or v.data in bounds]
    return fitting or None


CLASSES = ("num_labels", "num_classes", "n_classes", "out_features", "units")


def _classes(demand: Demand) -> list[Value] | None:
    """Return the number of classes of a model that a library trains, where a label is beyond it."""
    if not LABELS.search(demand.message) or NEGATIVE.search(demand.message):
        return None
    result = [p.value for p in demand.parts if p.name in CLASSES and p.value.origins]
    if result:
        return result
    configs = [
        p.value.data
        for p in demand.parts
        if isinstance(p.value.data, LibraryObject) and p.value.data.short.endswith("Config")
    ]
    return [Value(UNKNOWN, frozenset({config.made})) for config in configs] or None


OVERFLOW = re.compile(
    r"without overflow|out of range integral|too (?:large|small|big) to|out of bounds for u?int|"
    r"can't convert negative|overflow",
    re.IGNORECASE,
)
GREATEST_HALF = 65_504.0


def _overflowing(demand: Demand) -> list[Value] | None:
    """Return the numbers of the line that a narrow type does not hold."""
    if not OVERFLOW.search(demand.message):
        return None
    result = [
        part.value
        for part in demand.parts
        if part.depth <= 1
        and isinstance(part.value.data, (int, float))
        and (abs(part.value.data) > GREATEST_HALF or part.value.data < 0)
    ]
    return result or None


TRACED = re.compile(r"depends on the value of the argument (?P<n>\w+)")
TRACING = re.compile(r"while tracing the function (?P<f>\w+) at (?P<p>[^\s:]+):(?P<l>\d+)")


def _traced(demand: Demand) -> list[Value] | None:
    """Return an argument that JAX traces, and the function that it traces."""
    match = TRACED.search(demand.message)
    if match is None:
        return None
    sides: list[Value] = []
    place = TRACING.search(demand.message)
    interpreter = demand.line.interpreter
    if place is not None:
        sides.extend(
            Value(UNKNOWN, frozenset({(file, int(place["l"]))}))
            for file in interpreter.modules
            if place["p"] == file or place["p"].endswith("/" + file)
        )
    held = interpreter.lookup(match["n"], demand.line.env)
    return [*sides, *([held] if held is not None else [])] or None


READING = {"UnicodeDecodeError", "JSONDecodeError", "ParserError", "YAMLError", "EmptyDataError"}
READING |= {"TOMLDecodeError", "ScannerError", "EOFError", "UnpicklingError", "BadZipFile", "Error"}


def _read(demand: Demand) -> list[Value] | None:
    """Return the path of a file that cannot be read as what it is taken for."""
    interpreter = demand.line.interpreter
    if interpreter.exception not in READING:
        return None
    files = set(interpreter.workspace.files())
    result = [
        p.value for p in demand.parts if isinstance(p.value.data, str) and p.value.data in files
    ]
    return result or None


def _only(demand: Demand) -> list[Value] | None:
    """Return the only value that a library's function was given: it is what was refused."""
    calls = list(demand.line.calls())
    if not calls:
        return None
    call, callee = calls[0]
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    given = [demand.line.of(argument) for argument in call.args]
    if owner is not None and not isinstance(demand.line.of(owner).data, (Library, ModuleValue)):
        given.append(demand.line.of(owner))
    if isinstance(callee.data, (LibraryObject, Instance)):
        given.append(callee)
    telling = [v for v in given if isinstance(v.data, (Array, Table, list, tuple, dict, str))]
    return _narrowed(demand, telling[0]) if len(given) == len(telling) == 1 else None


def _narrowed(demand: Demand, value: Value) -> list[Value]:
    """Return the sizes that are not known of a value where the message complains of sizes."""
    if not re.search(r"\b(?:shapes?|sizes?|dimensions?|lengths?)\b", demand.message):
        return [value]
    inner = value.data if isinstance(value.data, (list, tuple)) else [value]
    dims = [
        dim
        for item in inner[:MOST_ITEMS]
        if isinstance(item.data, Array)
        for dim in item.data.shape or ()
        if arrays.size(dim) is None and dim.origins
    ]
    return dims or [value]


READERS: tuple[Reader, ...] = (
    _asserted,
    _imported,
    _sampled,
    _traced,
    _rows,
    _overflowing,
    _read,
    _zero,
    _not_pickled,
    _uncalled,
    _order,
    _arguments,
    _key,
    _beyond,
    _shapes,
    _sizes,
    _devices,
    _dtypes,
    _types,
    _gaps,
    _of_labels,
    _classes,
    _quoted,
    _numbers,
    _mentioned,
    _only,
)
"""What is asked of the failing line, the most telling first."""

__all__ = ["Said", "demanded"]
