"""Tables and columns whose cells are known: what a data file holds, value by value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from dl_bug_lsp.interpretation.values import (
    NOWHERE,
    UNKNOWN,
    Array,
    Origin,
    Raised,
    Table,
    Value,
    merged,
)

NUMERIC = ("int64", "float64", "int32", "float32", "bool", "uint8", "int8", "float16", "int16")
MOST_CELLS = 400_000


@dataclass(slots=True, eq=False)
class Series(Array):
    """A column with its cells, where they are known: text or numbers, None for a missing one."""

    cells: tuple[object, ...] | None = None
    lines: tuple[Origin, ...] = ()


class _Columns(dict[object, str | None]):
    """The dtypes of columns by name; of one that is assigned to the cells are no longer known."""

    def __init__(
        self, dtypes: dict[object, str | None], cells: dict[object, tuple[object, ...]]
    ) -> None:
        super().__init__(dtypes)
        self.cells = cells

    def __setitem__(self, name: object, dtype: str | None) -> None:
        self.cells.pop(name, None)
        super().__setitem__(name, dtype)


@dataclass(slots=True, eq=False)
class Frame(Table):
    """A table with the cells of its columns, where they are known."""

    cells: dict[object, tuple[object, ...]] = field(default_factory=dict)
    lines: tuple[Origin, ...] = ()

    def __post_init__(self) -> None:
        """Let what is assigned to a column forget its cells."""
        self.columns = _Columns(self.columns, self.cells)


def table_of(value: Value | None) -> Table | None:
    """Return a value as a table, None where it is none."""
    return value.data if value is not None and isinstance(value.data, Table) else None


def column(table: Table, name: object, *parts: Value) -> Value:
    """Return a column of a table that has it."""
    origins = table.origins_of.get(name, NOWHERE) | merged(*parts)
    cells = table.cells.get(name) if isinstance(table, Frame) else None
    lines = table.lines if isinstance(table, Frame) else ()
    low, high = bounds_of(cells)
    dtype = table.columns.get(name)
    made = Series((table.rows,), dtype, "numpy", None, low, high, cells, lines if cells else ())
    return Value(made, origins)


def bounds_of(cells: Sequence[object] | None) -> tuple[int | None, int | None]:
    """Return the least and the greatest of cells that are all whole numbers, None of others."""
    whole = [cell for cell in cells or () if isinstance(cell, int)]
    if not cells or len(whole) != len(cells):
        return None, None
    return min(whole), max(whole)


def part_of(table: Table, names: Sequence[object], rows: Value | None = None) -> Table:
    """Return a table of some of a table's columns; other rows have no known cells."""
    columns = {name: table.columns.get(name) for name in names}
    origins = {name: o for name, o in table.origins_of.items() if name in columns}
    if rows is not None or not isinstance(table, Frame):
        return Table(columns, table.rows if rows is None else rows, origins)
    cells = {name: cells for name, cells in table.cells.items() if name in columns}
    return Frame(columns, table.rows, origins, cells, table.lines)


def lacking(table: Table, name: object, key: Value, whole: Value) -> Raised:
    """Return the exception of a column that a table lacks; its header is one of the sides."""
    header = merged(whole, *(Value(None, o) for o in list(table.origins_of.values())[:4]))
    return Raised("key", f"{name!r}", key, Value(UNKNOWN, header))


def series_of(value: Value | None) -> Series | None:
    """Return a column whose cells are known, None otherwise."""
    data = value.data if value is not None else None
    return data if isinstance(data, Series) and data.cells is not None else None


def cells_of(value: Value) -> list[Value]:
    """Return the cells of a column, each with the line that it stands on."""
    data = series_of(value)
    if data is None or data.cells is None:
        return []
    lines = data.lines if len(data.lines) == len(data.cells) else None
    return [
        Value(
            float("nan") if cell is None else cell,
            value.origins if lines is None else frozenset({lines[index]}),
        )
        for index, cell in enumerate(data.cells)
    ]


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
    found = {cell for cell in cells if cell is not None}
    return sorted(found, key=lambda cell: (isinstance(cell, str), cell))


def check_text(table: Table, name: object, dtype: str | None, wanted: Value) -> None:
    """Raise where a text that is no number is to become one."""
    if dtype not in NUMERIC or dtype == "bool" or not isinstance(table, Frame):
        return
    for index, cell in enumerate(table.cells.get(name, ())):
        if isinstance(cell, str) and number_in(cell.strip()) is None:
            place = frozenset(table.lines[index : index + 1])
            what = f"could not convert string to number: {cell[:40]!r}"
            raise Raised("value", what, Value(cell, place), wanted)
        if cell is None and dtype.startswith(("int", "uint")):
            place = frozenset(table.lines[index : index + 1])
            what = "Cannot convert non-finite values (NA or inf) to integer"
            raise Raised("value", what, Value(None, place), wanted)
