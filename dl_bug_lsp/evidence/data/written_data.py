"""Files that a script of the workspace wrote and the failing run reads: what the script lost.

A key that no row has, empty cells, a table without rows: where a script of the workspace wrote the
file, a statement of it dropped, left out or never filled what is missing. The way is that of the
data: from the value to the file that lacks it, to the call that writes the file, and backwards
through what is written. A file that no script writes stays the suspect itself.
"""

from __future__ import annotations

import ast
import csv
import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.data import shell_columns
from dl_bug_lsp.evidence.data.data_files import (
    CODE,
    FLOAT_FOR_TEXT,
    FOLLOWED,
    NANS,
    NO_NUMBER,
    NOT_A_NUMBER,
    files_read,
    index_of,
)
from dl_bug_lsp.evidence.domain_rules.syntax import keyword, source
from dl_bug_lsp.evidence.domain_rules.tables import FILLS, IMPUTERS, LEAVES, TOO_FEW
from dl_bug_lsp.evidence.followed_run import earlier_runs, follow
from dl_bug_lsp.evidence.repairs.spelling import similarity
from dl_bug_lsp.evidence.word_index import parts_of
from dl_bug_lsp.interpretation.libraries.python.files import TEXT
from dl_bug_lsp.interpretation.libraries.python.written_text import known_cells
from dl_bug_lsp.interpretation.values import Array, Table, Value
from dl_bug_lsp.messages import FactKind
from dl_bug_lsp.provenance.nodes import DataFile
from dl_bug_lsp.provenance.scopes import called_name
from dl_bug_lsp.provenance.slices import Step, backward_slice
from dl_bug_lsp.provenance.written_files import Writing, writings
from dl_bug_lsp.spectrum.failing_runs import is_test_file

MOST_FILES = 16
"""Files of a run whose writers are looked for."""
MOST_STEPS = 160
"""Steps of the slice from what a script writes."""
MOST_LINES = 20_000
"""Lines of a file in which a value is looked for."""
MOST_LOG_LINES = 400
MOST_STATEMENTS = 6
MOST_ITEMS = 40
OF_NEXT = 0.6
"""What each further statement on the way counts of the one before it."""
OF_UNSURE = 0.5
"""What a script counts that writes a file of the same name into a folder that is not known."""
OF_UNSEEN_GAPS = 0.3
"""What counts of a call that drops rows with gaps where the table that it is given has none."""
OF_FILLED = 0.3
"""What counts of a statement that leaves gaps where a later one fills some."""
OF_METRICS = 0.8
"""What counts where a metric of the log is NaN, and the failure itself says nothing of it."""
OF_GENERATED = 0.5
"""What clues count on a file that a script of the workspace evidently writes."""
OF_HELD = 0.3
"""What they count on lines that hold a value which a script is known to have lost elsewhere."""
OF_MISSPELT = 0.4
"""What a script counts that wrote a value spelt nearly as the one that is looked up."""
ALIKE = 0.8
"""From here on one text may be another one that is misspelt."""
FEW_ROWS = 3
"""Rows up to which each may be the odd one that holds a value."""
MOST_CELLS = 5_000
"""Rows of a table whose values are compared with those of another."""
COVERED = 0.5
"""The share of a column's values that another has which are the keys of the same things."""
LOSING = {
    *("dropna", "drop_duplicates", "query", "sample", "head", "tail", "nlargest", "nsmallest"),
    *("filter", "merge", "join", "isin", "take", "choice", "choices", "compress", "delete", "drop"),
    *("most_common", "truncate", "between_time", "merge_asof", "discard", "remove", "islice"),
}
"""Calls that give fewer rows or items than they are given."""
MAKING = {
    *("list", "dict", "set", "sorted", "Counter", "OrderedDict", "defaultdict", "DataFrame"),
    *("fromkeys", "unique", "zip", "enumerate", "rename", "set_index", "reset_index", "pivot"),
    *("pivot_table", "get_dummies", "groupby", "asdict", "vars", "Series", "array"),
}
"""Calls that begin a collection, or name what it holds anew."""
GAPS = LEAVES | {
    *("to_numeric", "log", "log10", "log2", "log1p", "sqrt", "divide", "true_divide", "asfreq"),
    *("resample", "concat", "to_datetime", "where", "mask", "genfromtxt", "map", "full", "empty"),
}
"""Calls that may make NaN of numbers, or rows without them."""
NAN_METRIC = re.compile(r"(?i)\b\w*(?:loss|rmse|rse|mse|mae)\w*\W{0,12}\bnan\b")
WORDY = re.compile(
    r"vocab|label|class|map|dict|index|encod|token|word|tag|char|symbol|id2|2id", re.I
)
"""Names of files in which values are looked up."""
BOXED = re.compile(r"(?:\w+\.)*\w+\((.+)\)", re.DOTALL)
LOOKUPS = re.compile(
    r"(?i)unseen labels|is not in list|not in index|not found in axis|unknown categor"
    r"|out of vocabulary|not in (?:the )?vocab"
)
"""How messages besides those of a missing key say that a value was looked up in vain."""
Judge = Callable[[Step], "tuple[float, str] | None"]


