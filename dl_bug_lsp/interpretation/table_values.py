"""Tables and columns whose cells are known: what a data file holds, value by value.

Every operation takes cells in proportion to what it looks at from `Comparisons.cells`; when they
are used up its result has no known cells any more. A missing cell is None.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.values import (
    NOWHERE,
    UNKNOWN,
    Array,
    Instance,
    LibraryObject,
    NumpyFloat,
    Origin,
    Origins,
    Raised,
    Table,
    Value,
    merged,
)

NUMERIC = ("int64", "float64", "int32", "float32", "bool", "uint8", "int8", "float16", "int16")
MOST_CELLS = 400_000
_MOST_TEXT = 1_000
"""Characters of a text that an operation on cells may make."""
_MOST_BITS = 64
_MOST_NAME = 40

Cells = tuple[object, ...]
_PLAIN_CELLS = (bool, int, float, str, type(None))
_WHOLE_CELLS = (list, tuple, dict, set, Array, Instance)


@dataclass(slots=True, eq=False)
class Series(Array):
    """One axis of cells, where they are known: text or numbers, None for a missing one.

    A cell of another kind, as a list, is kept as a `Value`.
    ``lines`` are the data lines of the cells and ``derived`` the code that made them of those.
    ``index`` holds the labels of a pandas column: None where it is an array with positions alone,
    and another number of labels than of cells where they are not known. ``name`` is that of the
    column and ``index_names`` those of the levels of its index, ``UNKNOWN`` and None where they are
    not known. ``gaps`` is what made cells missing that were there before, or left them missing.
    ``owner`` is the table from which the column was just taken.
    """

    cells: Cells | None = None
    lines: tuple[Origin, ...] = ()
    index: Sequence[object] | None = None
    derived: Origins = NOWHERE
    name: object = field(default=UNKNOWN, kw_only=True)
    index_names: tuple[object, ...] | None = field(default=None, kw_only=True)
    gaps: Origins = field(default=NOWHERE, kw_only=True)
    owner: Frame | None = field(default=None, kw_only=True)

    def forget_contents(self) -> None:
        """Let nothing be known of the cells."""
        self.forget_bounds()
        self.cells = None

    @property
    def labels(self) -> Sequence[object] | None:
        """The labels of the cells, None where they are not known."""
        known = self.cells is not None and self.index is not None
        return self.index if known and len(self.index or ()) == len(self.cells or ()) else None


Bounds = tuple[int | None, int | None]
"""The least and the greatest whole number that a column may hold, both None of other columns."""


class _Columns(dict[object, str | None]):
    """The dtypes of columns by name; of one that is assigned to nothing else is known any longer.

    ``known`` are what is known of the columns by their names.
    """

    def __init__(self, dtypes: dict[object, str | None], *known: dict[object, Any]) -> None:
        super().__init__(dtypes)
        self.known = known

    def __setitem__(self, name: object, dtype: str | None) -> None:
        for of_columns in self.known:
            of_columns.pop(name, None)
        super().__setitem__(name, dtype)


@dataclass(slots=True, eq=False)
class Frame(Table):
    """A table with the cells of its columns, where they are known.

    ``lines``, ``index``, ``derived``, ``gaps`` and ``owner`` are as those of `Series`. ``numbered``
    is the call that gave the rows of data without labels the labels from 0 on. ``bounds`` are those
    of columns whose cells are not known, but that they are some of a column's with these bounds.
    """

    cells: dict[object, Cells] = field(default_factory=dict)
    lines: tuple[Origin, ...] = ()
    index: Sequence[object] = ()
    derived: dict[object, Origins] = field(default_factory=dict)
    gaps: dict[object, Origins] = field(default_factory=dict, kw_only=True)
    owner: Frame | None = field(default=None, kw_only=True)
    numbered: Origins = field(default=NOWHERE, kw_only=True)
    bounds: dict[object, Bounds] = field(default_factory=dict, kw_only=True)

    def __post_init__(self) -> None:
        """Let what is assigned to a column forget its cells."""
        self.set_columns(self.columns)

    def set_columns(self, dtypes: dict[object, str | None]) -> None:
        """Let the table have columns of these dtypes; cells and bounds of their names stay."""
        self.columns = _Columns(dtypes, self.cells, self.bounds)

    @property
    def is_full(self) -> bool:
        """Whether the cells of all columns are known."""
        return bool(self.columns) and len(self.cells) == len(self.columns)


def affords(count: int) -> bool:
    """Take cells from those that may still be looked at; return whether there were so many."""
    comparisons = arrays.COMPARISONS.get()
    if comparisons is None:
        return count <= MOST_CELLS
    if comparisons.cells < count:
        return False
    comparisons.cells -= count
    return True


def table_of(value: Value | None) -> Table | None:
    """Return a value as a table, None where it is none."""
    return value.data if value is not None and isinstance(value.data, Table) else None


def column(table: Table, name: object, *parts: Value) -> Value:
    """Return a column of a table that has it."""
    origins = table.origins_of.get(name, NOWHERE) | merged(*parts)
    dtype = table.columns.get(name)
    cells = table.cells.get(name) if isinstance(table, Frame) else None
    if cells is None or not isinstance(table, Frame):
        made = Series((table.rows,), dtype, "numpy", index=())
        made.name, made.index_names = name, table.index_names
        if isinstance(table, Frame):
            made.gaps = table.gaps.get(name, NOWHERE)
            made.lowest, made.highest = table.bounds.get(name, (None, None))
        return Value(made, origins)
    made = Series((table.rows,), dtype, "numpy", None, *bounds_of(cells), cells, table.lines)
    made.index, made.derived = table.index, table.derived.get(name, NOWHERE)
    made.gaps, made.owner = table.gaps.get(name, NOWHERE), table
    made.name, made.index_names = name, table.index_names
    return Value(made, origins)


OF_UNKNOWN_COLUMNS = "pandas.DataFrame"
"""The name of a library's object that stands for a table of which the columns are not known."""


