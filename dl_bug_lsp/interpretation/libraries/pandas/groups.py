"""Models of pandas: tables joined, grouped, and summed up.

Source: the pandas 2.2 reference.
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.libraries.numpy.functions import dtype_name, together
from dl_bug_lsp.interpretation.libraries.pandas.columns import counted, labelled
from dl_bug_lsp.interpretation.libraries.pandas.tables import note_removed, placed, set_column
from dl_bug_lsp.interpretation.model_helpers import MOST_ITEMS, is_true, listed, state_of
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.table_values import (
    Frame,
    Series,
    affords,
    column,
    distinct,
    dtype_of_cells,
    labels_of,
    lacking,
    part_of,
    remade,
    rows_taken,
    table_of,
)
from dl_bug_lsp.interpretation.values import (
    NOWHERE,
    UNKNOWN,
    BoundMethod,
    FunctionValue,
    Lazy,
    LibraryObject,
    Origins,
    Raised,
    Table,
    Value,
    merged,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter


@MODELS.function("pandas.get_dummies")
def _get_dummies(interpreter: Interpreter, call: Call) -> Value:
    """Make a column of each value of the columns of text, where the cells are known."""
    given, asked = call.given(0, "data"), call.keywords.get("columns")
    first = is_true(call.keywords.get("drop_first"))
    if given is None:
        return call.unknown()
    wanted = None if asked is None else listed(interpreter, asked)
    dtype = dtype_name(call.keywords["dtype"]) if "dtype" in call.keywords else "bool"
    if isinstance(given.data, Series) and given.data.cells is not None and given.data.shape:
        values = distinct(given.data.cells)[int(first) :]
        prefix, mark = call.given(1, "prefix"), call.keywords.get("prefix_sep") or Value("_")
        if prefix is not None and prefix.data is not None:
            if not isinstance(prefix.data, str) or not isinstance(mark.data, str):
                return unknown(given)
            values = [f"{prefix.data}{mark.data}{value}" for value in values]
        columns: dict[object, str | None] = dict.fromkeys(values, dtype)
        dummies = Frame(columns, given.data.shape[0])
        dummies.index = given.data.labels or ()
        return Value(dummies, given.origins)
    table = table_of(given)
    if not isinstance(table, Frame) or (asked is not None and wanted is None):
        return unknown(given)
    names = (
        [name for name, d in table.columns.items() if d == "object"]
        if wanted is None
        else [name.data for name in wanted]
    )
    for name, key in zip(names, wanted or [Value(n) for n in names], strict=True):
        if name not in table.columns:
            raise lacking(table, name, key, given)
        if name not in table.cells:
            return unknown(given)
    if "prefix" in call.keywords or "dummy_na" in call.keywords:
        return unknown(given)
    columns = {name: d for name, d in table.columns.items() if name not in names}
    result = part_of(table, list(columns))
    assert isinstance(result, Frame)
    for name in names:
        values = distinct(table.cells[name])[int(first) :]
        afforded = affords(len(values) * len(table.cells[name]))
        for value in values:
            made = f"{name}_{value}"
            columns[made] = dtype
            result.columns[made] = dtype
            result.origins_of[made] = table.origins_of.get(name, NOWHERE)
            result.derived[made] = frozenset({call.place})
            if afforded and dtype is not None:
                hits = [cell == value for cell in table.cells[name]]
                is_bool = dtype == "bool"
                result.cells[made] = tuple(hits if is_bool else [int(hit) for hit in hits])
    return Value(result, given.origins)


@MODELS.function("pandas.concat")
def _concat(interpreter: Interpreter, call: Call) -> Value:
    parts, axis = listed(interpreter, call.given(0, "objs")), call.given(1, "axis")
    across = axis is not None and axis.data in (1, "columns")
    objects = call.given(0, "objs")
    if objects is not None and isinstance(objects.data, (list, tuple)) and not objects.data:
        raise Raised("value", "No objects to concatenate", objects)
    tables = [_table_of_column(part) if across else table_of(part) for part in parts or ()]
    known = [table for table in tables if table is not None]
    if not known or len(known) != len(tables) or parts is None:
        return call.unknown()
    if across:
        rows = known[0].rows
        same = all(table.rows.data == rows.data for table in known[1:])
        columns = {n: d for table in known for n, d in table.columns.items()}
        if len(columns) != sum(len(table.columns) for table in known):
            return call.unknown()
        origins = {n: o for table in known for n, o in table.origins_of.items()}
        length = rows if same else Value(UNKNOWN, merged(*(t.rows for t in known)))
        result = Frame(columns, length, origins)
        frames = [t for t in known if isinstance(t, Frame)]
        if len(frames) == len(known):
            labels = frames[0].index
            alike = all(t.index is labels or list(t.index) == list(labels) for t in frames[1:])
            if same and alike:
                result.index, result.lines = labels, frames[0].lines
                for frame in frames:
                    result.cells.update(frame.cells)
                    result.derived.update(frame.derived)
            elif not alike:
                _by_labels(result, frames, call)
        return Value(result, merged(*parts))
    sizes = [size(table.rows) for table in known]
    total = UNKNOWN if None in sizes else sum(n for n in sizes if n is not None)
    names = list(dict.fromkeys(n for table in known for n in table.columns))
    columns = {}
    for name in names:
        own = [t.columns[name] for t in known if name in t.columns]
        dtype = own[0] if len(set(own)) == 1 else together(own)
        lacks = len(own) != len(known)
        columns[name] = None if lacks and dtype in ("int64", "bool") else dtype
    origins = {n: o for t in known for n, o in t.origins_of.items()}
    length = Value(total, merged(*(t.rows for t in known)))
    frames = [table for table in known if isinstance(table, Frame)]
    if len(frames) == len(known) and isinstance(total, int) and affords(total * len(names)):
        numbered = is_true(call.keywords.get("ignore_index"))
        return Value(_below_each_other(frames, columns, length, origins, numbered), merged(*parts))
    return Value(Table(columns, length, origins), merged(*parts))


def _table_of_column(part: Value) -> Table | None:
    """Return a table as it is, and a named column with labels as a table."""
    data = part.data
    if not isinstance(data, Series) or data.index is None or not data.shape:
        return table_of(part)
    if not isinstance(data.name, str):
        return None
    made = Frame({data.name: data.dtype}, data.shape[0], {data.name: part.origins})
    if data.cells is not None:
        made.cells[data.name] = data.cells
        made.derived[data.name] = data.derived
    made.index, made.lines = data.index, data.lines
    return made


def _by_labels(result: Frame, frames: Sequence[Frame], call: Call) -> None:
    """Put tables side by side whose rows have other labels: each label of one of them is a row."""
    held = [labels_of(frame) for frame in frames]
    known = [labels for labels in held if labels is not None]
    result.rows = Value(UNKNOWN, merged(*(frame.rows for frame in frames)))
    if len(known) != len(frames) or not affords(sum(map(len, known))):
        return
    where = [{label: i for i, label in enumerate(labels)} for labels in known]
    if any(len(at) != len(labels) for at, labels in zip(where, known, strict=True)):
        return
    union = list(dict.fromkeys(label for labels in known for label in labels))
    how = call.keywords.get("join")
    if how is not None and how.data == "inner":
        union = [label for label in union if all(label in at for at in where)]
    numbered = frozenset().union(*(frame.numbered for frame in frames))
    others = merged(*(frame.rows for frame in frames))
    result.rows = Value(len(union), others | numbered | {call.place})
    result.index = tuple(union)
    counts = " and ".join(str(len(labels)) for labels in known[:2])
    why = f"the rows are put together by their labels: {counts} rows give {len(union)}"
    arrays.note_reason(call.place, why)
    for place in numbered:
        why = f"the rows get new labels from 0 on here, by which {counts} rows give {len(union)}"
        arrays.note_reason(place, why)
    if not affords(len(union) * len(result.columns)):
        return
    for frame, at in zip(frames, where, strict=True):
        rows = [at.get(label) for label in union]
        if None in rows:
            result.gaps.update(dict.fromkeys(frame.columns, numbered | {call.place}))
        for name, cells in frame.cells.items():
            found = [None if row is None else cells[row] for row in rows]
            result.columns[name] = dtype_of_cells(found)
            if result.columns[name] == "float64":
                found = [float(cell) if isinstance(cell, int) else cell for cell in found]
            result.cells[name] = tuple(found)


def _below_each_other(
    frames: Sequence[Frame],
    columns: dict[object, str | None],
    rows: Value,
    origins: dict[object, Origins],
    numbered: bool,
) -> Frame:
    result = Frame(columns, rows, origins)
    for name in columns:
        own: list[object] = []
        for frame in frames:
            absent = () if name in frame.columns else (None,) * (size(frame.rows) or 0)
            own.extend(frame.cells.get(name, absent))
        if len(own) == size(rows):
            result.cells[name] = tuple(own)
            derived = [frame.derived.get(name, NOWHERE) for frame in frames]
            result.derived[name] = frozenset().union(*derived)
    if all(len(frame.lines) == size(frame.rows) for frame in frames):
        result.lines = tuple(line for frame in frames for line in frame.lines)
    result.index = tuple(label for frame in frames for label in frame.index)
    if numbered:
        result.index = range(size(rows) or 0)
    return result


@MODELS.function("pandas.merge")
@MODELS.method("table", "merge", "join")
def _merge(interpreter: Interpreter, call: Call) -> Value:
    given = ([call.receiver] if call.receiver is not None else []) + list(call.args)
    if not given and "left" in call.keywords:
        others = {name: value for name, value in call.keywords.items() if name != "left"}
        given = [call.keywords["left"]]
        call = Call(call.name, tuple(given), others, call.place)
    left, right = table_of(given[0] if given else None), table_of(given[1] if given[1:] else None)
    right_value = call.keywords.get("right")
    if right is None and right_value is not None:
        right = table_of(right_value)
    if left is None or right is None or call.name.endswith("join"):
        return call.unknown()
    call = _by_name(call, 2)
    keys = call.keywords.get("on")
    names = _keys(interpreter, keys)
    for name in names or ():
        for table in (left, right):
            if isinstance(name.data, str) and name.data not in table.columns:
                raise lacking(table, name.data, name, given[0])
    on = {name.data for name in names} if names else None
    shared = left.columns.keys() & right.columns.keys()
    if on is None:
        on = shared
    if "left_on" in call.keywords and "right_on" in call.keywords:
        return _joined_by_other_names(interpreter, call, left, right)
    if not on or {"left_on", "right_on", "left_index"} & call.keywords.keys():
        return call.unknown()
    both = shared - on
    if both:
        suffixes = _suffixes(call)
        if suffixes is None:
            return call.unknown()
        left, right = (
            _suffixed(table, both, suffix)
            for table, suffix in zip((left, right), suffixes, strict=True)
        )
    inner = call.keywords.get("how") is None or call.keywords["how"].data == "inner"
    columns = {
        **left.columns,
        **{n: d if inner else None for n, d in right.columns.items() if n not in on},
    }
    origins = {**right.origins_of, **left.origins_of}
    count = merged(left.rows, right.rows, *([keys] if keys is not None else [])) | {call.place}
    pairs = _matched(left, right, list(on), call)
    count |= _repeated(left, right, list(on), pairs, call)
    if pairs is not None and [i for i, _ in pairs] == list(range(size(left.rows) or 0)):
        # Each row is there once as before: the other table does not decide how many there are.
        count = left.rows.origins
    if pairs is None or not isinstance(left, Frame) or not isinstance(right, Frame):
        return Value(Table(columns, Value(UNKNOWN, count), origins), merged(*given))
    taken_of = {name: tuple(cells[i] for i, _ in pairs) for name, cells in left.cells.items()}
    for other, cells in right.cells.items():
        if other not in on:
            found = [None if j is None else cells[j] for _, j in pairs]
            columns[other] = dtype_of_cells(found)
            if columns[other] == "float64":
                found = [float(c) if isinstance(c, int) else c for c in found]
            taken_of[other] = tuple(found)
    result = Frame(columns, Value(len(pairs), count), origins, taken_of)
    lost = _unmatched(left, list(on), pairs, call)
    if lost:
        result.gaps = {name: lost for name in taken_of if None in taken_of[name]}
    result.lines = tuple(left.lines[i] for i, _ in pairs) if left.lines else ()
    result.derived = {**right.derived, **left.derived}
    result.index = range(len(pairs))
    return Value(result, merged(*given))


def _suffixes(call: Call) -> tuple[str, str] | None:
    """Return what names of columns that both tables have end in after a join."""
    given = call.keywords.get("suffixes")
    items = ("_x", "_y") if given is None else given.data
    if not isinstance(items, (list, tuple)) or len(items) != 2:
        return None
    suffixes = [item.data if isinstance(item, Value) else item for item in items]
    first, second = ["" if item is None else item for item in suffixes]
    return (first, second) if isinstance(first, str) and isinstance(second, str) else None


def _suffixed(table: Table, names: Collection[object], suffix: str) -> Table:
    """Return a table of which some columns have a longer name."""

    def new(name: object) -> object:
        return f"{name}{suffix}" if name in names else name

    columns = {new(name): dtype for name, dtype in table.columns.items()}
    origins = {new(name): origins_of_column for name, origins_of_column in table.origins_of.items()}
    if not isinstance(table, Frame):
        return Table(columns, table.rows, origins)
    made = Frame(columns, table.rows, origins)
    made.cells = {new(name): cells for name, cells in table.cells.items()}
    made.derived = {
        new(name): origins_of_column for name, origins_of_column in table.derived.items()
    }
    made.lines, made.index = table.lines, table.index
    return made


MERGING = ("how", "on", "left_on", "right_on")
"""The arguments of ``merge`` after the tables."""


def _by_name(call: Call, tables: int) -> Call:
    """Return a call of ``merge`` with what follows its tables by name."""
    first = tables if call.receiver is None else 1
    named = dict(zip(MERGING, call.args[first:], strict=False))
    keywords = {**named, **call.keywords}
    return Call(call.name, call.args[:first], keywords, call.place, call.receiver)


def _keys(interpreter: Interpreter, keys: Value | None) -> list[Value] | None:
    """Return the names of columns that tables are joined by, None where they are not known."""
    if keys is None:
        return None
    return [keys] if isinstance(keys.data, str) else listed(interpreter, keys)


def _joined_by_other_names(
    interpreter: Interpreter, call: Call, left: Table, right: Table
) -> Value:
    """Return two tables joined by columns that have another name in each."""
    keys = [_keys(interpreter, call.keywords[side]) for side in ("left_on", "right_on")]
    for table, names in zip((left, right), keys, strict=True):
        for name in names or ():
            if isinstance(name.data, str) and name.data not in table.columns:
                raise lacking(table, name.data, name, *call.args[:1])
    mine, theirs = ([name.data for name in names or ()] for names in keys)
    both = left.columns.keys() & right.columns.keys()
    if not mine or len(mine) != len(theirs) or both:
        return call.unknown()
    columns = {**left.columns, **dict.fromkeys(right.columns)}
    count = merged(left.rows, right.rows, *call.keywords.values()) | {call.place}
    rows: object = UNKNOWN
    renamed = dict(zip(theirs, mine, strict=True))
    if isinstance(left, Frame) and isinstance(right, Frame):
        cells = {renamed[n]: c for n, c in right.cells.items() if n in renamed}
        alike = Frame(dict.fromkeys(cells), right.rows, {}, cells)
        alike.lines = right.lines
        kept = {n: v for n, v in call.keywords.items() if n not in ("left_on", "right_on")}
        pairs = _matched(left, alike, mine, Call(call.name, (), kept, call.place))
        count |= _repeated(left, alike, mine, pairs, call)
        rows = UNKNOWN if pairs is None else len(pairs)
    origins = {**right.origins_of, **left.origins_of}
    return Value(Table(columns, Value(rows, count), origins), merged(*call.args))


FEW_REPEATED = 0.1
"""The share of a table's rows up to which those with a key that it has already are mistakes."""