@dataclass(frozen=True, slots=True)
class _Lack:
    """A file in which a value is missing, and where the run's other files have it."""

    file: str
    column: str
    """The column in which it is missing, empty where the file has none or no other file has it."""
    holder: str
    """Where it stands, as a sentence says it; empty where no file of the run has it."""


def find(case: Case) -> Iterator[Clue]:
    """Yield the statements of scripts that lost what is missing in a file that the run reads."""
    for key in _keys(case):
        for lack in _lacks(case, key):
            yield from _lost(case, key, lack)
        yield from _lacking_tables(case, key)
    if case.category.id == "key_not_found" and (keys := _keys(case)):
        read = list(_read(case))[:MOST_FILES]
        yield from shell_columns.find(case, keys, read, _looked_up_in(case))
    yield from _gaps(case)
    yield from _emptied(case)
    yield from _named_files(case)
    yield from _wrong_values(case)


def clue_factor(case: Case, clue: Clue) -> float:
    """Return the factor of a clue on a line of data.

    A value that stands in many rows is not that row's fault, and what is wrong in a file that a
    script of the workspace writes is the script's fault.
    """
    if clue.file.endswith(CODE) or not case.places:
        return 1.0
    is_generated = _is_generated(case, clue.file)
    share = 1.0
    for key in _keys(case) if clue.kind in OF_HOLDERS else ():
        rows = _rows_with(case, clue.file, key, clue.line)
        if rows > FEW_ROWS:
            share = min(share, 1.0 / math.sqrt(rows))
        if rows and (is_generated or rows > 1) and _lacks(case, key):
            share = min(share, OF_HELD)
    if not is_generated or clue.file in follow(case).generated:
        return share
    return min(share, OF_GENERATED)


OF_HOLDERS = ("interpretation.origin", "repair.followed", "data_files.value", "data_files.explains")
"""Kinds of clues that a line of data gets because it holds the value that is looked up."""


_READ: WeakKeyDictionary[Case, dict[str, float]] = WeakKeyDictionary()


def _read(case: Case) -> dict[str, float]:
    """Return the files that the failure is about, with how near they are to it, found once."""
    if case not in _READ:
        _READ[case] = files_read(case)
    return _READ[case]


# ---------------------------------------------------------------------- writers of files
_WRITERS: WeakKeyDictionary[Case, dict[str, list[Writing]]] = WeakKeyDictionary()


def writers_of(case: Case, file: str) -> list[Writing]:
    """Return the calls that write a file: those that are sure, else those of the only script."""
    known = _WRITERS.setdefault(case, {})
    if file not in known:
        found = [w for w in writings(case.engine, file) if not is_test_file(w.file)]
        sure = [w for w in found if w.sure]
        if not sure:
            # The command that ran before may have given another folder than the script's own.
            scripts = set(earlier_runs(case).writers(file)) if case.places else set()
            sure = writings(case.engine, file, sorted(scripts)) if scripts else []
        known[file] = sure or (found if len({w.file for w in found}) == 1 else [])
    return known[file]


def _is_generated(case: Case, file: str) -> bool:
    """Whether a script of the workspace evidently writes a data file."""
    if file not in _read(case) or file in case.config_files:
        return False
    return any(writing.sure for writing in writers_of(case, file))