def unknown_table(
    place: Origin, origins: Origins, rows: Value | None = None, width: Value | None = None
) -> Value:
    """Return a table of which only the given sizes are known; ``place`` is where it is made."""
    state = {
        "rows": Value(UNKNOWN, origins) if rows is None else rows,
        "width": Value(UNKNOWN, origins) if width is None else width,
    }
    return Value(LibraryObject(OF_UNKNOWN_COLUMNS, (), {}, place, state), origins)


def sizes_of_table(value: Value | None) -> tuple[Value, Value] | None:
    """Return the number of rows and of columns of such a table, None of what is none."""
    data = None if value is None else value.data
    if (
        not isinstance(data, LibraryObject)
        or data.name != OF_UNKNOWN_COLUMNS
        or "width" not in data.state
    ):
        return None
    return data.state["rows"], data.state["width"]


def with_other_rows(value: Value, rows: Value) -> Value | None:
    """Return a part of such a table with some of its rows, None of what is none."""
    sizes = sizes_of_table(value)
    if sizes is None or not isinstance(value.data, LibraryObject):
        return None
    return unknown_table(value.data.made, value.origins, rows, sizes[1])


def are_views() -> bool:
    """Whether a column that is taken from a table shows the table's own cells."""
    comparisons = arrays.COMPARISONS.get()
    return comparisons is not None and comparisons.views


def note_part_set(part: Series, place: Origin) -> None:
    """Follow that cells of a column are set (``table[name][rows] = value``)."""
    owner = part.owner
    if owner is None or part.name not in owner.columns:
        return
    if are_views():
        owner.cells.pop(part.name, None)
    else:
        note_kept(owner, [part.name], place)