def _repeated(
    left: Table,
    right: Table,
    on: Sequence[object],
    pairs: Sequence[tuple[int, int | None]] | None,
    call: Call,
) -> Origins:
    """Return the lines of the few rows of a joined table whose key it has already.

    They multiply the rows of the other table; where the number of rows fails, they or the join
    without a check of them are the cause.
    """
    if pairs is None or not isinstance(left, Frame) or not isinstance(right, Frame):
        return NOWHERE
    used = {j for _, j in pairs}
    first: dict[object, int] = {}
    rows: list[tuple[int, tuple[object, ...]]] = []
    for index, key in enumerate(zip(*(right.cells[name] for name in on), strict=True)):
        if first.setdefault(key, index) != index and index in used:
            rows.append((index, key))
    total = len(right.cells[on[0]])
    if not rows or len(rows) > max(1, total * FEW_REPEATED):
        return NOWHERE
    why = (
        f"the join gives {len(pairs)} rows for {len(left.cells[on[0]])}: the table that is joined "
        f"has the key `{_shown(rows[0][1])}` more than once"
    )
    arrays.note_reason(call.place, why)
    lines = [right.lines[index] for index, _ in rows if index < len(right.lines)]
    if len(lines) != len(rows) or len(lines) > FEW_ROWS:
        return NOWHERE
    for line, (_, key) in zip(lines, rows, strict=True):
        why = f"the key `{_shown(key)}` stands here again, so that a join multiplies rows"
        arrays.note_reason(line, why)
    return frozenset(lines)