def statements_of(
    case: Case, file: str, judge: Judge, *, conditions: bool = True
) -> Iterator[tuple[Writing, Step, float, str]]:
    """Yield the steps on the way to what is written into a file that a judge finds telling.

    Each with a strength, less with each that lies between it and the writing, and what it does.
    """
    seen: set[tuple[str, int]] = set()
    for writing in writers_of(case, file):
        share = 1.0 if writing.sure else OF_UNSURE
        for step in backward_slice([writing.value], MOST_STEPS, conditions=conditions):
            node = step.node
            place = (node.file, node.line)
            judged = judge(step) if node.entry is None and node.line > 0 else None
            if judged is None or place in seen:
                continue
            strength, does = judged
            seen.add(place)
            yield writing, step, strength * share, does
            share *= OF_NEXT if strength >= OF_NEXT else 1.0
            if len(seen) >= MOST_STATEMENTS:
                return


def says_written(writing: Writing, file: str) -> str:
    """Say which script writes a file, and how sure that is."""
    sure = "is written by" if writing.sure else "may be written by"
    return f"{file}, which {sure} {writing.file} (line {writing.line})"


# ---------------------------------------------------------------------- values that are missing
def _keys(case: Case) -> tuple[str, ...]:
    """Return the values that were looked up in vain, as data files write them."""
    is_lookup = case.category.id == "key_not_found"
    kinds = (FactKind.KEY,) if is_lookup else (FactKind.KEY, FactKind.LITERAL)
    if not is_lookup and not LOOKUPS.search(case.message):
        return ()
    found: dict[str, None] = {}
    for fact in (fact for kind in kinds for fact in case.facts.of(kind)):
        text = str(fact.value)
        boxed = BOXED.fullmatch(text)
        text = (boxed[1] if boxed else text).strip("'\" ")
        if text and len(text) <= 80:
            found[text] = None
    return tuple(found)[:4]


_LACKS: WeakKeyDictionary[Case, dict[str, list[_Lack]]] = WeakKeyDictionary()


def _lacks(case: Case, key: str) -> list[_Lack]:
    """Return the files of the run in which a key is missing that was looked up there."""
    known = _LACKS.setdefault(case, {})
    if key not in known:
        known[key] = _find_lacks(case, key)
    return known[key]


def _find_lacks(case: Case, key: str) -> list[_Lack]:
    read = list(_read(case).items())[:MOST_FILES]
    lacking = [
        file
        for file, _ in read
        if writers_of(case, file) and not _holds(case, file, key) and not _wrote(case, file, key)
    ]
    if not lacking:
        return []
    cells: dict[tuple[str, str], int] = {}
    for file, _ in read:
        for line, column in _cells_with(case, file, key):
            cells.setdefault((file, column), line)
    (other, _), line = next(iter(cells.items()), (("", ""), 0))
    if not other:
        other = next((f for f, _ in read if f not in lacking and _holds(case, f, key)), "")
    holder = (f"{other}:{line} has it" if line else f"{other} has it") if other else ""
    looked_up = _looked_up_in(case)
    lacks: list[_Lack] = []
    for file in lacking:
        if any(_are_parts_of_one(case, file, whole) for whole, _ in cells):
            continue
        related = next((cell for cell in cells if _keys_of(case, file, *cell, key)), None)
        if related is not None:
            where = f"`{related[1]}` of {related[0]}:{cells[related]} has it"
            lacks.append(_Lack(file, related[1], where))
        elif file in looked_up or (not looked_up and _may_hold_words(case, file, key, bool(other))):
            lacks.append(_Lack(file, "", holder))
    return [lack for lack in lacks if lack.file in looked_up] or lacks


def _wrote(case: Case, file: str, key: str) -> bool:
    """Whether a script is known to have written a key that stands in its file no longer."""
    kept = earlier_runs(case).kept(file) if case.places else None
    if kept is None:
        return False
    if isinstance(kept.value.data, Table):
        return key in kept.value.data.columns
    return kept.form == TEXT and key in known_cells(kept.value)