def note_kept(table: Frame, names: Iterable[object], place: Origin) -> None:
    """Note why cells of a table are missing still after a copy of its columns was changed."""
    for name in names:
        if None in table.cells.get(name, ()):
            table.gaps[name] = frozenset({place})
            why = (
                f"since pandas 3.0 this changes a copy of the column `{str(name)[:_MOST_NAME]}`: "
                "the table keeps the missing cells of its own"
            )
            arrays.note_reason(place, why)


def bounds_of(cells: Sequence[object] | None) -> tuple[int | None, int | None]:
    """Return the least and the greatest of cells that are all whole numbers, None of others."""
    whole = [cell for cell in cells or () if isinstance(cell, int)]
    if not cells or len(whole) != len(cells):
        return None, None
    return min(whole), max(whole)


def part_of(table: Table, names: Sequence[object], rows: Value | None = None) -> Table:
    """Return a table of some of a table's columns.

    Where ``rows`` are told they are some of the table's, no one knows which: of their cells only
    the bounds are known.
    """
    columns = {name: table.columns.get(name) for name in names}
    origins = {name: o for name, o in table.origins_of.items() if name in columns}
    whole = table.rows if rows is None else rows
    made = Table(columns, whole, origins)
    if isinstance(table, Frame):
        bounds = {name: held for name, held in table.bounds.items() if name in columns}
        cells = {name: cells for name, cells in table.cells.items() if name in columns}
        if rows is None:
            derived = dict(table.derived)
            made = Frame(columns, whole, origins, cells, table.lines, table.index, derived)
            made.gaps = dict(table.gaps)
        else:
            made = Frame(columns, whole, origins)
            bounds |= {name: bounds_of(held) for name, held in cells.items()}
        made.bounds.update((n, held) for n, held in bounds.items() if held != (None, None))
    made.index_names, made.removed = table.index_names, dict(table.removed)
    return made


def rows_taken(table: Table, positions: Sequence[int], count: Origins) -> Table:
    """Return a table of the rows at positions; ``count`` are the origins of their number."""
    rows = Value(len(positions), count)
    if not isinstance(table, Frame) or not affords(len(positions) * len(table.cells)):
        return part_of(table, list(table.columns), rows)
    cells = {name: _picked(held, positions) for name, held in table.cells.items()}
    result = Frame(dict(table.columns), rows, dict(table.origins_of), cells)
    result.lines = _picked(table.lines, positions) if table.lines else ()
    result.index = _picked(table.index, positions) if _labelled(table) else ()
    result.derived = dict(table.derived)
    result.index_names = table.index_names
    result.removed, result.gaps = dict(table.removed), dict(table.gaps)
    return result


def _labelled(table: Frame) -> bool:
    return bool(table.index) and len(table.index) == arrays.size(table.rows)


def _picked(items: Sequence[Any], positions: Sequence[int]) -> tuple[Any, ...]:
    return tuple([items[i] for i in positions])


def taken(value: Value, positions: Sequence[int], *parts: Value, at: Origins = NOWHERE) -> Value:
    """Return the cells of a column at positions."""
    data = value.data
    assert isinstance(data, Series) and data.cells is not None
    count = Value(len(positions), merged(*(data.shape or ()), *parts) | at)
    if not affords(len(positions)):
        return Value(Array((count,), data.dtype, "numpy"), merged(value, *parts))
    cells = _picked(data.cells, positions)
    made = Series((count,), data.dtype, "numpy", None, *bounds_of(cells), cells)
    made.lines = _picked(data.lines, positions) if data.lines else ()
    labels = data.labels
    made.index = _picked(labels, positions) if labels is not None else data.index and ()
    made.derived, made.gaps = data.derived, data.gaps
    made.name, made.index_names = data.name, data.index_names
    return Value(made, merged(value, *parts))