def _shown(key: tuple[object, ...]) -> str:
    return ", ".join(str(part) for part in key)[:MOST_SHOWN]


FEW_ROWS = 2
"""Rows without a match that are rather wrong themselves than the other table."""


def _unmatched(
    left: Frame, on: Sequence[object], pairs: Sequence[tuple[int, int | None]], call: Call
) -> Origins:
    """Return what leaves cells of a left join empty: a few rows, or that the tables are joined."""
    rows = [i for i, j in pairs if j is None]
    lines = [left.lines[i] for i in rows if i < len(left.lines)]
    if not rows:
        return NOWHERE
    if len(lines) == len(rows) <= FEW_ROWS:
        for line, row in zip(lines, rows, strict=True):
            key = str(left.cells[on[0]][row])[:MOST_SHOWN]
            arrays.note_reason(line, f"the table that is joined has no row of `{key}`")
        return frozenset(lines)
    return frozenset({call.place})


MOST_SHOWN = 40


def _matched(
    left: Table, right: Table, on: Sequence[object], call: Call
) -> list[tuple[int, int | None]] | None:
    """Return the pairs of rows that an inner or left join gives, None where not known."""
    how = call.keywords.get("how")
    kind = "inner" if how is None else how.data
    if not isinstance(left, Frame) or not isinstance(right, Frame):
        return None
    known = {"how", "on", "right", "suffixes"}
    if kind not in ("inner", "left") or call.keywords.keys() - known:
        return None
    if any(name not in left.cells or name not in right.cells for name in on):
        return None
    mine = list(zip(*(left.cells[name] for name in on), strict=True))
    others = list(zip(*(right.cells[name] for name in on), strict=True))
    if not affords(len(mine) + len(others)):
        return None
    where: dict[object, list[int]] = {}
    for index, key in enumerate(others):
        where.setdefault(key, []).append(index)
    pairs: list[tuple[int, int | None]] = []
    for index, key in enumerate(mine):
        matches: Sequence[int | None] = where.get(key, [None] if kind == "left" else [])
        pairs.extend((index, match) for match in matches)
        if len(pairs) > MOST_ITEMS:
            return None
    return pairs if affords(len(pairs) * len(left.columns)) else None