def _lacking_tables(case: Case, key: str) -> Iterator[Clue]:
    """Yield where a table that no script writes would have the row that several others refer to."""
    read = list(_read(case))[:MOST_FILES]
    cells = [(f, line, column) for f in read for line, column in _cells_with(case, f, key)]
    for file in read:
        if writers_of(case, file) or any(file == other for other, _, _ in cells):
            continue
        own = _columns(case, file)
        related = [
            cell
            for cell in cells
            if own != _columns(case, cell[0]) and _keys_of(case, file, cell[0], cell[2], key)
        ]
        lines = case.workspace.lines(file)
        # One row alone that refers to it is the odd one.
        if len(related) > 1 and len(lines) > 1:
            other, line, column = related[0]
            why = f"no row of this table has `{key}`; `{column}` of {other}:{line} refers to it"
            at = _place_for(case, file, column, key)
            yield Clue("data_files.lacks_key", file, at, OF_TABLES, why)


OF_TABLES = 0.5
"""What a table counts in which no row has a value that rows of another table refer to."""


def _columns(case: Case, file: str) -> list[str]:
    table = case.workspace.table(file)
    return [column.name for column in table.columns] if table is not None else []


def _place_for(case: Case, file: str, column: str, key: str) -> int:
    """Return the line before which a number would stand in a sorted column, else the last line."""
    table = case.workspace.table(file)
    count = len(case.workspace.lines(file))
    if table is None or not table.delimiter or not _is_number(key):
        return count
    names = [c.name for c in table.columns]
    number = names.index(column) if column in names else 0
    first = table.header_line or 0
    for line in range(first + 1, min(count, first + MOST_CELLS) + 1):
        parts = case.workspace.source_line(file, line).split(table.delimiter)
        cell = parts[number].strip() if number < len(parts) else ""
        if _is_number(cell) and float(cell) > float(key):
            return line
    return count


def _may_hold_words(case: Case, file: str, key: str, is_held: bool) -> bool:
    """Whether a word may be looked up in a file: by the slices, or by its name."""
    if _is_number(key):
        return False
    in_slices = _read(case).get(file, 0.0) > FOLLOWED
    return in_slices or (is_held and WORDY.search(file.rpartition("/")[2]) is not None)


def _are_parts_of_one(case: Case, file: str, other: str) -> bool:
    """Whether two tables are parts of one, as those for training and test.

    Scripts write both, with the same columns. A row that is in one part is in no other.
    """
    table, second = case.workspace.table(file), case.workspace.table(other)
    if table is None or second is None or len(table.columns) < 2 or not writers_of(case, other):
        return False
    return [c.name for c in table.columns] == [c.name for c in second.columns]


def _keys_of(case: Case, file: str, other: str, column: str, key: str) -> bool:
    """Whether a column of another table names what the rows of a table are about."""
    table = case.workspace.table(file)
    if table is None or column.isdigit():
        return False
    names = [c.name for c in table.columns]
    if column in names:
        return True
    wanted = _values(case, other, column)
    stem = file.rpartition("/")[2].partition(".")[0]
    told = set(parts_of(column)) - OF_ANY_KEY
    for name in names:
        # Small numbers are in many columns.
        is_named = not _is_number(key) or told & set(parts_of(name) + _singular(stem))
        if is_named and len(wanted & _values(case, file, name)) > COVERED * len(wanted) > 1:
            return True
    return False


OF_ANY_KEY = {"id", "ids", "idx", "index", "code", "key", "no", "num", "number", "name"}
"""Parts of the names of columns that say of nothing what it is."""


def _singular(name: str) -> list[str]:
    """Return the parts of a name, those in the plural without their ending as well."""
    parts = parts_of(name)
    return [*parts, *(part[:-1] for part in parts if part.endswith("s"))]


def _values(case: Case, file: str, column: str) -> set[str]:
    """Return the values of a column of delimited text, as far as it is read."""
    table = case.workspace.table(file)
    if table is None or not table.delimiter or table.header_line is None:
        return set()
    number = [c.name for c in table.columns].index(column)
    lines = case.workspace.lines(file)[table.header_line : table.header_line + MOST_CELLS]
    found: set[str] = set()
    with suppress(csv.Error):
        for row in csv.reader(lines, delimiter=table.delimiter):
            if number < len(row):
                found.add(row[number].strip())
    return found - {""}


def _is_number(key: str) -> bool:
    return re.fullmatch(r"-?\d+(?:\.\d+)?", key) is not None


def _looked_up_in(case: Case) -> set[str]:
    """Return the data files from which the container comes that lacks the key."""
    raised = follow(case).raised
    if raised is None or raised.what != "key" or len(raised.sides) < 2:
        return set()
    return {file for file, _ in _origins(raised.sides[1]) if not file.endswith(CODE)}