def remade(value: Value, cells: Iterable[object], *parts: Value, dtype: str | None = "") -> Value:
    """Return a column with other cells of the same rows, made by the parts besides the column.

    The dtype is that of the cells where none is told.
    """
    data = value.data
    assert isinstance(data, Series)
    held = tuple(cells)
    kind = dtype_of_cells(held) if dtype == "" else dtype
    low, high = bounds_of(held) if kind and "int" in kind else (None, None)
    made = Series(data.shape, kind, "numpy", None, low, high, held, data.lines, data.index)
    made.derived = data.derived | merged(*parts)
    made.name, made.index_names = data.name, data.index_names
    made.gaps = data.gaps if None in held else NOWHERE
    return Value(made, merged(value, *parts))


def dtype_of_cells(cells: Sequence[object]) -> str:
    """Return the dtype that pandas gives to cells."""
    kinds = {type(cell) for cell in cells}
    if kinds == {bool}:
        return "bool"
    if kinds == {int}:
        return "int64"
    return "float64" if kinds and kinds <= {int, float, type(None)} else "object"


def is_cell(value: Value) -> bool:
    """Whether a value can be a cell: plain, or a whole object as a list."""
    return isinstance(value.data, (*_PLAIN_CELLS, *_WHOLE_CELLS)) and type(value) is Value


def as_cell(value: Value) -> object:
    """Return what a column keeps of a value that `is_cell`; a missing number is None."""
    data = value.data
    if isinstance(data, _WHOLE_CELLS):
        return value
    return None if isinstance(data, float) and math.isnan(data) else data


def from_cell(cell: object, origins: Origins) -> Value:
    """Return a cell as a value that comes from a place; a missing one is not a number."""
    if isinstance(cell, Value):
        return Value(cell.data, merged(cell, Value(None, origins)))
    return Value(math.nan if cell is None else cell, origins)


def lacking(table: Table, name: object, key: Value, whole: Value) -> Raised:
    """Return the exception of a column that a table lacks; its header is one of the sides.

    Where a line took the column away, that is the side; where the name is one of all columns that
    another line had listed before, it is that one which did not foresee it.
    """
    gone = table.removed.get(name)
    listed = arrays.listings(key) if gone else []
    if gone and listed:
        later = " and ".join(f"line {line}" for _, line in sorted(gone))
        why = f"the columns are listed here with `{str(name)[:40]}`, which {later} takes away"
        for place in listed:
            arrays.note_reason(place, why)
        return Raised("key", f"{name!r}", Value(key.data, frozenset(listed)), Value(UNKNOWN, gone))
    if gone:
        for place in gone:
            arrays.note_reason(place, f"after this line `{str(name)[:40]}` is no column any more")
        return Raised("key", f"{name!r}", key, Value(UNKNOWN, gone))
    header = merged(whole, *(Value(None, o) for o in list(table.origins_of.values())[:4]))
    raised = Raised("key", f"{name!r}", key, Value(UNKNOWN, header))
    raised.available = {
        str(other_name): table.origins_of.get(other_name, whole.origins)
        for other_name in table.columns
    }
    return raised


def series_of(value: Value | None) -> Series | None:
    """Return a column whose cells are known, None otherwise."""
    data = value.data if value is not None else None
    return data if isinstance(data, Series) and data.cells is not None else None


def labels_of(table: Table) -> Sequence[object] | None:
    """Return the labels of a table's rows, None where they are not known."""
    if not isinstance(table, Frame) or len(table.index) != table.rows.data:
        return None
    return table.index


def as_column(result: Value, like: Value | None) -> Value:
    """Return an array as a column with the rows of another, where it has as many.

    What NumPy's functions and pandas' methods make of a column item by item is a column.
    """
    data, column_of = result.data, None if like is None else like.data
    if not isinstance(column_of, Series) or column_of.index is None:
        return result
    if not isinstance(data, Array) or isinstance(data, Series) or data.library != "numpy":
        return result
    if data.shape is None or len(data.shape) != 1 or column_of.shape is None:
        return result
    if data.shape[0].data != column_of.shape[0].data:
        return result
    made = Series(data.shape, data.dtype, "numpy", None, data.lowest, data.highest)
    made.index = column_of.index
    made.name, made.index_names = column_of.name, column_of.index_names
    return Value(made, result.origins)


