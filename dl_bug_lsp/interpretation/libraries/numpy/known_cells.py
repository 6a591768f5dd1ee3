"""NumPy's functions of arrays whose cells are known: what they give, cell by cell.

Source: the NumPy 2 reference of ``argsort``, ``cumsum``, ``digitize``, ``pad``, ``repeat``,
``stack``, ``unique``, ``where``. What is not known here is left to the models of shapes.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

# These register the models that know shapes alone.
import dl_bug_lsp.interpretation.libraries.array_functions
import dl_bug_lsp.interpretation.libraries.numpy.functions
import dl_bug_lsp.interpretation.libraries.numpy.scipy
import dl_bug_lsp.interpretation.libraries.torch.argument_checks  # noqa: F401
from dl_bug_lsp.interpretation import arrays, matrix_values
from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.libraries.numpy.functions import as_array
from dl_bug_lsp.interpretation.model_helpers import MOST_ITEMS, is_true, listed
from dl_bug_lsp.interpretation.models import MODELS, Call, Model
from dl_bug_lsp.interpretation.table_values import (
    Series,
    affords,
    bounds_of,
    dtype_of_cells,
    remade,
    series_of,
    taken,
    truths,
)
from dl_bug_lsp.interpretation.values import Array, Origin, Value, merged

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

_MOST_BITS = 62
Follow = Callable[["Interpreter", Call], "Value | None"]


def _known(*names: str, methods: Sequence[str] = ()) -> Callable[[Follow], Follow]:
    """Register a model before those that are there, which have what it leaves."""

    def keep(model: Follow) -> Follow:
        for name in names:
            name = f"numpy.{name}"
            MODELS.functions[name] = _before(model, MODELS.functions.get(name))
        for method in methods:
            key = ("array", method)
            MODELS.methods[key] = _before(model, MODELS.methods.get(key))
        return model

    return keep


def _before(model: Follow, other: Model | None) -> Model:
    def run(interpreter: Interpreter, call: Call) -> Value:
        made = model(interpreter, call)
        if made is not None:
            return made
        return call.unknown() if other is None else other(interpreter, call)

    if other in MODELS.numeric:
        MODELS.numeric.add(run)
    return run


def _subject(call: Call, *names: str) -> tuple[Value, Series] | None:
    """Return the array of known cells that a function or a method is about."""
    own = call.receiver is not None
    given = call.receiver if own else call.given(0, *names)
    if given is None or (not own and not isinstance(given.data, (list, tuple, Series))):
        return None
    if isinstance(given.data, (list, tuple)) and len(given.data) > MOST_ITEMS:
        return None
    whole = as_array(given)
    held = series_of(whole)
    if held is None or held.cells is None or not affords(2 * len(held.cells)):
        return None
    return whole, held


def _second(call: Call, *names: str) -> Value | None:
    return call.given(0 if call.receiver is not None else 1, *names)


def _fresh(
    cells: Sequence[object], call: Call, *parts: Value, lines: tuple[Origin, ...] = ()
) -> Value:
    """Return an array of cells that a call has made, as many as they are."""
    origins = merged(*parts) | {call.place}
    held = tuple(cells)
    made = Series((Value(len(held), origins),), dtype_of_cells(held), "numpy", None)
    if not held:
        made.dtype = "int64"
    made.cells, made.lines = held, lines if len(lines) == len(held) else ()
    made.lowest, made.highest = bounds_of(held)
    return Value(made, origins)


def _orderable(cells: Sequence[object]) -> bool:
    """Whether cells can be put in order."""
    kinds = {str if isinstance(cell, str) else type(cell) for cell in cells}
    return kinds <= {int, float, bool} or kinds == {str}


@_known("argsort", methods=["argsort"])
def _argsort(_: Interpreter, call: Call) -> Value | None:
    found = _subject(call, "a")
    axis = _second(call, "axis")
    if found is None or not _orderable(found[1].cells or ()):
        return None
    if axis is not None and axis.data not in (-1, 0):
        return None
    cells = found[1].cells or ()
    order = sorted(range(len(cells)), key=cells.__getitem__)  # type: ignore[arg-type]
    made = remade(found[0], order, dtype="int64")
    assert isinstance(made.data, Series)
    made.data.lines = ()
    return Value(made.data, merged(found[0]) | {call.place})


@_known("sort")
def _sort(_: Interpreter, call: Call) -> Value | None:
    found = _subject(call, "a")
    if found is None or call.receiver is not None or not _orderable(found[1].cells or ()):
        return None
    cells, lines = found[1].cells or (), found[1].lines
    order = sorted(range(len(cells)), key=cells.__getitem__)  # type: ignore[arg-type]
    moved = tuple(lines[at] for at in order) if len(lines) == len(cells) else ()
    return _fresh([cells[at] for at in order], call, found[0], lines=moved)


@_known("flip", "flipud")
def _flip(_: Interpreter, call: Call) -> Value | None:
    found = _subject(call, "m")
    if found is None or len(call.args) + len(call.keywords) != 1:
        return None
    return _fresh((found[1].cells or ())[::-1], call, found[0], lines=found[1].lines[::-1])


@_known("cumsum", methods=["cumsum"])
def _cumsum(_: Interpreter, call: Call) -> Value | None:
    found = _subject(call, "a")
    if found is None or call.keywords.keys() - {"a"}:
        return None
    numbers = [cell for cell in found[1].cells or () if isinstance(cell, (int, float))]
    if len(numbers) != len(found[1].cells or ()):
        return None
    sums = list(itertools.accumulate(numbers))
    if any(isinstance(total, int) and total.bit_length() > _MOST_BITS for total in sums[-1:]):
        return None
    return remade(found[0], [int(s) if isinstance(s, bool) else s for s in sums])


@_known("diff")
def _diff(_: Interpreter, call: Call) -> Value | None:
    found = _subject(call, "a")
    if found is None or len(call.args) + len(call.keywords) != 1:
        return None
    numbers = [cell for cell in found[1].cells or () if isinstance(cell, (int, float))]
    if len(numbers) != len(found[1].cells or ()) or bool in map(type, numbers):
        return None
    return _fresh([b - a for a, b in itertools.pairwise(numbers)], call, found[0])


@_known("digitize")
def _digitize(_: Interpreter, call: Call) -> Value | None:
    found, bins = _subject(call, "x"), call.given(1, "bins")
    edges = None if bins is None else series_of(as_array(bins))
    if found is None or edges is None or not _orderable(edges.cells or ("", 0)):
        return None
    limits: list[float] = [cell for cell in edges.cells or () if isinstance(cell, (int, float))]
    if limits != sorted(limits) or not _orderable((*(found[1].cells or ()), 0)):
        return None
    find = bisect_left if is_true(call.given(2, "right")) else bisect_right
    made = [find(limits, cell) for cell in found[1].cells or ()]  # type: ignore[call-overload]
    return remade(found[0], made, *call.args[1:])


@_known("repeat", methods=["repeat"])
def _repeat(interpreter: Interpreter, call: Call) -> Value | None:
    found, times = _subject(call, "a"), _second(call, "repeats")
    if found is None or times is None:
        return None
    cells, lines = found[1].cells or (), found[1].lines
    counts = [size(times)] * len(cells)
    if size(times) is None:
        held = series_of(times)
        items = [Value(cell) for cell in held.cells or ()] if held else listed(interpreter, times)
        counts = [size(item) for item in items or ()]
    known = [count for count in counts if count is not None and count >= 0]
    if len(known) != len(cells) or sum(known) > MOST_ITEMS:
        return None
    order = [at for at, count in enumerate(known) for _ in range(count)]
    moved = tuple(lines[at] for at in order) if len(lines) == len(cells) else ()
    return _fresh([cells[at] for at in order], call, found[0], times, lines=moved)


@_known("where", "nonzero", "flatnonzero", "argwhere", methods=["nonzero"])
def _positions(_: Interpreter, call: Call) -> Value | None:
    """Return the positions of the true cells of a mask of one axis."""
    if len(call.args) + len(call.keywords) != (0 if call.receiver is not None else 1):
        return None
    found = _subject(call, "condition", "a")
    if found is None or call.name.endswith("argwhere"):
        return None
    positions = truths(found[0])
    if positions is None:
        numbers = [cell for cell in found[1].cells or () if isinstance(cell, (int, float))]
        if len(numbers) != len(found[1].cells or ()):
            return None
        positions = [at for at, number in enumerate(numbers) if number]
    made = _fresh(positions, call, found[0])
    return made if call.name.endswith("flatnonzero") else Value((made,), made.origins)


@_known("unique")
def _unique(_: Interpreter, call: Call) -> Value | None:
    """Return the sorted distinct cells, with their first positions, places and counts."""
    flags = ("return_index", "return_inverse", "return_counts")
    source = call.given(0, "ar")
    if (
        source is not None
        and matrix_values.grid_of(source) is not None
        and "axis" not in call.keywords
    ):
        flat = matrix_values.flattened(source)
        source = source if flat is None else flat
        call = Call(call.name, (source, *call.args[1:]), call.keywords, call.place)
    found = _subject(call, "ar")
    if found is None or call.keywords.keys() - {"ar", *flags} or not found[1].cells:
        return None
    cells = found[1].cells
    if not _orderable(cells):
        return None
    first = {cell: at for at, cell in reversed(list(enumerate(cells)))}
    values = sorted(first, key=lambda cell: cell)  # type: ignore[arg-type, return-value]
    lines = found[1].lines if len(found[1].lines) == len(cells) else ()
    own = tuple(lines[first[value]] for value in values) if lines else ()
    parts = [_fresh(values, call, found[0], lines=own)]
    order, counts = {value: at for at, value in enumerate(values)}, Counter(cells)
    extras: dict[str, list[object]] = {
        "return_index": [first[value] for value in values],
        "return_inverse": [order[cell] for cell in cells],
        "return_counts": [counts[value] for value in values],
    }
    for at, flag in enumerate(flags, start=1):
        if is_true(call.given(at, flag)):
            parts.append(_fresh(extras[flag], call, found[0]))
    return parts[0] if len(parts) == 1 else Value(tuple(parts), parts[0].origins)


@_known("bincount")
def _bincount(_: Interpreter, call: Call) -> Value | None:
    found, least = _subject(call, "x"), call.given(2, "minlength") or Value(0)
    if found is None or call.given(1, "weights") is not None or size(least) is None:
        return None
    numbers = [cell for cell in found[1].cells or () if type(cell) is int and cell >= 0]
    count = max([*(number + 1 for number in numbers), size(least) or 0])
    if len(numbers) != len(found[1].cells or ()) or count > MOST_ITEMS:
        return None
    counts = Counter(numbers)
    return _fresh([counts[number] for number in range(count)], call, found[0], least)


@_known("pad")
def _pad(interpreter: Interpreter, call: Call) -> Value | None:
    """Put a constant around the cells of one axis."""
    found, width = _subject(call, "array"), call.given(1, "pad_width")
    mode, fill = call.given(2, "mode") or Value("constant"), call.keywords.get("constant_values")
    if found is None or width is None or mode.data != "constant":
        return None
    pair = [width, width] if size(width) is not None else listed(interpreter, width) or []
    if len(pair) == 1:
        pair = listed(interpreter, pair[0]) or pair * 2
    numbers = [size(item) for item in pair]
    known = [number for number in numbers if number is not None and number >= 0]
    if len(known) != 2 or sum(known) > MOST_ITEMS:
        return None
    cell = 0 if fill is None else fill.data
    dtype = found[1].dtype or ""
    if not isinstance(cell, (int, float)) or not dtype.startswith(("int", "float")):
        return None
    cell = int(cell) if dtype.startswith("int") else float(cell)
    before, after = known
    cells = (*([cell] * before), *(found[1].cells or ()), *([cell] * after))
    made = _fresh(cells, call, found[0], *pair, *([] if fill is None else [fill]))
    assert isinstance(made.data, Series)
    made.data.dtype = dtype
    return made


@_known("reshape", methods=["reshape"])
def _reshape(_: Interpreter, call: Call) -> Value | None:
    """Put the cells of one axis into rows, or those of rows into one axis."""
    whole = call.receiver if call.receiver is not None else call.given(0, "a")
    rest = call.args if call.receiver is not None else call.args[1:]
    if whole is None or call.keywords or not rest:
        return None
    dims = list(rest[0].data) if isinstance(rest[0].data, (list, tuple)) else list(rest)
    numbers = [size(dim) for dim in dims]
    if None in numbers or len(dims) not in (1, 2):
        return None
    flat = matrix_values.flattened(whole) if matrix_values.grid_of(whole) is not None else whole
    held = series_of(flat)
    if held is None or held.cells is None or held.shape is None or flat is None:
        return None
    shape = arrays.reshaped(held.shape, dims)
    rows = size(shape[0])
    if len(shape) == 1:
        return remade(flat, held.cells, dtype=held.dtype)
    width = size(shape[1])
    if rows is None or width is None or not rows or not width:
        return None
    columns: list[Value] = []
    for at in range(width):
        part = range(at, rows * width, width)
        columns.append(taken(flat, part))
    return matrix_values.of_columns(columns, shape[0], shape[1], held.dtype, whole, *dims)


@_known("stack", "vstack", "row_stack")
def _stack(interpreter: Interpreter, call: Call) -> Value | None:
    """Put arrays of one axis below each other."""
    axis = call.given(1, "axis") or Value(0)
    items = listed(interpreter, call.given(0, "arrays", "tup"))
    if not items or axis.data != 0 or call.keywords.keys() - {"arrays", "tup", "axis"}:
        return None
    rows = [as_array(item) for item in items]
    lengths = {row.data.sizes for row in rows if isinstance(row.data, Array)}
    first = rows[0].data
    if len(lengths) != 1 or not isinstance(first, Series) or first.shape is None:
        return None
    given = [value for value in (call.given(0, "arrays", "tup"),) if value is not None]
    count = Value(len(items), merged(*given))
    return matrix_values.of_rows(
        rows, count, first.shape[0], *given, Value(None, frozenset({call.place}))
    )