def _origins(value: Value) -> set[tuple[str, int]]:
    origins = set(value.origins)
    data = value.data
    if isinstance(data, (dict, list, tuple)):
        for item in list(data.values() if isinstance(data, dict) else data)[:MOST_ITEMS]:
            origins |= item.origins
    elif isinstance(data, Array):
        for dim in data.shape or ():
            origins |= dim.origins
    return origins


def _cells_with(case: Case, file: str, key: str) -> list[tuple[int, str]]:
    """Return (line, column) of the first cells of a table that hold a value."""
    written = [key, f"{key}.0"] if re.fullmatch(r"-?\d+", key) else [key]
    return [cell for text in written for cell in case.workspace.table_rows(file, text)]


def _holds(case: Case, file: str, key: str) -> bool:
    """Whether a file has a value: as a cell, a column, a key of a document, or a word of a line."""
    if _cells_with(case, file, key):
        return True
    table = case.workspace.table(file)
    if table is not None and table.column(key) is not None:
        return True
    entries = case.workspace.config_entries(file)
    if entries:
        return any(key in map(str, e.path) or str(e.value) == key for e in entries)
    lines = case.workspace.lines(file)[:MOST_LINES]
    return any(key in line and key in re.split(r"[\s,;|\"']+", line) for line in lines)


_ROWS: WeakKeyDictionary[Case, dict[tuple[str, str], int]] = WeakKeyDictionary()


def _rows_with(case: Case, file: str, key: str, line: int) -> int:
    """Return in how many lines of a file a value stands, 0 where it does not stand in a line."""
    if key not in case.workspace.source_line(file, line):
        return 0
    counts = _ROWS.setdefault(case, {})
    if (file, key) not in counts:
        lines = case.workspace.lines(file)[:MOST_LINES]
        counts[file, key] = sum(key in text for text in lines)
    return counts[file, key]


def _lost(case: Case, key: str, lack: _Lack) -> Iterator[Clue]:
    """Yield the statements that lost a key, or made the collection without it."""
    is_new = not lack.column and not _is_number(key) and not _is_of_inputs(case, key, lack.file)

    def judge(step: Step) -> tuple[float, str] | None:
        losing = _loses(case, step)
        made = _makes(step)
        if lack.column or _is_number(key):
            return losing
        if is_new:
            return made or ((losing[0] * 0.3, losing[1]) if losing else None)
        return losing or ((made[0] * 0.5, made[1]) if made else None)

    share = OF_MISSPELT if _has_alike(case, key, lack.file) else 1.0
    for writing, step, strength, does in statements_of(case, lack.file, judge):
        missing = f"`{key}` is missing in {says_written(writing, lack.file)}"
        held = f"; {lack.holder}" if lack.holder else ""
        why = f"`{source(step.node.expr)}` {does}: {missing}{held}"
        yield Clue("data_files.explains", step.node.file, step.node.line, share * strength, why)


def _has_alike(case: Case, key: str, file: str) -> bool:
    """Whether a file has a key or a column whose name is nearly the one that is looked up."""
    table = case.workspace.table(file)
    names = {c.name for c in table.columns} if table is not None else set()
    names.update(str(e.path[-1]) for e in case.workspace.config_entries(file) if e.path)
    return any(similarity(key, name) >= ALIKE for name in sorted(names)[:MOST_NAMES])


MOST_NAMES = 400


def _is_of_inputs(case: Case, key: str, file: str) -> bool:
    """Whether a value stands in what the scripts that write a file read."""
    for writing in writers_of(case, file):
        for step in backward_slice([writing.value], MOST_STEPS, conditions=True):
            named = {v.file for v in step.node.values if isinstance(v, DataFile)}
            for constant in step.node.constants:
                if isinstance(constant.value, str) and "." in constant.value[-6:]:
                    named.add(case.workspace.existing_file(constant.value) or file)
            if any(name != file and _holds(case, name, key) for name in named):
                return True
    return False