def cell_at(value: Value, position: int) -> Value:
    """Return a cell of a column whose cells are known, with the line that it stands on."""
    data = value.data
    assert isinstance(data, Series) and data.cells is not None
    cell = data.cells[position]
    lined = len(data.lines) == len(data.cells)
    origins = frozenset({data.lines[position]}) | data.derived if lined else value.origins
    made = from_cell(cell, origins)
    return NumpyFloat(made.data, made.origins) if type(made.data) is float else made


def cells_of(value: Value) -> list[Value]:
    """Return the cells of a column, each with the line that it stands on."""
    data = series_of(value)
    count = len(data.cells) if data is not None and data.cells is not None else 0
    return [cell_at(value, index) for index in range(count)]


def truths(value: Value | None) -> list[int] | None:
    """Return the positions at which a mask is true, None where it is not known cell by cell."""
    data = series_of(value)
    if data is None or data.cells is None or data.dtype != "bool":
        return None
    if not all(isinstance(cell, bool) for cell in data.cells):
        return None
    return [index for index, cell in enumerate(data.cells) if cell]


def number_in(text: str) -> int | float | None:
    """Return the number that a cell's text is, None where it is none."""
    if len(text) > 40 or "_" in text:
        return None
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return None


def distinct(cells: Sequence[object]) -> list[object]:
    """Return the distinct values that are there, sorted."""
    known = {cell for cell in cells if cell is not None}
    if any(isinstance(cell, Value) for cell in known):
        return list(dict.fromkeys(cell for cell in cells if cell is not None))
    return sorted(known, key=lambda cell: (isinstance(cell, str), cell))


def check_text(table: Table, name: object, dtype: str | None, wanted: Value) -> None:
    """Raise where a text that is no number is to become one."""
    if dtype not in NUMERIC or dtype == "bool" or not isinstance(table, Frame):
        return
    for index, cell in enumerate(table.cells.get(name, ())):
        if isinstance(cell, str) and number_in(cell.strip()) is None:
            place = frozenset(table.lines[index : index + 1])
            message = f"could not convert string to number: {cell[:40]!r}"
            raise Raised("value", message, Value(cell, place), wanted)
        if cell is None and dtype.startswith(("int", "uint")):
            place = frozenset(table.lines[index : index + 1])
            raise Raised(
                "value", WITHOUT_NUMBER, Value(None, table.gaps.get(name) or place), wanted
            )


WITHOUT_NUMBER = "Cannot convert non-finite values (NA or inf) to integer"


def converted(cells: Cells, dtype: str | None) -> Cells | None:
    """Return cells as another dtype has them, None where that is not known."""
    if dtype is None or not affords(len(cells)):
        return None
    if any(isinstance(cell, Value) for cell in cells):
        return None
    if dtype == "object":
        return tuple("nan" if cell is None else str(cell) for cell in cells)
    new_cells: list[object] = []
    for cell in cells:
        number = number_in(cell.strip()) if isinstance(cell, str) else cell
        if isinstance(number, float) and not math.isfinite(number):
            return None
        if dtype == "bool":
            new_cells.append(True if cell is None else bool(cell))
        elif number is None and dtype.startswith("float"):
            new_cells.append(None)
        elif not isinstance(number, (int, float)):
            return None
        elif dtype.startswith("float"):
            new_cells.append(float(number))
        elif "int" in dtype and not (isinstance(cell, str) and isinstance(number, float)):
            new_cells.append(int(number))
        else:
            return None
    return tuple(new_cells)


# Operators, cell by cell.

_COMPARING: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_COMPUTING: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}


