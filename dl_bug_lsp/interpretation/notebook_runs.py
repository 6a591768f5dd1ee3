"""The cells of a notebook in the order in which they ran, and what their outputs say of values.

An execution count is the number of the run of a cell that ran last (Jupyter, "The Jupyter
messaging protocol": ``execution_count``). A number that no cell shows is that of a run of a cell
that ran again later, or was deleted.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress

from dl_bug_lsp.interpretation.table_values import sizes_of_table
from dl_bug_lsp.interpretation.values import UNKNOWN, Array, Table, Value
from dl_bug_lsp.workspace.notebooks import Cell

MOST_REPEATED = 8
"""Runs that no cell shows and that are looked at."""
MOST_COLUMNS = 2_000
MOST_PARTS = 8
"""Expressions of one ``print`` that are told apart."""
PARTS_OF_TABLE = {"head", "tail", "sample", "nlargest", "nsmallest", "sort_values"}
"""Methods of a table whose result has its columns."""
_SCALAR = re.compile(r"\b(?:np|numpy)\.(?:str_|bool_?|u?int\d*|float\d*)\(")
_SIZE = re.compile(r"\b(?:torch\.Size|TensorShape)\(\[([^\[\]]*)\]\)")
_INFO_ROWS = re.compile(r"^(?:\w*Index): (\d+) entries", re.MULTILINE)
_INFO_COLUMN = re.compile(r"^ *\d+ +(.+?) {2,}(?:\d+ non-null +)?([\w\[\], ]+?) *$", re.MULTILINE)
_DTYPES = re.compile(r"^(.+?) +([\w\[\], ]+?)$", re.MULTILINE)
_INDEX = re.compile(r"Index\((\[.*?\])", re.DOTALL)

Evaluate = Callable[[ast.expr], Value]


def in_order(cells: Sequence[Cell], line: int, *, repeated: bool) -> list[Cell]:
    """Return the cells in the order in which they ran up to the one that holds ``line``.

    The others come last: where the failure does not show, they tell what the values were meant for.
    Where the counts do not tell, the order is that of the file. With ``repeated``, the runs that no
    cell shows any more are there too, as far as `hidden_runs` can tell them.
    """
    failed = next((cell for cell in cells if line in cell.raw), None)
    if failed is None or not failed.execution_count:
        return list(cells)
    last = failed.execution_count
    ran = {c.execution_count: c for c in cells if c.execution_count and c.execution_count <= last}
    if repeated:
        ran |= hidden_runs(cells, last)
    numbers = {cell.number for cell in ran.values()}
    rest = [cell for cell in cells if cell.number not in numbers]
    return [*(ran[count] for count in sorted(ran)), *rest]


def hidden_runs(cells: Sequence[Cell], last: int) -> dict[int, Cell]:
    """Return the likely cells of the runs up to ``last`` that no cell shows, by execution count.

    It is the cell that stands below the one that ran before, if that ran again later, else the one
    that ran next.
    """
    counted = [c for c in cells if c.execution_count and c.execution_count <= last]
    ran = {cell.execution_count or 0: cell for cell in counted}
    result: dict[int, Cell] = {}
    for count in range(1, last):
        if count in ran or len(result) >= MOST_REPEATED:
            continue
        before = result.get(count - 1) or ran.get(count - 1)
        if before is not None and count - 1 in result:
            result[count] = before
            continue
        below = [c for c in counted if before is not None and c.number > before.number]
        later = below[0] if below and (below[0].execution_count or 0) > count else None
        following = min((c for c in ran if c > count), default=None)
        if later is None and following is not None:
            later = ran[following]
        if later is not None:
            result[count] = later
    return result


def statements_of(cells: Sequence[Cell], body: Sequence[ast.stmt]) -> dict[int, list[ast.stmt]]:
    """Return the statements of each cell by the cell's number."""
    owner = {line: cell.number for cell in cells for line in cell.raw}
    result: dict[int, list[ast.stmt]] = {cell.number: [] for cell in cells}
    for statement in body:
        number = owner.get(statement.lineno)
        if number is not None:
            result[number].append(statement)
    return result


# --- outputs --------------------------------------------------------------------------------------


def learn(cell: Cell, statements: Sequence[ast.stmt], evaluate: Evaluate) -> None:
    """Take over what the outputs of a cell say of values that are not known.

    ``evaluate`` returns the value of an expression in the notebook's scope. It may raise `Raised`.
    """
    last = statements[-1] if statements else None
    if isinstance(last, ast.Expr) and cell.result:
        _learn(last.value, cell.result, evaluate)
    for call, text in printed_by(cell, statements):
        _learn(call, text, evaluate)