def _loses(case: Case, step: Step) -> tuple[float, str] | None:
    """Return how clearly a step drops rows or items, and what it does."""
    expr = step.node.expr
    if isinstance(expr, ast.Call):
        name = called_name(expr)
        if name not in LOSING or not isinstance(expr.func, ast.Attribute) or _by_columns(expr):
            return None
        if name in ("merge", "join") and _keeps_all(expr):
            return None
        if name == "join" and isinstance(expr.func.value, ast.Constant):
            return None
        if name == "dropna":
            return (1.0 if _may_have_gaps(case, step) else OF_UNSEEN_GAPS), "drops rows with gaps"
        if name == "isin":
            return 0.6, "keeps only some"
        return 0.8, "may drop rows or items"
    if isinstance(expr, ast.Subscript):
        index = expr.slice.elts[0] if isinstance(expr.slice, ast.Tuple) else expr.slice
        if isinstance(index, ast.Slice):
            cuts = index.lower is not None or index.upper is not None
            return (0.7, "keeps only a part") if cuts else None
        return (0.7, "keeps only some rows") if _is_mask(index) else None
    if isinstance(expr, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        has_test = any(generator.ifs for generator in expr.generators)
        return (0.7, "keeps only some items") if has_test else None
    if step.condition and isinstance(expr, (ast.Compare, ast.BoolOp)) and _is_test(step):
        is_main = any(isinstance(n, ast.Name) and n.id == "__name__" for n in ast.walk(expr))
        return None if is_main else (0.6, "decides what is kept")
    return None


def _is_test(step: Step) -> bool:
    """Whether a step is what an ``if`` or a loop tests, not a part of it."""
    return bool(step.roles) and step.roles[-1] == "condition"


def _is_mask(index: ast.expr) -> bool:
    """Whether an index selects rows by a condition."""
    if isinstance(index, (ast.Compare, ast.BoolOp)):
        return True
    if isinstance(index, ast.UnaryOp):
        return isinstance(index.op, (ast.Invert, ast.Not))
    if isinstance(index, ast.BinOp):
        return isinstance(index.op, (ast.BitAnd, ast.BitOr)) and (
            _is_mask(index.left) or _is_mask(index.right)
        )
    return isinstance(index, ast.Call) and called_name(index) in MASKS


MASKS = {"isin", "notna", "notnull", "isna", "isnull", "between", "contains", "duplicated", "gt"}


def _by_columns(call: ast.Call) -> bool:
    """Whether a call drops columns, not rows."""
    axis = keyword(call, "axis")
    by_axis = isinstance(axis, ast.Constant) and axis.value in (1, "columns")
    return by_axis or any(k.arg in ("columns", "items", "regex", "like") for k in call.keywords)


def _keeps_all(call: ast.Call) -> bool:
    how = keyword(call, "how")
    # `join` keeps the rows of its table, `merge` those that both have (pandas, "Merge, join").
    default = "left" if called_name(call) == "join" else "inner"
    value = how.value if isinstance(how, ast.Constant) else default
    return value in ("outer", "left")


def _may_have_gaps(case: Case, step: Step) -> bool:
    """Whether the tables that a call's rows come from have empty cells, as far as is known."""
    known = False
    for below in backward_slice([step.node], MOST_STEPS // 2):
        for constant in below.node.constants:
            file = case.workspace.existing_file(str(constant.value)) if constant.value else None
            table = case.workspace.table(file) if file is not None else None
            for column in table.columns if table is not None else ():
                known = True
                if column.empty_lines or column.missing_lines or _has_nan(column.odd):
                    return True
    return not known


def _has_nan(odd: Sequence[tuple[int, str]]) -> bool:
    return any(text.strip().lower() in NANS for _, text in odd)


def _makes(step: Step) -> tuple[float, str] | None:
    """Return how clearly a step begins a collection, and what it does."""
    expr = step.node.expr
    if step.condition:
        return None
    if isinstance(expr, (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.SetComp, ast.DictComp)):
        return 1.0, "makes the collection"
    if isinstance(expr, ast.Call) and called_name(expr) in MAKING:
        return 1.0, "makes the collection"
    if isinstance(expr, ast.BinOp) and isinstance(expr.op, (ast.Add, ast.BitOr)):
        sides = (expr.left, expr.right)
        if any(isinstance(side, (ast.List, ast.ListComp, ast.Dict)) for side in sides):
            return 0.8, "puts the collection together"
    return None


# ---------------------------------------------------------------------- cells that are empty
def _gaps(case: Case) -> Iterator[Clue]:
    """Yield the statements that left empty cells in a file, where the failure is about NaN."""
    share = about_nan(case)
    if not share:
        return
    for file in list(_read(case))[:MOST_FILES]:
        line = _first_gap(case, file) if writers_of(case, file) else None
        if line is None:
            continue
        fills: list[int] = []
        for writing, step, strength, does in statements_of(case, file, _leaves, conditions=False):
            if not does:
                fills.append(step.node.line)
                continue
            score = strength * share * (OF_FILLED if fills else 1.0)
            written = says_written(writing, file)
            why = f"`{source(step.node.expr)}` {does}: line {line} has one in {written}"
            yield Clue("data_files.explains", step.node.file, step.node.line, score, why)


def about_nan(case: Case) -> float:
    """Return how far a failure is about values that are no numbers: by its message or its log."""
    message = case.message
    if NOT_A_NUMBER.search(message) or FLOAT_FOR_TEXT.search(message):
        return 1.0
    if case.category.id in ("loss_nan", "loss_divergence"):
        return 1.0
    last = case.log.lines[-MOST_LOG_LINES:]
    return OF_METRICS if any(NAN_METRIC.search(line.text) for line in last) else 0.0


def _first_gap(case: Case, file: str) -> int | None:
    """Return the first line of a file of numbers that has an empty cell or NaN."""
    table = case.workspace.table(file)
    if table is not None and len(table.columns) > 1:
        lines = [
            line
            for column in table.columns
            for line in (
                *column.empty_lines[:1],
                *(n for n, text in column.odd if text.strip().lower() in NANS),
            )
        ]
        if lines:
            return min(lines)
    for number, text in enumerate(case.workspace.lines(file)[:MOST_LINES], 1):
        if "nan" in text.lower() and re.search(r"(?i)(?:^|[\s,;\[:])nan(?:$|[\s,;\]])", text):
            return number
    return None


def _leaves(step: Step) -> tuple[float, str] | None:
    """Return how clearly a step makes NaN; without words where it fills what is empty."""
    expr = step.node.expr
    if isinstance(expr, ast.Call):
        name = called_name(expr)
        if name in FILLS or name in IMPUTERS:
            return 0.1, ""
        if name in ("merge", "join") and isinstance(expr.func, ast.Attribute):
            is_text = isinstance(expr.func.value, ast.Constant)
            return (0.8, "may leave cells empty") if _keeps_all(expr) and not is_text else None
        if name in GAPS and isinstance(expr.func, ast.Attribute):
            filled = keyword(expr, "fill_value") is not None
            return None if filled else (0.8, "may leave cells empty")
    if isinstance(expr, ast.BinOp) and isinstance(expr.op, (ast.Div, ast.Pow)):
        if isinstance(expr.right, ast.Constant) or isinstance(expr.left, ast.Constant):
            return None
        return 0.6, "makes NaN of 0 / 0"
    return None


# ---------------------------------------------------------------------- files without rows
def _emptied(case: Case) -> Iterator[Clue]:
    """Yield the statements that left no row in a file, where the failure says that nothing is."""
    if not TOO_FEW.search(case.message):
        return
    for file in list(_read(case))[:MOST_FILES]:
        if not writers_of(case, file) or not _is_empty(case, file):
            continue
        for writing, step, strength, does in statements_of(case, file, lambda s: _loses(case, s)):
            why = f"`{source(step.node.expr)}` {does}: nothing is in {says_written(writing, file)}"
            yield Clue("data_files.explains", step.node.file, step.node.line, strength, why)


def _is_empty(case: Case, file: str) -> bool:
    """Whether a file of text has no row besides a header."""
    lines = [line for line in case.workspace.lines(file)[:4] if line.strip()]
    if file.endswith((".json",)):
        return [line.strip() for line in lines] in (["[]"], ["{}"])
    return case.workspace.text(file) is not None and len(lines) <= 1 and file.endswith(TEXTUAL)


TEXTUAL = (".csv", ".tsv", ".txt", ".jsonl", ".ndjson", ".lst", ".list", ".tab", ".psv")


# ---------------------------------------------------------------------- lists of files
def _named_files(case: Case) -> Iterator[Clue]:
    """Yield the statements that put a path together which a script wrote into a list of files."""
    if case.category.id != "path_not_found":
        return
    paths = {str(fact.value).replace("\\", "/") for fact in case.facts.of(FactKind.PATH)}
    names = sorted({path.rpartition("/")[2] for path in paths} - {""})
    for file in list(_read(case))[:MOST_FILES]:
        lines = case.workspace.lines(file)[:MOST_LINES] if writers_of(case, file) else ()
        at = [n for n, line in enumerate(lines, 1) if any(name in line for name in names)]
        if not at:
            continue
        for writing, step, strength, does in statements_of(case, file, _puts_together):
            written = says_written(writing, file)
            why = f"`{source(step.node.expr)}` {does}; line {at[0]} names the file in {written}"
            yield Clue("data_files.explains", step.node.file, step.node.line, strength, why)


JOINS = {"join", "joinpath", "with_suffix", "with_name", "with_stem", "replace", "format", "glob"}


def _puts_together(step: Step) -> tuple[float, str] | None:
    """Return how clearly a step puts a path together."""
    expr = step.node.expr
    if step.condition and not (isinstance(expr, ast.Call) and called_name(expr) == "glob"):
        return None
    if isinstance(expr, ast.JoinedStr):
        return 0.8, "puts a name together"
    if isinstance(expr, ast.BinOp) and isinstance(expr.op, (ast.Add, ast.Div, ast.Mod)):
        texts = [n for n in ast.walk(expr) if isinstance(n, ast.Constant)]
        is_text = any(isinstance(text.value, str) for text in texts)
        return (0.8, "puts a name together") if is_text else None
    if isinstance(expr, ast.Call) and isinstance(expr.func, ast.Attribute):
        name = called_name(expr)
        is_separator = isinstance(expr.func.value, ast.Constant) and name == "join"
        return (0.6, "makes a name") if name in JOINS and not is_separator else None
    return None


# ---------------------------------------------------------------------- values of a column
def _wrong_values(case: Case) -> Iterator[Clue]:
    """Yield what makes a column in which many rows hold the value that the failure is about."""
    if case.category.id == "illegal_index":
        wanted = {str(f.value) for f in case.facts.of(FactKind.INDEX)} | set(
            map(str, index_of(case))
        )
    elif case.category.id in ("type_mismatch", "corrupt_data", "illegal_argument"):
        wanted = set(NO_NUMBER.findall(case.message))
    else:
        return
    for file in list(_read(case))[:MOST_FILES] if wanted else ():
        if not any(writing.sure for writing in writers_of(case, file)):
            continue
        for value in sorted(wanted):
            for column in sorted({name for _, name in case.workspace.table_rows(file, value)}):
                yield from _makers_of_column(case, file, column, value)


def _makers_of_column(case: Case, file: str, column: str, value: str) -> Iterator[Clue]:
    """Yield the statements of a file's writers that make a column, unless few rows hold the value.

    One row with a value of its own is mostly an odd one.
    """
    rows = case.workspace.table_rows(file, value, column)
    table = case.workspace.table(file)
    known = table.column(column) if table is not None else None
    if len(rows) <= FEW_ROWS or known is None or column.isdigit():
        return
    if _is_number(value) and known.maximum != float(value):
        return
    makers: dict[tuple[str, int], Writing] = {}
    for writing in writers_of(case, file):
        for step in backward_slice([writing.value], MOST_STEPS):
            node = step.node
            if (
                node.entry is None
                and node.line > 0
                and is_made_at(case, node.file, node.line, column)
            ):
                makers.setdefault((node.file, node.line), writing)
    for (script, line), writing in list(makers.items())[:MOST_STATEMENTS]:
        written = says_written(writing, file)
        why = f"makes `{column}`, of which rows as {rows[0][0]} are {value}, in {written}"
        score = OF_COLUMN / math.sqrt(len(makers))
        yield Clue("data_files.explains", script, line, score, why)


OF_COLUMN = 0.7
"""What the statements count that make a column with a value that the failing program refuses."""


def is_made_at(case: Case, file: str, line: int, column: str) -> bool:
    """Whether a line gives a column its values: by assignment, a dict's entry or a keyword."""
    text = case.workspace.source_line(file, line)
    name = re.escape(column)
    return (
        re.search(
            rf"""\[\s*["']{name}["']\s*\]\s*=(?!=)|["']{name}["']\s*:|\b{name}\s*=(?!=)""", text
        )
        is not None
    )