def combined(kind: type[ast.AST], a: Value, b: Value) -> Value | None:
    """Return a comparison or an operation of a column and a column or scalar, cell by cell.

    It is None where a cell is not known, where the rows are not the same, or where pandas and NumPy
    would not give what Python does.
    """
    first = a if isinstance(a.data, Series) else b
    data = series_of(first)
    if data is None or data.cells is None or not affords(len(data.cells)):
        return None
    sides = [_operand(a, data), _operand(b, data)]
    left, right = sides
    if left is None or right is None:
        return None
    if any(isinstance(cell, Value) for cell in (*left, *right)):
        return None
    function = _COMPARING.get(kind)
    try:
        if function is not None:
            absent = kind is ast.NotEq
            new_cells = [
                absent if x is None or y is None else bool(function(x, y))
                for x, y in zip(left, right, strict=True)
            ]
            other = b if first is a else a
            return remade(first, new_cells, other, dtype="bool")
        function = _COMPUTING.get(kind)
        if function is None:
            return None
        computed = [_computed(function, x, y) for x, y in zip(left, right, strict=True)]
    except (TypeError, ValueError, ArithmeticError):
        return None
    if any(cell is UNKNOWN for cell in computed):
        return None
    other = b if first is a else a
    return remade(first, computed, other)


def _operand(value: Value, like: Series) -> Sequence[Any] | None:
    """Return the cells of one side of an operation with a column, None where not known."""
    data, count = value.data, len(like.cells or ())
    if isinstance(data, Series):
        if data.cells is None or len(data.cells) != count:
            return None
        own, other = data.labels, like.labels
        aligned = own is other or data.index is None or like.index is None
        if not aligned and (own is None or other is None or list(own) != list(other)):
            return None
        return data.cells
    if isinstance(data, (int, float, str)) and not (isinstance(data, str) and len(data) > 200):
        return [data] * count
    return None


def _computed(function: Callable[[Any, Any], Any], x: Any, y: Any) -> object:
    if x is None or y is None:
        return None
    if isinstance(x, str) != isinstance(y, str):
        return UNKNOWN
    if isinstance(x, str) and (function is not operator.add or len(x) + len(y) > _MOST_TEXT):
        return UNKNOWN
    if isinstance(x, int) and x.bit_length() > _MOST_BITS:
        return UNKNOWN
    if isinstance(y, int) and y.bit_length() > _MOST_BITS:
        return UNKNOWN
    if isinstance(x, bool) and isinstance(y, bool) and function is operator.add:
        return x or y
    return function(x, y)


def inverted(value: Value) -> Value | None:
    """Return ``~mask`` cell by cell, None where that is not known."""
    data = series_of(value)
    if data is None or data.cells is None or not affords(len(data.cells)):
        return None
    if data.dtype != "bool" or not all(isinstance(cell, bool) for cell in data.cells):
        return None
    return remade(value, [not cell for cell in data.cells], dtype="bool")


def negated(value: Value) -> Value | None:
    """Return ``-column`` cell by cell, None where that is not known."""
    data = series_of(value)
    if data is None or data.cells is None or not affords(len(data.cells)):
        return None
    numbers = [cell for cell in data.cells if isinstance(cell, (int, float))]
    if data.dtype == "bool" or len(numbers) != len(data.cells) or bool in map(type, numbers):
        return None
    return remade(value, [-number for number in numbers], dtype=data.dtype)