def printed_by(cell: Cell, statements: Sequence[ast.stmt]) -> Iterator[tuple[ast.expr, str]]:
    """Yield what the cell printed, where each statement that prints wrote a known part of it."""
    calls = [s.value for s in statements if isinstance(s, ast.Expr)]
    calls_printing = [c for c in calls if isinstance(c, ast.Call)]
    infos = [
        c for c in calls_printing if isinstance(c.func, ast.Attribute) and c.func.attr == "info"
    ]
    if len(infos) == 1:
        yield infos[0], cell.printed
    prints = [c for c in calls_printing if isinstance(c.func, ast.Name) and c.func.id == "print"]
    lines = cell.printed.splitlines()
    if infos or len(prints) != len(lines):
        return
    for call, line in zip(prints, lines, strict=True):
        if not call.keywords:
            yield from _parts_of_line(call.args, line)


def _parts_of_line(arguments: Sequence[ast.expr], line: str) -> Iterator[tuple[ast.expr, str]]:
    """Yield the expressions of one ``print`` with what each of them wrote.

    The line is split where the texts between the expressions are: constants, and the constant
    parts of f-strings and of ``str.format``. Nothing is yielded where it can be split in two ways.
    """
    pattern: list[str] = []
    shown: list[ast.expr | None] = []
    for number, argument in enumerate(arguments):
        pattern += [" "] * (number > 0)
        for part in _text_parts(argument):
            if isinstance(part, str):
                pattern.append(re.escape(part))
            else:
                pattern.append("(.+)")
                shown.append(part)
    match = re.fullmatch("".join(pattern), line) if len(shown) <= MOST_PARTS else None
    shortest = re.fullmatch("".join(pattern).replace("(.+)", "(.+?)"), line) if match else None
    if match is None or shortest is None or match.groups() != shortest.groups():
        return
    for node, text in zip(shown, match.groups(), strict=True):
        if node is not None:
            yield node, text


def _text_parts(node: ast.expr) -> Iterator[str | ast.expr | None]:
    """Yield the parts of a printed text: constants, expressions, None for a formatted one."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                formatted = part.format_spec is not None or part.conversion != -1
                yield None if formatted else part.value
            else:
                yield from _text_parts(part)
    elif (template := _template(node)) is not None and isinstance(node, ast.Call):
        for number, text in enumerate(template):
            if number:
                yield node.args[number - 1]
            yield text
    else:
        yield node


def _template(node: ast.expr) -> list[str] | None:
    """Return the constant parts around the arguments of ``"{} …".format(…)``, None for others."""
    func = node.func if isinstance(node, ast.Call) and not node.keywords else None
    if not isinstance(func, ast.Attribute) or func.attr != "format":
        return None
    text = func.value.value if isinstance(func.value, ast.Constant) else None
    parts = text.split("{}") if isinstance(text, str) else []
    plain = not any("{" in part or "}" in part for part in parts)
    arguments = node.args if isinstance(node, ast.Call) else []
    starred = any(isinstance(argument, ast.Starred) for argument in arguments)
    return parts if plain and not starred and len(parts) == len(arguments) + 1 else None


def _learn(node: ast.expr, text: str, evaluate: Evaluate) -> None:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        _of_method(node, node.func, text, evaluate)
        return
    if isinstance(node, ast.Attribute) and node.attr in ("columns", "dtypes"):
        columns = _index(text) if node.attr == "columns" else _dtypes(text)
        _has_columns(evaluate(node.value), columns)
        return
    with suppress(SyntaxError, ValueError, MemoryError, RecursionError):
        literal = ast.literal_eval(as_plain(text))
        _is(node, literal, evaluate)
        return
    if isinstance(node, ast.Name):
        _has_columns(evaluate(node), _header(text))


def as_plain(text: str) -> str:
    """Return the text of a value with NumPy's scalars and sizes of tensors as plain ones."""
    sizes = _SIZE.sub(lambda size: f"({size[1]},)" if size[1].strip() else "()", text)
    return _SCALAR.sub("(", sizes)


def _of_method(node: ast.Call, func: ast.Attribute, text: str, evaluate: Evaluate) -> None:
    if func.attr in PARTS_OF_TABLE:
        _has_columns(evaluate(func.value), _header(text))
    elif func.attr == "size" and not node.args:
        with suppress(SyntaxError, ValueError, MemoryError, RecursionError):
            sizes = ast.literal_eval(as_plain(text))
            _has_shape(evaluate(func.value), sizes if isinstance(sizes, tuple) else ())
    elif func.attr == "info":
        base = evaluate(func.value)
        _has_columns(base, dict(_INFO_COLUMN.findall(text)))
        rows = _INFO_ROWS.search(text)
        if rows is not None:
            _has_rows(base, int(rows[1]))
    elif func.attr in ("sum", "any") and isinstance(func.value, ast.Call):
        inner = func.value.func
        if isinstance(inner, ast.Attribute) and inner.attr in ("isnull", "isna"):
            _has_columns(evaluate(inner.value), dict.fromkeys(_dtypes(text)))