_REDUCTIONS: dict[str, Callable[[list[float]], float]] = {
    "mean": statistics.fmean,
    "median": statistics.median,
    "sum": sum,
    "min": min,
    "max": max,
    "std": statistics.stdev,
    "var": statistics.variance,
}


def reduced(name: str, cells: Sequence[object]) -> object:
    """Return what a method of columns gives for cells; UNKNOWN where it is not known."""
    present = [cell for cell in cells if cell is not None]
    if name in ("count", "size"):
        return len(present) if name == "count" else len(cells)
    if name == "nunique":
        return len(set(present))
    if name in ("first", "last"):
        return UNKNOWN if not present else present[0 if name == "first" else -1]
    numbers = [cell for cell in present if isinstance(cell, (int, float))]
    texts = [cell for cell in present if isinstance(cell, str)]
    if name in ("min", "max") and texts and len(texts) == len(present):
        return min(texts) if name == "min" else max(texts)
    if len(numbers) != len(present) or name not in _REDUCTIONS:
        return UNKNOWN
    if not numbers:
        return 0 if name == "sum" else None
    if len(numbers) < 2 and name in ("std", "var"):
        return None
    try:
        return _REDUCTIONS[name](numbers)
    except (ArithmeticError, ValueError):
        return UNKNOWN