def subscripted(
    base: Value, part: Value, bounds: tuple[Value | None, ...] | None, place: Origins
) -> Value | None:
    """Return ``column[part]``: by a mask, a slice, positions, or a label; None where not known.

    Raises `Raised` ("key", "index") for a label or position that the column does not have.
    """
    data = series_of(base)
    if data is None or data.cells is None:
        return _by_label(base, part) if bounds is None else None
    count = len(data.cells)
    if bounds is not None:
        numbers = [None if b is None or b.data is None else arrays.size(b) for b in bounds]
        bounds_given = [b for b in bounds if b is not None and b.data is not None]
        if len(bounds_given) != sum(n is not None for n in numbers) or numbers[2] == 0:
            return None
        chosen = range(*slice(*numbers).indices(count))
        if count and not chosen:
            arrays.note_nothing_left(count, bounds_given)
        return taken(base, chosen, *bounds_given)
    mask = truths(part)
    if mask is not None:
        inner = series_of(part)
        if inner is None or len(inner.cells or ()) != count:
            return None
        return taken(base, mask, part, at=place)
    if isinstance(part.data, bool) or not isinstance(part.data, (int, str)):
        return _at_positions(base, data, part)
    labels = data.labels
    if data.index is None:
        number = arrays.size(part)
        if number is None or not -count <= number < count:
            return None
        return _with(cell_at(base, number), part)
    if labels is None:
        return None
    if isinstance(labels, range):
        if not isinstance(part.data, int) or part.data not in labels:
            raise _no_label(base, part)
        return _with(cell_at(base, labels.index(part.data)), part)
    where = [i for i, label in enumerate(labels) if label == part.data]
    if not where:
        raise _no_label(base, part)
    return _with(cell_at(base, where[0]), part) if len(where) == 1 else taken(base, where, part)


def _by_label(base: Value, part: Value) -> Value | None:
    """Return what labels select of a column whose cells are not known, None of other indices."""
    data = base.data
    if not isinstance(data, Series) or data.index is None:
        return None
    if isinstance(part.data, str):
        dtype = None if data.dtype == "object" else data.dtype
        known = dtype is not None
        return Value(Array((), dtype, "numpy") if known else UNKNOWN, merged(base, part))
    items = part.data if isinstance(part.data, list) else ()
    if not items or not all(isinstance(item.data, str) for item in items):
        return None
    labels = tuple(item.data for item in items)
    made = Series((Value(len(labels)),), data.dtype, "numpy", index=labels)
    made.name, made.index_names = data.name, data.index_names
    return Value(made, merged(base, part))


def _no_label(base: Value, part: Value) -> Raised:
    rows = base.data.shape if isinstance(base.data, Array) else None
    return Raised("key", f"{part.data!r}", part, Value(UNKNOWN, merged(base, *(rows or ()))))


def _with(cell: Value, part: Value) -> Value:
    return Value(cell.data, merged(cell, part))


def _at_positions(base: Value, data: Series, part: Value) -> Value | None:
    """Return the cells at positions of an array, None where they are not known."""
    cells: Sequence[object] | None = None
    inner = series_of(part)
    if inner is not None:
        cells = inner.cells
    elif isinstance(part.data, list):
        cells = [item.data for item in part.data if isinstance(item, Value)]
    count = len(data.cells or ())
    if cells is None or (data.index is not None and not _is_default(data)):
        return None
    positions = [cell for cell in cells if type(cell) is int and -count <= cell < count]
    return taken(base, positions, part) if len(positions) == len(cells) else None


def _is_default(data: Series) -> bool:
    return isinstance(data.index, range) and data.index == range(len(data.cells or ()))


# Numbers by chance, as NumPy's ``RandomState`` draws them.


class Draws:
    """The Mersenne Twister as ``numpy.random.RandomState(seed)`` starts and uses it.

    Source: NumPy's reference of legacy random generation, which holds its streams fixed.
    """

    def __init__(self, seed: int) -> None:
        import random

        state = [seed & 0xFFFFFFFF]
        for i in range(1, 624):
            state.append((1812433253 * (state[-1] ^ (state[-1] >> 30)) + i) & 0xFFFFFFFF)
        self._twister = random.Random()
        self._twister.setstate((3, (*state, 624), None))

    def permutation(self, count: int) -> list[int]:
        """Return the numbers from 0 up to a count in the order of ``permutation(count)``."""
        order = list(range(count))
        for i in range(count - 1, 0, -1):
            mask = (1 << i.bit_length()) - 1
            j = self._twister.getrandbits(32) & mask
            while j > i:
                j = self._twister.getrandbits(32) & mask
            order[i], order[j] = order[j], order[i]
        return order