def _is(node: ast.expr, expected: object, evaluate: Evaluate) -> None:
    """Take over what a literal says of an expression."""
    if (
        isinstance(node, ast.Tuple)
        and isinstance(expected, tuple)
        and len(node.elts) == len(expected)
    ):
        for part, elt in zip(node.elts, expected, strict=True):
            _is(part, elt, evaluate)
    elif isinstance(node, ast.Name):
        value = evaluate(node)
        if isinstance(expected, (bool, int, float, str)) and _is_open(value):
            value.data = expected
    elif isinstance(node, ast.Attribute) and node.attr == "shape" and isinstance(expected, tuple):
        _has_shape(evaluate(node.value), expected)
    elif (sized := _of_first_size(node)) is not None and type(expected) is int:
        _has_rows(evaluate(sized), expected)
    elif isinstance(node, ast.Call) and ast.unparse(node.func) == "len" and type(expected) is int:
        for part in node.args:
            _has_rows(evaluate(part), expected)


def _of_first_size(node: ast.expr) -> ast.expr | None:
    """Return ``x`` of ``x.shape[0]``, None for any other expression."""
    shape = node.value if isinstance(node, ast.Subscript) else None
    if not (isinstance(node, ast.Subscript) and isinstance(shape, ast.Attribute)):
        return None
    first = isinstance(node.slice, ast.Constant) and node.slice.value == 0
    return shape.value if shape.attr == "shape" and first else None


def _is_open(value: Value) -> bool:
    """Whether a value is not known, or a number that is not known."""
    data = value.data
    return data is UNKNOWN or (isinstance(data, Array) and data.library == "python")


def _has_shape(value: Value, expected: tuple[object, ...]) -> None:
    sizes = [size for size in expected if type(size) is int]
    data = value.data
    if len(sizes) != len(expected) or not sizes:
        return
    if isinstance(data, Table):
        _has_rows(value, sizes[0])
    elif isinstance(data, Array) and data.shape is None:
        data.shape = tuple(Value(size, value.origins) for size in sizes)
    elif isinstance(data, Array) and data.shape is not None and len(data.shape) == len(sizes):
        for dimension, size in zip(data.shape, sizes, strict=True):
            if dimension.data is UNKNOWN:
                dimension.data = size


def _has_rows(value: Value, count: int) -> None:
    data = value.data
    if isinstance(data, Table) and data.rows.data is UNKNOWN:
        data.rows.data = count
    elif isinstance(data, Array) and data.shape and data.shape[0].data is UNKNOWN:
        data.shape[0].data = count


def _has_columns(value: Value, columns: Mapping[str, str | None]) -> None:
    """Let what is not known be a table with columns."""
    is_open = value.data is UNKNOWN or sizes_of_table(value) is not None
    if is_open and 0 < len(columns) <= MOST_COLUMNS:
        dtypes: dict[object, str | None] = {
            name: None if dtype in ("object", "str", "string") else dtype
            for name, dtype in columns.items()
        }
        table = Table(dtypes, Value(UNKNOWN, value.origins))
        table.origins_of = dict.fromkeys(dtypes, value.origins)
        value.data = table


def _index(text: str) -> dict[str, str | None]:
    """Return the names of a printed index of columns."""
    match = _INDEX.search(text)
    with suppress(SyntaxError, ValueError):
        names = ast.literal_eval(match[1]) if match is not None else []
        return dict.fromkeys(name for name in names if isinstance(name, str))
    return {}


def _dtypes(text: str) -> dict[str, str | None]:
    """Return the rows of a printed column of one entry for each column of a table."""
    rows = [line for line in text.splitlines() if line and not line.startswith(("dtype:", "Name:"))]
    if any(line.strip() in ("..", "...") or line.startswith("Length:") for line in rows):
        return {}
    result = _DTYPES.findall("\n".join(rows))
    return dict(result) if len(result) == len(rows) else {}


def _header(text: str) -> dict[str, str | None]:
    """Return the columns of a printed table, empty where the print left some out.

    A wide table is printed in blocks that end with a backslash. Names and cells end in the same
    place, so a word of the header at whose end no cells end goes on with the next word.
    """
    result: dict[str, str | None] = {}
    block: list[str] = []
    for line in [*text.splitlines(), ""]:
        if line.strip():
            block.append(line)
            continue
        names = _names(block)
        if names is None:
            return {}
        result.update(dict.fromkeys(names))
        block = []
    return result


def _names(block: Sequence[str]) -> list[str] | None:
    """Return the columns of one block of a printed table, None where they are not sure."""
    if not block or block[0].lstrip().startswith("["):
        return []
    header = block[0].rstrip().removesuffix("\\").rstrip()
    words = list(re.finditer(r"\S+", header))
    # A row that is blank below all columns holds the name of the index.
    rows = [row for row in block[1:] if any(row[w.end() - 1 : w.end()].strip() for w in words)]
    if not rows or not header.startswith(" ") or "..." in header.split():
        return None
    names: list[str] = []
    start = None
    for word in words:
        start = word.start() if start is None else start
        end = word.end()
        if all(row[end - 1 : end].strip() and not row[end : end + 1].strip() for row in rows):
            names.append(header[start:end])
            start = None
    return names if start is None and len(set(names)) == len(names) else None