@MODELS.method("table", "nunique", "count", *_REDUCTIONS)
def _reduce_columns(interpreter: Interpreter, call: Call) -> Value:
    """Reduce each column to one value; text has no mean."""
    del interpreter
    table = table_of(call.receiver)
    if table is None or call.receiver is None:
        return call.unknown()
    axis, only = call.given(0, "axis"), call.keywords.get("numeric_only")
    if axis is not None and axis.data not in (0, "index", "rows"):
        return call.unknown()
    names = list(table.columns)
    if is_true(only):
        names = [name for name in names if table.columns[name] != "object"]
    if call.name in ("mean", "median", "std", "var"):
        for name in names:
            texts = table.cells.get(name, ()) if isinstance(table, Frame) else ()
            if table.columns[name] == "object" and any(isinstance(cell, str) for cell in texts):
                side = Value(UNKNOWN, table.origins_of.get(name, NOWHERE))
                raise Raised("type", f"Cannot perform reduction '{call.name}'", side)
    if not isinstance(table, Frame) or any(name not in table.cells for name in names):
        return unknown(call.receiver)
    if not affords(sum(len(table.cells[name]) for name in names)):
        return unknown(call.receiver)
    cells = [reduced(call.name, table.cells[name]) for name in names]
    if any(cell is UNKNOWN for cell in cells):
        return unknown(call.receiver)
    made = labelled(names, cells, call, call.receiver)
    kinds = {table.columns[name] for name in names}
    if kinds == {"float32"} and call.name not in ("nunique", "count"):
        assert isinstance(made.data, Series)
        made.data.dtype = "float32"
    return made


