"""Arrays of two axes whose cells are known: the rows of a table or of a list of lists.

A grid holds its columns as `Series`. What takes rows, columns or cells of it keeps the lines of
data that they stand on; everything else sees an array of its shape, dtype and bounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.table_values import (
    Series,
    affords,
    bounds_of,
    cell_at,
    converted,
    dtype_of_cells,
    remade,
    series_of,
    taken,
    truths,
)
from dl_bug_lsp.interpretation.values import Array, Origin, Raised, Value, merged

MOST_ROWS = 20_000
MOST_COLUMNS = 256
Bounds = tuple[Value | None, ...]


@dataclass(slots=True, eq=False)
class Grid(Array):
    """An array of two axes with its columns; None once a part of it was written to."""

    columns: tuple[Value, ...] | None = field(default=None, kw_only=True)

    def forget_contents(self) -> None:
        """Let nothing be known of the cells."""
        self.forget_bounds()
        self.columns = None


def grid_of(value: Value | None) -> tuple[Value, ...] | None:
    """Return the columns of an array whose cells are known, None of others."""
    data = None if value is None else value.data
    return data.columns if isinstance(data, Grid) else None


def of_columns(
    columns: Sequence[Value], rows: Value, width: Value, dtype: str | None, *parts: Value
) -> Value | None:
    """Return a grid of columns of cells, None where a cell is not known or they are too many."""
    held = [series_of(column) for column in columns]
    count = size(rows)
    if count is None or not 0 < count <= MOST_ROWS or not 0 < len(columns) <= MOST_COLUMNS:
        return None
    if dtype is None or not affords(2 * count * len(columns)):
        return None
    made: list[Value] = []
    for column, data in zip(columns, held, strict=True):
        if data is None or data.cells is None or len(data.cells) != count:
            return None
        cells = data.cells
        if dtype not in ("object", data.dtype):
            cast = converted(cells, dtype)
            if cast is None:
                return None
            cells = cast
        kept = remade(column, cells, dtype=dtype)
        assert isinstance(kept.data, Series)
        kept.data.index = None
        made.append(kept)
    bounds = [bounds_of(series.cells) for series in map(series_of, made) if series is not None]
    known = "int" in dtype and all(low is not None for low, _ in bounds)
    low = min(low for low, _ in bounds if low is not None) if known else None
    high = max(high for _, high in bounds if high is not None) if known else None
    grid = Grid((rows, width), dtype, "numpy", None, low, high, columns=tuple(made))
    return Value(grid, merged(*parts))


def of_rows(rows: Sequence[Value], count: Value, width: Value, *parts: Value) -> Value | None:
    """Return a grid of rows of cells, each with the line of data that it comes from."""
    held = [series_of(row) for row in rows]
    number = size(width)
    if number is None or len(rows) > MOST_ROWS or number > MOST_COLUMNS:
        return None
    known = [data.cells for data in held if data is not None and data.cells is not None]
    if len(known) != len(rows) or any(len(cells) != number for cells in known):
        return None
    dtypes = {data.dtype for data in held if data is not None}
    if len(dtypes) != 1 or not affords(number * len(rows)):
        return None
    lines = [line_of(row) for row in rows]
    lined = tuple(line for line in lines if line is not None)
    columns: list[Value] = []
    for at in range(number):
        cells = tuple(cells[at] for cells in known)
        low_high = bounds_of(cells)
        series = Series((count,), dtype_of_cells(cells), "numpy", None, *low_high, cells)
        series.lines = lined if len(lined) == len(cells) else ()
        columns.append(Value(series, merged(*parts)))
    return of_columns(columns, count, width, dtypes.pop(), *parts)


def line_of(row: Value) -> Origin | None:
    """Return the line of a data file that a row stands on, None where it is not one line."""
    places = [place for place in row.origins if not place[0].endswith((".py", ".ipynb"))]
    return places[0] if len(places) == 1 else None


def row_of(value: Value, position: int) -> Value:
    """Return a row of a grid."""
    columns, data = grid_of(value), value.data
    assert columns is not None and isinstance(data, Grid) and data.shape is not None
    row = _row(columns, data.shape[1], data.dtype, position, value)
    if isinstance(row.data, Array):
        data.share_memory(row.data)
    return row


def _row(
    columns: Sequence[Value], width: Value, dtype: str | None, position: int, whole: Value
) -> Value:
    cells = [cell_at(column, position) for column in columns]
    held = tuple(None if cell.data != cell.data else cell.data for cell in cells)
    bounds = bounds_of(held) if "int" in (dtype or "") else (None, None)
    series = Series((width,), dtype, "numpy", None, *bounds, held)
    lined = [data.lines[position] for data in map(series_of, columns) if data and data.lines]
    if len(lined) == len(cells):
        series.lines = tuple(lined)
    # A row comes from its own line, not from those of all others.
    return Value(series, merged(*cells) if lined else merged(whole, *cells))


def rows_of(value: Value) -> list[Value] | None:
    """Return all rows of a grid, None where its cells are not known or too many."""
    columns, data = grid_of(value), value.data
    if columns is None or not isinstance(data, Grid) or not data.shape:
        return None
    count = size(data.shape[0])
    if count is None or not affords(count * len(columns)):
        return None
    return [row_of(value, position) for position in range(count)]


def subscripted(
    base: Value, parts: Sequence[Value], slices: Sequence[Bounds | None]
) -> Value | None:
    """Return what one or two indices select of a grid, None where that is not known."""
    columns, data = grid_of(base), base.data
    if columns is None or not isinstance(data, Grid) or not data.shape or len(parts) > 2:
        return None
    if any(part.data is None or part.data is ... for part, s in zip(parts, slices, strict=True)
           if s is None):  # fmt: skip
        return None
    rows = _selected(parts[0], slices[0], size(data.shape[0]), data.shape[0])
    wide = (None, None, None)
    of_columns_ = (Value(None), wide) if len(parts) == 1 else (parts[1], slices[1])
    chosen = _selected(*of_columns_, len(columns), data.shape[1])
    if rows is None or chosen is None:
        return None
    several = [where for where in (rows, chosen) if isinstance(where, list)]
    if len(parts) == 2 and slices[0] is None and slices[1] is None and len(several) == 2:
        return None
    if isinstance(chosen, int):
        if isinstance(rows, int):
            return cell_at(columns[chosen], rows)
        return columns[chosen] if rows is ALL else taken(columns[chosen], rows, parts[0])
    order = range(len(columns)) if chosen is ALL else chosen
    kept = [columns[at] for at in order]
    width = data.shape[1] if chosen is ALL else Value(len(kept), merged(data.shape[1], parts[-1]))
    if isinstance(rows, int):
        return _row(kept, width, data.dtype, rows, base)
    count = data.shape[0]
    if rows is not ALL:
        kept = [taken(column, rows, parts[0]) for column in kept]
        count = Value(len(rows), merged(data.shape[0], parts[0]))
    return of_columns(kept, count, width, data.dtype, base, parts[0])


ALL = range(0)
"""Stands for all rows or columns."""


def _selected(
    part: Value, bounds: Bounds | None, count: int | None, length: Value
) -> Sequence[int] | int | None:
    """Return the positions that an index of one axis selects, a number for a single one."""
    if count is None:
        return None
    if bounds is not None:
        if all(bound is None or bound.data is None for bound in bounds):
            return ALL
        numbers = [None if b is None or b.data is None else size(b) for b in bounds]
        given = [b for b in bounds if b is not None and b.data is not None]
        if len(given) != sum(number is not None for number in numbers) or numbers[2] == 0:
            return None
        return list(range(*slice(*numbers).indices(count)))
    mask = truths(part)
    if mask is not None:
        held = series_of(part)
        return mask if held is not None and len(held.cells or ()) == count else None
    number = size(part)
    if number is not None:
        if not -count <= number < count:
            raise Raised("index", "index is out of bounds for axis", part, length)
        return number % count
    items: Sequence[object] | None = None
    listed = series_of(part)
    if listed is not None:
        items = listed.cells
    elif isinstance(part.data, list):
        items = [item.data for item in part.data]
    positions = [n % count for n in items or () if type(n) is int and -count <= n < count]
    return positions if items is not None and len(positions) == len(items) else None


def flattened(value: Value) -> Value | None:
    """Return the cells of a grid row by row as one axis, None where they are not known."""
    rows = rows_of(value)
    if rows is None or not isinstance(value.data, Grid):
        return None
    held = [series for series in map(series_of, rows) if series is not None]
    cells = tuple(cell for series in held for cell in series.cells or ())
    lines = tuple(line for series in held for line in series.lines)
    count = arrays.product(list(value.data.shape or ()))
    bounds = (value.data.lowest, value.data.highest)
    made = Series((count,), value.data.dtype, "numpy", None, *bounds, cells)
    made.lines = lines if len(lines) == len(cells) else ()
    return Value(made, value.origins)


def below_each_other(parts: Sequence[Grid], shape: Sequence[Value], dtype: str) -> Grid | None:
    """Return the rows of several grids as one, None where a cell is not known."""
    widths = {len(part.columns or ()) for part in parts}
    if len(widths) != 1 or any(part.columns is None for part in parts) or len(shape) != 2:
        return None
    columns: list[Value] = []
    for at in range(widths.pop()):
        own = [part.columns[at] for part in parts if part.columns is not None]
        held = [series for series in map(series_of, own) if series is not None]
        cells = tuple(cell for series in held for cell in series.cells or ())
        lines = tuple(line for series in held for line in series.lines)
        made = Series((shape[0],), dtype_of_cells(cells), "numpy", None, *bounds_of(cells), cells)
        made.lines = lines if len(lines) == len(cells) else ()
        columns.append(Value(made, merged(*own)))
    whole = of_columns(columns, shape[0], shape[1], dtype)
    return whole.data if whole is not None and isinstance(whole.data, Grid) else None