@MODELS.method("table", "isna", "isnull", "notna", "notnull")
def _missing(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    table = table_of(call.receiver)
    if table is None or call.receiver is None:
        return call.unknown()
    result = part_of(table, list(table.columns))
    absent = call.name in ("isna", "isnull")
    for name in table.columns:
        held = result.cells.get(name) if isinstance(result, Frame) else None
        result.columns[name] = "bool"
        if held is not None and isinstance(result, Frame) and affords(len(held)):
            result.cells[name] = tuple((cell is None) is absent for cell in held)
    return Value(result, call.receiver.origins)


@MODELS.method("table", "assign")
def _assign(interpreter: Interpreter, call: Call) -> Value:
    table = table_of(call.receiver)
    if table is None or call.receiver is None:
        return call.unknown()
    result = Value(part_of(table, list(table.columns)), call.receiver.origins)
    for name, value in call.keywords.items():
        if isinstance(value.data, (FunctionValue, BoundMethod)):
            value = interpreter.call(value, (result,), {}, call.place)
        assert isinstance(result.data, Table)
        set_column(result.data, name, value)
    return result


@MODELS.method("table", "eval")
def _evaluated(_: Interpreter, call: Call) -> Value:
    """Add the columns that the lines of an expression assign (pandas, "DataFrame.eval")."""
    table, text = table_of(call.receiver), call.given(0, "expr")
    if table is None or call.receiver is None or text is None or not isinstance(text.data, str):
        return call.unknown()
    names = [match[1] for match in map(ASSIGNED.match, text.data.splitlines()) if match]
    if not names:
        return call.unknown()
    result = part_of(table, list(table.columns))
    for name in names:
        set_column(result, name, call.unknown())
    return placed(call, result)


ASSIGNED = re.compile(r"\s*(\w+)\s*=(?!=)")


@MODELS.method("table", "set_index")
def _set_index(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    table, key = table_of(call.receiver), call.given(0, "keys")
    if table is None or call.receiver is None or key is None:
        return call.unknown()
    if isinstance(key.data, list) and all(isinstance(item.data, str) for item in key.data):
        levels = [item.data for item in key.data]
        for item in key.data:
            if item.data not in table.columns:
                raise lacking(table, item.data, item, call.receiver)
        result = part_of(table, [name for name in table.columns if name not in levels])
        result.index_names = tuple(levels)
        note_removed(result, levels, call.place)
        if isinstance(result, Frame):
            result.index = ()
        return placed(call, result)
    if not isinstance(key.data, str):
        return unknown(call.receiver)
    if key.data not in table.columns:
        raise lacking(table, key.data, key, call.receiver)
    keeps = call.keywords.get("drop")
    kept = keeps is not None and keeps.data is False
    names = [name for name in table.columns if name != key.data or kept]
    result = part_of(table, names)
    if isinstance(result, Frame) and isinstance(table, Frame):
        result.index = table.cells.get(key.data, ())
    result.index_names = (key.data,)
    note_removed(result, () if kept else [key.data], call.place)
    return placed(call, result)


@MODELS.method("table", "reindex")
def _reindex(interpreter: Interpreter, call: Call) -> Value:
    """Give a table the columns that are asked for; what it lacks is filled."""
    table, names = table_of(call.receiver), call.keywords.get("columns")
    if table is None or call.receiver is None:
        return call.unknown()
    wanted = listed(interpreter, names)
    if wanted is None or names is None or not all(isinstance(n.data, (str, int)) for n in wanted):
        return unknown(call.receiver, *call.args)
    keys = [name.data for name in wanted]
    result = part_of(table, [name for name in keys if name in table.columns])
    fill = call.keywords.get("fill_value", Value(math.nan))
    made = part_of(result, [])
    made.columns.update({name: result.columns.get(name) for name in keys})
    made.origins_of.update({n: result.origins_of.get(n, names.origins) for n in keys})
    if isinstance(made, Frame) and isinstance(result, Frame):
        made.cells.update(result.cells)
        count = size(table.rows)
        cell = None if isinstance(fill.data, float) and math.isnan(fill.data) else fill.data
        for name in keys:
            if name not in result.columns and count is not None and affords(count):
                made.cells[name] = (cell,) * count
    return Value(made, merged(call.receiver, names))


@MODELS.method("table", "pivot_table", "describe", "corr", "value_counts")
@MODELS.method("table", "melt", "agg", "transform", "pivot")
def _summaries(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    return call.unknown() if call.receiver is None else unknown(call.receiver)


# Groups.

_GROUPED = "pandas.GroupBy"


@MODELS.method("table", "groupby")
def _groupby(interpreter: Interpreter, call: Call) -> Value:
    table, by = table_of(call.receiver), call.given(0, "by")
    if table is None or call.receiver is None or by is None:
        return call.unknown()
    keys = [by] if isinstance(by.data, str) else None
    keys = listed(interpreter, by) if isinstance(by.data, (list, tuple)) else keys
    for key in keys or ():
        if isinstance(key.data, str) and key.data not in table.columns:
            raise lacking(table, key.data, key, call.receiver)
    if keys is None or not all(isinstance(key.data, str) for key in keys):
        return unknown(call.receiver, by)
    names = Value([Value(key.data, key.origins) for key in keys], merged(*keys))
    state = {"of": call.receiver, "by": names, "single": Value(isinstance(by.data, str))}
    if "as_index" in call.keywords:
        state["as_index"] = call.keywords["as_index"]
    made = LibraryObject(_GROUPED, (), {}, call.place, state)
    return Value(made, merged(call.receiver, by))


@MODELS.method("GroupBy", "__getitem__")
def _of_groups(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    held, key = call.receiver, call.given(0)
    if held is None or not isinstance(held.data, LibraryObject) or key is None:
        return call.unknown()
    table = table_of(state_of(held, "of"))
    if table is not None and isinstance(key.data, str) and key.data not in table.columns:
        raise lacking(table, key.data, key, state_of(held, "of"))
    state = {**held.data.state, "column": key}
    made = LibraryObject(_GROUPED, (), {}, held.data.made, state)
    return Value(made, merged(held, key))


def groups_of(held: Value | None) -> tuple[Frame, dict[object, list[int]]] | None:
    """Return a table and the rows of its groups by their sorted keys, None where not known."""
    table, by = table_of(state_of(held, "of")), state_of(held, "by")
    if not isinstance(table, Frame) or not isinstance(by.data, list) or size(table.rows) is None:
        return None
    names = [key.data for key in by.data]
    if any(name not in table.cells for name in names) or not affords(2 * (size(table.rows) or 0)):
        return None
    columns = [table.cells[name] for name in names]
    rows: Sequence[object] = list(zip(*columns, strict=True)) if len(names) > 1 else columns[0]
    result: dict[object, list[int]] = {}
    for index, key in enumerate(rows):
        if key is None or (isinstance(key, tuple) and None in key):
            continue
        result.setdefault(key, []).append(index)
    try:
        return table, dict(sorted(result.items()))
    except TypeError:
        return None


@MODELS.method("GroupBy", "__iter__")
def _iterate_groups(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    whole = state_of(call.receiver, "of")
    row_groups = groups_of(call.receiver)
    table = table_of(whole)
    if row_groups is None or len(row_groups[1]) > _MOST_GROUPS:
        if table is None or call.receiver is None:
            return call.unknown()
        part = Value(part_of(table, list(table.columns), unknown(table.rows)), whole.origins)
        return Value(Lazy(Value((Value(UNKNOWN), part)), unknown(call.receiver)))
    frame, groups = row_groups
    single = state_of(call.receiver, "single").data is True
    chosen = state_of(call.receiver, "column").data
    pairs: list[Value] = []
    for key, positions in groups.items():
        count = frame.rows.origins | state_of(call.receiver, "by").origins
        rows = rows_taken(frame, positions, count)
        part = Value(rows, whole.origins)
        if isinstance(chosen, str):
            part = column(rows, chosen)
        label = Value(key, whole.origins) if single else _key(key, whole.origins)
        pairs.append(Value((label, part), whole.origins))
    return Value(pairs, whole.origins)


_MOST_GROUPS = 300


def _key(key: object, origins: Origins) -> Value:
    parts = key if isinstance(key, tuple) else (key,)
    return Value(tuple(Value(part, origins) for part in parts), origins)


@MODELS.attribute("GroupBy", "ngroups")
@MODELS.method("GroupBy", "__len__")
def _number_of_groups(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    groups = groups_of(call.receiver)
    if groups is None or call.receiver is None:
        return call.unknown()
    return counted(len(groups[1]), call, call.receiver)


_OF_GROUPS = ("size", "count", "nunique", "first", "last", *_REDUCTIONS)


@MODELS.method("GroupBy", *_OF_GROUPS)
def _reduce_groups(interpreter: Interpreter, call: Call) -> Value:
    """Reduce a column of each group, or count the rows of each."""
    del interpreter
    row_groups, chosen = groups_of(call.receiver), state_of(call.receiver, "column").data
    flat = state_of(call.receiver, "as_index")
    if row_groups is None or call.receiver is None or flat.data is False:
        return call.unknown()
    frame, groups = row_groups
    cells = frame.cells.get(chosen) if isinstance(chosen, str) else None
    if call.name == "size":
        cells = (None,) * (size(frame.rows) or 0)
    if cells is None:
        return unknown(call.receiver)
    values = [reduced(call.name, [cells[i] for i in rows]) for rows in groups.values()]
    if any(value is UNKNOWN for value in values):
        return unknown(call.receiver)
    made = labelled(list(groups), values, call, call.receiver)
    by = state_of(call.receiver, "by").data
    if isinstance(made.data, Series) and isinstance(by, list):
        made.data.name = chosen if isinstance(chosen, str) else None
        made.data.index_names = tuple(key.data for key in by)
        dtype = frame.columns.get(chosen)
        if dtype == "float32" and made.data.dtype == "float64":
            made.data.dtype = dtype
    return made


@MODELS.method("GroupBy", "transform", "cumcount", "ngroup")
def _each_row(interpreter: Interpreter, call: Call) -> Value:
    """Give each row what its group comes to, or its number."""
    del interpreter
    row_groups, chosen = groups_of(call.receiver), state_of(call.receiver, "column").data
    how = call.given(0, "func")
    if row_groups is None or call.receiver is None:
        return call.unknown()
    frame, groups = row_groups
    cells = frame.cells.get(chosen) if isinstance(chosen, str) else None
    made: list[object] = [None] * (size(frame.rows) or 0)
    upwards = call.given(0, "ascending")
    is_last_first = call.name != "transform" and upwards is not None and upwards.data is False
    for number, rows in enumerate(groups.values()):
        value: object = number
        if call.name == "transform":
            if how is None or not isinstance(how.data, str) or cells is None:
                return unknown(call.receiver)
            value = reduced(how.data, [cells[i] for i in rows])
            if value is UNKNOWN:
                return unknown(call.receiver)
        if is_last_first:
            value = len(groups) - 1 - number
        for place, row in enumerate(rows):
            count = len(rows) - 1 - place if is_last_first else place
            made[row] = count if call.name == "cumcount" else value
    like = column(frame, next(iter(frame.columns)))
    return Value(remade(like, made).data, merged(call.receiver))


@MODELS.method("GroupBy", "get_group")
def _one_group(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    row_groups, key = groups_of(call.receiver), call.given(0, "name")
    if row_groups is None or key is None or not isinstance(key.data, (str, int)):
        return call.unknown()
    frame, groups = row_groups
    if key.data not in groups:
        raise Raised(
            "key", f"{key.data!r}", key, Value(UNKNOWN, state_of(call.receiver, "of").origins)
        )
    rows = rows_taken(frame, groups[key.data], merged(frame.rows, key) | {call.place})
    return Value(rows, state_of(call.receiver, "of").origins)
