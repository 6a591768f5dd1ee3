"""Rules for tables and lists of samples: their columns, how many rows are left, and selections.

Columns that a join renames, fitting anew, values that are not filled. Features and labels, a table
and its new column, two arrays that are stacked: where their numbers of rows differ, an operation
that drops or adds rows stands on the way to one of them and not on the way to the other (a join
that loses rows, a filter, a window, a slice). Conditions that select few of many items.
"""

from __future__ import annotations

import ast
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.data.data_files import TABLES
from dl_bug_lsp.evidence.domain_rules.syntax import (
    calls_in,
    keyword,
    near_files,
    near_scopes,
    own_nodes,
    source,
)
from dl_bug_lsp.evidence.followed_run import follow, has_views, how_known
from dl_bug_lsp.messages import FactKind
from dl_bug_lsp.provenance.engine import Node
from dl_bug_lsp.provenance.nodes import Function, Items
from dl_bug_lsp.provenance.scopes import Scope, called_name
from dl_bug_lsp.provenance.slices import Step, backward_slice

UNEVEN_COLUMNS = re.compile(r"Column \d+ named [\w.-]+ expected length \d+ but got length \d+")
"""What Arrow says where a function of a batched ``map`` gives more or fewer rows than it got, and
columns of the data set stay beside its own (Datasets, "Batch mapping")."""
MOST_FILES = 20
MOST_TABLES = 12
FILLS = {"fillna", "dropna", "interpolate", "ffill", "bfill", "nan_to_num"}
IMPUTERS = {"SimpleImputer", "KNNImputer", "IterativeImputer"}
LEAVES = {"shift", "rolling", "pct_change", "diff", "reindex", "unstack", "pivot", "pivot_table"}
MISSING = ("contains nan", "input contains nan", "nans are not allowed", "contains missing values")


def find_dataframes(case: Case) -> Iterator[Clue]:
    """Yield the calls that prepare a table otherwise than its user expects."""
    if case.category.id == "key_not_found":
        yield from _joined(case)
        if not has_views(case):
            yield from _left_out_keys(case)
    message = case.message.lower()
    if "feature names should match" in message:
        yield from _dummies(case)
    if any(words in message for words in MISSING):
        yield from _not_filled(case)
    if TEXT_AS_NUMBER.search(case.message) and not has_views(case):
        yield from _tests_for_objects(case)
    if case.category.id in WIDTHS and not OF_RANK.search(case.message):
        yield from _fitted_anew(case)
        yield from _fitted_by_function(case)


def _calls(case: Case) -> Iterator[tuple[str, ast.Call]]:
    for file in near_files(case)[:MOST_FILES]:
        tree = case.workspace.tree(file)
        yield from ((file, call) for call in calls_in(tree)) if tree is not None else ()


def _joined(case: Case) -> Iterator[Clue]:
    """Find joins of tables that both have the missing column: it gets a suffix there."""
    keys = {str(f.value) for f in case.facts.of(FactKind.KEY)}
    files = [f for f in case.workspace.files() if f.endswith(TABLES)][:MOST_TABLES]
    tables = [table for f in files if (table := case.workspace.table(f)) is not None]
    for key in sorted(keys):
        owners = [table.file for table in tables if table.column(key) is not None]
        if len(owners) < 2:
            continue
        for file, call in _calls(case):
            on = keyword(call, "on")
            named = {n.value for n in ast.walk(on) if isinstance(n, ast.Constant)} if on else set()
            if called_name(call) not in ("merge", "merge_asof") or on is None or key in named:
                continue
            if not _joins(case, file, call, owners):
                continue
            why = f"`{key}` is a column of {owners[0]} and of {owners[1]}: joined, it gets a suffix"
            yield Clue("rules.strong", file, call.lineno, 1.0, why)


TEXT_AS_NUMBER = re.compile(
    r"could not convert string to float|non-numeric data|must be real number, not str"
    r"|DataFrame\.dtypes for data must be|Unable to convert array of bytes/strings"
)
"""How libraries say that a column of texts stands among numbers."""
OBJECTS = {"'object'", "'O'", "object", "np.object_", "numpy.object_", "np.dtype('O')"}
"""How programs write the dtype that columns of texts had before pandas 3.0."""


def _tests_for_objects(case: Case) -> Iterator[Clue]:
    """Find tests whether a dtype is ``object``: pandas 3.0 gives columns of texts another one.

    (pandas, "Migration guide for the new string data type".)
    """
    why = (
        "since pandas 3.0 the dtype of a column of texts is `str`: this test holds for none of them"
    )
    for file in near_files(case)[:MOST_FILES]:
        tree = case.workspace.tree(file)
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.Call):
                is_test = called_name(node) == "is_object_dtype"
            elif isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
                sides = [source(node.left), source(node.comparators[0])]
                of_dtype = any(re.search(r"\bdtypes?\b", side) for side in sides)
                is_test = of_dtype and not OBJECTS.isdisjoint(sides)
            else:
                continue
            if is_test:
                yield Clue("rules.strong", file, node.lineno, 1.0, why)


def _joins(case: Case, file: str, call: ast.Call, owners: list[str]) -> bool:
    """Whether a join may be one of two of the tables, where the files of its sides are known."""
    sides = [*call.args[:2]]
    if isinstance(call.func, ast.Attribute) and source(call.func.value) not in ("pd", "pandas"):
        sides = [call.func.value, *call.args[:1]]
    read = [_files_of(case, file, side) for side in sides]
    names = {owner.rpartition("/")[2] for owner in owners}
    return len(read) < 2 or not all(read) or all(names & files for files in read)


def _assigned(case: Case, file: str) -> dict[str, list[ast.expr]]:
    """Return what a file assigns to each name, attribute and part."""
    tree = case.workspace.tree(file)
    assigned: dict[str, list[ast.expr]] = {}
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Assign):
            for target in node.targets:
                assigned.setdefault(source(target), []).append(node.value)
    return assigned


MOST_ASSIGNED = 40


def _files_of(case: Case, file: str, expr: ast.expr) -> set[str]:
    """Return the names of the data files from which a file's assignments make an expression."""
    assigned = _assigned(case, file)
    waiting, seen, files = [expr], set[str](), set[str]()
    for _ in range(MOST_ASSIGNED):
        if not waiting:
            break
        for node in ast.walk(waiting.pop()):
            if isinstance(node, ast.Constant) and str(node.value).endswith(TABLES):
                files.add(str(node.value).rpartition("/")[2])
            if isinstance(node, ast.Name) and node.id not in seen:
                seen.add(node.id)
                waiting.extend(assigned.get(node.id, ()))
    return files


def _left_out_keys(case: Case) -> Iterator[Clue]:
    """Find groups that a function is applied to, and by whose column nothing is found afterwards.

    Since pandas 3.0 the function is not given the columns that the rows were grouped by, so what it
    returns lacks them (pandas, "What's new in 3.0.0", ``include_groups``).
    """
    keys = {str(fact.value) for fact in case.facts.of(FactKind.KEY)}
    for file, call in _calls(case):
        if called_name(call) != "apply" or not isinstance(call.func, ast.Attribute):
            continue
        grouped = call.func.value
        while isinstance(grouped, ast.Subscript):
            grouped = grouped.value
        if not isinstance(grouped, ast.Call) or called_name(grouped) != "groupby":
            continue
        by = keyword(grouped, "by") or (grouped.args[0] if grouped.args else None)
        lost = sorted(keys & _texts_of(case, file, by)) if by is not None else []
        if lost:
            why = (
                f"since pandas 3.0 the function that `apply` calls is not given `{lost[0]}`, by "
                "which the rows are grouped: what it returns lacks that column"
            )
            yield Clue("rules.strong", file, call.lineno, 1.0, why)


def _texts_of(case: Case, file: str, expr: ast.expr) -> set[str]:
    """Return the texts in an expression, and in what a name in it is assigned in the file."""
    names = {node.id for node in ast.walk(expr) if isinstance(node, ast.Name)}
    assigned = _assigned(case, file) if names else {}
    parts = [expr, *(value for name in names for value in assigned.get(name, ()))]
    constants = (n for part in parts for n in ast.walk(part) if isinstance(n, ast.Constant))
    return {node.value for node in constants if isinstance(node.value, str)}


WIDTHS = {"tensor_mismatch", "illegal_argument"}
"""Categories in which the number of features may be what is wrong."""
OF_RANK = re.compile(r"[Ee]xpected \dD array|\bndim=\d|number of dimensions")
"""How messages complain of the number of axes, whatever the number of features."""


def _fitted_anew(case: Case) -> Iterator[Clue]:
    """Find a transformer that is fitted to one table and then anew to another.

    What it was fitted to decides how many features it makes (scikit-learn, "Common pitfalls":
    inconsistent preprocessing).
    """
    for file in near_files(case)[:MOST_FILES]:
        tree = case.workspace.tree(file)
        first: dict[str, ast.Call] = {}
        for call in sorted(calls_in(tree) if tree is not None else (), key=lambda c: c.lineno):
            if called_name(call) != "fit_transform" or not call.args:
                continue
            owner = source(call.func.value) if isinstance(call.func, ast.Attribute) else ""
            before = first.setdefault(owner, call)
            if before is not call and source(before.args[0]) != source(call.args[0]):
                why = (
                    f"`{owner}` is fitted anew here, to `{source(call.args[0])}`: it may make "
                    f"other features than for `{source(before.args[0])}` (`transform` keeps them)"
                )
                yield Clue("rules.strong", file, call.lineno, 1.0, why)


def _fitted_by_function(case: Case) -> Iterator[Clue]:
    """Find a function that fits a transformer that it is given, and is called more than once."""
    for file in near_files(case)[:MOST_FILES]:
        tree = case.workspace.tree(file)
        if tree is None:
            continue
        uses = Counter(called_name(call) for call in calls_in(tree))
        for function in ast.walk(tree):
            if not isinstance(function, ast.FunctionDef) or uses[function.name] < 2:
                continue
            # A model that fits itself is no transformer that a function is given.
            parameters = {a.arg for a in function.args.args} - {"self", "cls"}
            for call in calls_in(function):
                owner = source(call.func.value) if isinstance(call.func, ast.Attribute) else ""
                if called_name(call) in ("fit_transform", "fit") and owner in parameters:
                    why = f"`{owner}` is fitted anew here with each call of `{function.name}`"
                    yield Clue("rules.strong", file, call.lineno, 1.0, why)


KEYS = (FactKind.KEY, FactKind.COLUMN, FactKind.NAME)


def _dummies(case: Case) -> Iterator[Clue]:
    """Find tables that each get columns for their own categories (``city_Oslo``)."""
    keys = [str(f.value) for kind in KEYS for f in case.facts.of(kind)]
    if keys and not any("_" in key for key in keys):
        return
    for file, call in _calls(case):
        if called_name(call) == "get_dummies":
            why = (
                "`get_dummies` makes columns of the categories that this table holds, and no others"
            )
            yield Clue("rules.strong", file, call.lineno, 1.0, why)


def _not_filled(case: Case) -> Iterator[Clue]:
    """Find what fills missing values, and what leaves some."""
    touched = {(step.node.file, step.node.line) for step in case.raise_slice}
    for file, call in _calls(case):
        name = called_name(call)
        if name in FILLS or name in IMPUTERS:
            why = f"`{name}` treats missing values, perhaps not in all columns"
            yield Clue("rules.medium", file, call.lineno, 1.0, why)
        elif name in LEAVES:
            level = "medium" if (file, call.lineno) in touched else "weak"
            why = f"`{name}` may leave missing values"
            yield Clue(f"rules.{level}", file, call.lineno, 1.0, why)
        elif name == "cut" and (file, call.lineno) in touched:
            why = "`cut` makes missing values of what lies outside of its bins"
            yield Clue("rules.medium", file, call.lineno, 1.0, why)
        elif name in ("merge", "join") and (file, call.lineno) in touched and _keeps_all(call):
            why = f"`{name}` leaves the other table's columns missing in rows without a partner"
            yield Clue("rules.medium", file, call.lineno, 1.0, why)
        elif name == "to_numeric" and keyword(call, "errors") is not None:
            why = "`to_numeric` makes missing values of what is no number"
            yield Clue("rules.weak", file, call.lineno, 1.0, why)


def _keeps_all(call: ast.Call) -> bool:
    """Whether a join keeps rows that have no partner."""
    how = keyword(call, "how")
    return isinstance(how, ast.Constant) and how.value in ("left", "right", "outer")


# ---------------------------------------------------------------------- numbers of rows
UNEQUAL = re.compile(
    r"(?i)cardinality is ambiguous|inconsistent numbers of samples|length of values"
    r"|(?:same|equal|different|unequal|mismatch\w*) (?:lengths?"
    r"|number of (?:rows|samples|examples))"
    r"|lengths? (?:must|should|do not|don't) (?:match|be equal)|length mismatch"
    r"|same first dimension"
    r"|size mismatch between tensors|boolean index did not match|item wrong length"
    r"|(?:rows|samples|examples|lengths?|labels|targets)\b.{0,60}\b(?:match|differ|equal|agree)"
    r"|must have the same (?:first dimension|number)|unalignable boolean"
)
"""How messages say that two things have different numbers of rows."""
DROPPING = {
    *("merge", "join", "dropna", "drop_duplicates", "query", "sample", "head", "tail", "nlargest"),
    *(
        "nsmallest",
        "filter",
        "truncate",
        "between_time",
        "resample",
        "asfreq",
        "explode",
        "compress",
    ),
    *("unique", "concat", "append", "delete", "repeat", "sliding_window_view", "reindex", "isin"),
    *("take", "choice", "pivot", "pivot_table", "agg", "melt", "merge_asof", "merge_ordered"),
    *("timeseries_dataset_from_array", "vstack", "tile", "subsample", "resize", "drop"),
}
"""Calls that change how many rows a table or an array has."""
SIDES = {
    "x",
    "y",
    "data",
    "target",
    "targets",
    "labels",
    "label",
    "sample_weight",
    "validation_data",
}
"""Parameters that take what must have equally many rows, in lower case."""
SIDE_STEPS = 120
MOST_SIDES = 6
IN_ALL, BY_SLICE = 0.2, 0.7
"""What an operation counts that every side goes through, and one that cuts by positions."""


def find_kept_columns(case: Case) -> Iterator[Clue]:
    """Yield the lists of columns to remove that leave a column of the data set where it is."""
    if not UNEVEN_COLUMNS.search(case.message):
        return
    files = (file for file in case.workspace.files() if file.endswith(TABLES))
    known = [(file, case.workspace.table(file)) for file in list(files)[:MOST_TABLES]]
    columns = {file: [c.name for c in table.columns] for file, table in known if table is not None}
    for scope in near_scopes(case):
        for call in (c for c in scope.calls if called_name(c) == "map"):
            removed = keyword(call, "remove_columns")
            if removed is None:
                if keyword(call, "batched") is not None:
                    why = f"`{source(call)}` removes no column, whose rows stay beside the new ones"
                    yield Clue("rules.strong", scope.file, call.lineno, 0.7, why)
                continue
            for value in case.engine.node(removed, case.engine.open_context(scope)).values:
                if isinstance(value, Items):
                    yield from _left_columns(value, columns)


def _left_columns(listed: Items, columns: Mapping[str, list[str]]) -> Iterator[Clue]:
    names = {c.value for node in listed.items for c in node.constants if isinstance(c.value, str)}
    for file, own in columns.items():
        left = [name for name in own if name not in names]
        if left and len(names & set(own)) * 2 > len(own):
            place = listed.items[0]
            why = f"column `{left[0]}` of {file} is not among the columns that are removed"
            yield Clue("rules.strong", place.file, place.line, 1.0, why)


def find_row_counts(case: Case) -> Iterator[Clue]:
    """Yield the operations that change the number of rows of one side and not of the other."""
    if not UNEQUAL.search(case.message):
        return
    sides = [backward_slice([side], SIDE_STEPS) for side in _sides(case)]
    if len(sides) < 2:
        return
    changes = [_changes(steps) for steps in sides]
    places: dict[tuple[str, int], tuple[str, float, float]] = {}
    for own in changes:
        for place, (text, strength, distance) in own.items():
            through = sum(place in other for other in changes)
            alike = any(
                text == like
                for other in changes
                if place not in other
                for like, _, _ in other.values()
            )
            share = IN_ALL if through == len(sides) or alike else 1.0
            places.setdefault(place, (text, strength * share, distance))
    count = sum(strength >= BY_SLICE for _, strength, _ in places.values())
    for (file, line), (text, strength, distance) in places.items():
        if strength >= BY_SLICE:
            why = f"`{text}` may change the number of rows of one side alone"
            score = strength * math.exp(-distance / 20) / math.sqrt(max(count, 1))
            yield Clue("rules.rows_of_one_side", file, line, score, why)


def _sides(case: Case) -> list[Node]:
    """Return what must have equally many rows at the raise site."""
    sides: list[Node] = []
    for start in case.starts:
        for part in ast.walk(start.expr):
            exprs: list[ast.expr] = []
            if isinstance(part, ast.Compare):
                exprs = [part.left, *part.comparators]
            elif isinstance(part, ast.Call):
                named = [k.value for k in part.keywords if (k.arg or "").lower() in SIDES]
                exprs = [*part.args[:3], *named]
            for expr in exprs:
                inner = expr.elts if isinstance(expr, (ast.Tuple, ast.List)) else [expr]
                sides.extend(
                    start.engine.node(e, start.context)
                    for e in inner
                    if not isinstance(e, ast.Constant | ast.Starred)
                )
            if sides:
                return sides[:MOST_SIDES]
    return []


def _changes(steps: list[Step]) -> dict[tuple[str, int], tuple[str, float, float]]:
    """Return the operations on the way that change a number of rows: text, strength, distance."""
    changes: dict[tuple[str, int], tuple[str, float, float]] = {}
    for step in steps:
        node = step.node
        strength = _strength(node.expr)
        if strength and node.line > 0 and node.entry is None:
            changes.setdefault((node.file, node.line), (_text(node.expr), strength, step.distance))
    return changes


def _text(expr: ast.expr) -> str:
    """Return what an operation does, without that which it does it to where it cuts."""
    if isinstance(expr, ast.Subscript):
        return f"[{source(expr.slice)}]"
    return source(expr)


def _strength(expr: ast.expr) -> float:
    """Return how clearly an expression changes a number of rows, 0 where it does not."""
    if isinstance(expr, ast.Call):
        name = called_name(expr)
        by_columns = any(
            k.arg in ("columns", "items", "regex", "like")
            or (k.arg == "axis" and "1" in source(k.value))
            for k in expr.keywords
        )
        return 1.0 if name in DROPPING and not by_columns else 0.0
    if isinstance(expr, ast.Subscript):
        index = expr.slice.elts[0] if isinstance(expr.slice, ast.Tuple) else expr.slice
        if isinstance(index, ast.Slice):
            return BY_SLICE if index.lower or index.upper or index.step else 0.0
        return 1.0 if isinstance(index, ast.Compare | ast.BoolOp) else 0.0
    if isinstance(expr, ast.ListComp | ast.GeneratorExp):
        return 1.0 if any(generator.ifs for generator in expr.generators) else 0.0
    return 0.0


def _gives_labels(case: Case, file: str) -> bool:
    """Whether a file gives rows of tables new labels somewhere (``reset_index``)."""
    tree = case.workspace.tree(file)
    return tree is not None and any(called_name(c) == "reset_index" for c in calls_in(tree))


def find_kept_labels(case: Case) -> Iterator[Clue]:
    """Yield what leaves a table with gaps in its row labels, where a position is looked up.

    A filter and a part of a table keep the labels of their rows, and ``series[i]`` looks for the
    label ``i`` (pandas, "Indexing and selecting data").
    """
    if re.fullmatch(r"(?:np\.int64\()?\d+\)?", case.message.strip()) is None:
        return
    if not any("pandas" in frame.file for frame, _ in case.located):
        return
    if any(frame.file.endswith("frame.py") for frame, _ in case.located):
        return  # A table looks a key up among its columns.
    seen: set[tuple[str, int]] = set()
    files = {step.node.file for step in case.stack_steps}
    labelling = {file for file in files if _gives_labels(case, file)}
    for step in case.stack_steps:
        node = step.node
        place = (node.file, node.line)
        if node.entry is not None or node.line <= 0 or place in seen:
            continue
        part = node.expr.slice if isinstance(node.expr, ast.Subscript) else None
        keeps = isinstance(part, ast.Constant) and isinstance(part.value, str)
        if _strength(node.expr) or keeps:
            seen.add(place)
            why = f"`{node.text}` keeps the labels of its rows, among which a number is looked up"
            # Where rows get new labels elsewhere, this is where that was forgotten.
            rows, columns = (1.0, 0.8) if node.file in labelling else (0.8, 1.0)
            score = (rows if _strength(node.expr) else columns) * math.exp(-step.distance / 20)
            yield Clue("rules.row_labels", *place, score, why)


# ---------------------------------------------------------------------- selections
TOO_FEW = re.compile(
    r"(?i)larger (?:sample )?than (?:the )?population|\bempty\b|\b0 sample|num_samples=0"
    r"|n_samples=0|at least (?:one|two|\d+) (?:array|sample|element|row|example|item|member)"
    r"|zero-size array|only 1 member|members? in each class|least populated class"
    r"|population must be|greater than the number of (?:samples|members)"
    r"|n_samples=\d+ should be >= n_clusters|size 0\b|(?:division|divide|modulo) by zero"
    r"|ran out of data|received no (?:data|input)"
    r"|Expected n_neighbors <= n_samples|No (?:data|samples|examples|rows)|with 0 (?:rows|samples)"
)
"""How messages say that there are fewer items than are wanted."""
FEW_ERRORS = ("StopIteration", "StatisticsError")
FEW = 0.4
"""The share of items up to which a condition selects few: most filters are there to drop some."""
MANY = 8
"""Items from which on the share tells something."""
ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.NotEq, ast.In, ast.NotIn, ast.Eq)


def find_selections(case: Case) -> Iterator[Clue]:
    """Yield conditions that kept few of the items that the followed run asked them of."""
    cause = case.failure.cause
    if not TOO_FEW.search(case.message) and (cause is None or cause.type not in FEW_ERRORS):
        return
    outcome = follow(case)
    traced = outcome.dynamic_slice
    for (file, line), (taken, asked) in outcome.selected.items():
        if traced and (file, line) not in traced and 0 < taken < asked:
            continue
        found = condition_on(case, file, line) if asked >= MANY else None
        if found is None:
            continue
        test, keeps = found
        kept = taken if keeps else asked - taken
        share = kept / asked
        if share < FEW and (kept == 0 or not _looks_for_one(test)):
            score = 1 - share / FEW
            limits = list(_limits(case, test))
            for setting in limits:
                why = f"this is the limit of `{source(test)}`, which keeps {kept} of {asked} items"
                part = score / math.sqrt(len(limits))
                yield Clue("rules.strong", *setting, part, f"{why} {how_known(case)}")
            why = f"`{source(test)}` keeps {kept} of {asked} items {how_known(case)}"
            yield Clue("rules.strong", file, line, score * (OF_CUTS if limits else 1.0), why)


def _limits(case: Case, test: ast.expr) -> Iterator[tuple[str, int]]:
    """Yield the settings that a condition compares with and that what fails was made of."""
    raised = follow(case).raised
    if not isinstance(test, ast.Compare) or raised is None:
        return
    made = {place for side in raised.sides for place in side.origins}
    for side in (test.left, *test.comparators):
        named = _counted(side)
        for file, line, _ in _settings_named(case, named[0]) if named is not None else ():
            if (file, line) in made:
                yield file, line


TOTALS = re.compile(
    r"\b\d+/(\d+) \[|\b(\d+) (?:users|items|rows|samples|examples|images|records|documents|files"
    r"|sentences|sequences|subjects|patients|series|points)\b"
)
"""Numbers of things in a log: the totals of progress bars, and counts with a noun."""
SIZES_GIVEN = {"sample", "train_test_split", "random_split", "islice", "take", "skip", "narrow"}
"""Calls that are given how many items a part has."""
OF_CUTS = 0.6
"""What a line that cuts counts beside the setting that says how far."""
OF_OTHER_CHOICE = 0.3
"""What a setting counts under a condition, where another one's condition is printed to hold."""


def find_large_cuts(case: Case) -> Iterator[Clue]:
    """Yield settings that ask for more items of a collection than the log shows that there are.

    A slice beyond the end of a sequence is empty and raises nothing (Python, "Common Sequence
    Operations").
    """
    if not TOO_FEW.search(case.message):
        return
    found = (TOTALS.finditer(line.text) for line in case.log.lines[-MOST_LOG_LINES:])
    totals = {int(match[1] or match[2]) for matches in found for match in matches}
    there = max(totals, default=0)
    if there < MANY:
        return
    for name, (times, places) in _cuts(case).items():
        printed = case.engine.run.printed.get(name)
        large = [
            setting
            for setting in _settings_named(case, name)
            if setting[2] * times > there and printed in (None, str(setting[2]))
        ]
        chosen = [s for s in large if _is_chosen(case, s[0], s[1])]
        for file, line, value in large:
            share = 1.0 if not chosen or (file, line, value) in chosen else OF_OTHER_CHOICE
            part = f"{times} times {value}" if times > 1 else str(value)
            why = (
                f"{places[0][0]}:{places[0][1]} cuts off {part} items, as `{name}` says here, and "
                f"the log shows {there}"
            )
            yield Clue("rules.strong", file, line, share / math.sqrt(len(chosen or large)), why)
        if large:
            for file, line in places[:MOST_CUTS]:
                why = f"cuts by `{name}`, which is more than the {there} items that the log shows"
                yield Clue("rules.strong", file, line, OF_CUTS / math.sqrt(len(places)), why)


MOST_LOG_LINES = 400
MOST_CUTS = 4
MOST_SETTING_FILES = 120


def _cuts(case: Case) -> dict[str, tuple[int, list[tuple[str, int]]]]:
    """Return the names by which code cuts sequences, how many times over, and where."""
    cuts: dict[str, tuple[int, list[tuple[str, int]]]] = {}
    for file in near_files(case)[:MOST_SETTING_FILES]:
        tree = case.workspace.tree(file)
        for node in ast.walk(tree) if tree is not None else ():
            bounds: list[ast.expr | None] = []
            if isinstance(node, ast.Slice):
                bounds = [node.lower, node.upper]
            elif isinstance(node, ast.Call) and called_name(node) in SIZES_GIVEN:
                bounds = [*node.args[1:3], *(k.value for k in node.keywords)]
            for bound in bounds:
                named = _counted(bound)
                if bound is not None and named is not None:
                    times, places = cuts.get(named[0], (0, []))
                    place = (file, bound.lineno)
                    cuts[named[0]] = (
                        max(times, named[1]),
                        places if place in places else [*places, place],
                    )
    return cuts


def _counted(bound: ast.expr | None) -> tuple[str, int] | None:
    """Return the name in a bound and the factor before it: ``-2 * n`` is twice ``n``."""
    if isinstance(bound, ast.UnaryOp) and isinstance(bound.op, ast.USub):
        bound = bound.operand
    if isinstance(bound, ast.BinOp) and isinstance(bound.op, ast.Mult):
        for factor, other in ((bound.left, bound.right), (bound.right, bound.left)):
            known = factor.operand if isinstance(factor, ast.UnaryOp) else factor
            named = _counted(other)
            if isinstance(known, ast.Constant) and type(known.value) is int and named is not None:
                return named[0], named[1] * abs(known.value)
    if isinstance(bound, ast.Attribute):
        return bound.attr, 1
    return (bound.id, 1) if isinstance(bound, ast.Name) else None


def _settings_named(case: Case, name: str) -> list[tuple[str, int, int]]:
    """Return (file, line, number) of what gives a name a whole number: code, options, settings."""
    found = [
        (entry.file, entry.line, entry.value)
        for entry in case.config_entries
        if entry.key == name and type(entry.value) is int
    ]
    for file in near_files(case)[:MOST_SETTING_FILES]:
        tree = case.workspace.tree(file)
        for node in ast.walk(tree) if tree is not None else ():
            value: ast.expr | None = None
            if isinstance(node, ast.Assign) and any(_counted(t) == (name, 1) for t in node.targets):
                value = node.value
            elif isinstance(node, ast.Call) and called_name(node) == "add_argument":
                words = {a.value for a in node.args if isinstance(a, ast.Constant)}
                spelt = {str(word).lstrip("-").replace("-", "_") for word in words}
                value = keyword(node, "default") if name in spelt else None
            parts = [value.body, value.orelse] if isinstance(value, ast.IfExp) else [value]
            found.extend(
                (file, part.lineno, part.value)
                for part in parts
                if isinstance(part, ast.Constant) and type(part.value) is int
            )
    return list(dict.fromkeys(found))


def _is_chosen(case: Case, file: str, line: int) -> bool:
    """Whether what is tested around a line names a setting's value as the log prints it."""
    scope = case.engine.program.scope_at(file, line) if file.endswith(".py") else None
    tests = scope.tests_at(line)[-1:] if scope is not None else ()
    printed = set(case.engine.run.printed.values())
    return any(
        isinstance(part, ast.Constant) and isinstance(part.value, str) and part.value in printed
        for test in tests
        for part in ast.walk(test)
    )


ONCE = frozenset(
    ("filter", "map", "zip", "iter", "parameters", "named_parameters", "reader", "DictReader")
)
"""Functions and methods whose result can be iterated over once."""


def find_used_up(case: Case) -> Iterator[Clue]:
    """Yield an iterator that a line uses up, where a later one finds nothing left in it."""
    cause = case.failure.cause
    if not TOO_FEW.search(case.message) and (cause is None or cause.type not in FEW_ERRORS):
        return
    for scope in near_scopes(case):
        if scope.is_class:
            continue
        nodes = list(own_nodes(scope.node))
        for made in nodes:
            if not isinstance(made, ast.Assign) or not isinstance(made.targets[0], ast.Name):
                continue
            name = made.targets[0].id
            if _is_generator(case, scope, made.value) or _is_once(made.value):
                yield from _used_up_in_rounds(case, scope, made, name)
            if not _is_once(made.value):
                continue
            reads = sorted(_reads(scope.node, name, made.lineno), key=lambda n: n.lineno)
            again = [n.lineno for n in reads if n.lineno > reads[0].lineno]
            if again and _is_used_up_in(scope.node, reads[0]):
                why = f"`{name}` can be iterated over once: line {reads[0].lineno} uses it up"
                yield Clue("rules.strong", scope.file, reads[0].lineno, 1.0, why)
                yield Clue("rules.strong", scope.file, made.lineno, 0.9, why)


def _used_up_in_rounds(case: Case, scope: Scope, made: ast.Assign, name: str) -> Iterator[Clue]:
    """Yield an iterator that is made before a loop whose first round uses it up."""
    for loop in own_nodes(scope.node):
        if not isinstance(loop, (ast.For, ast.While)) or loop.lineno <= made.lineno:
            continue
        reads = [read for body in loop.body for read in _reads(body, name, made.lineno)]
        for read in reads[:1]:
            if not _is_used_up_in(loop, read) and not _is_handed_on(case, scope, loop, read):
                continue
            why = (
                f"`{name}` is made before the loop of line {loop.lineno} and can be iterated over "
                f"once: from the second round on line {read.lineno} finds nothing in it"
            )
            yield Clue("rules.strong", scope.file, made.lineno, 1.0, why)
            yield Clue("rules.strong", scope.file, read.lineno, 0.6, why)
            return


def _is_generator(case: Case, scope: Scope, value: ast.expr) -> bool:
    """Whether a value is made by calling a function of the program that yields."""
    if not isinstance(value, ast.Call):
        return False
    return any(
        isinstance(node, (ast.Yield, ast.YieldFrom))
        for function in _called(case, scope, value)
        for node in own_nodes(function.node)
    )


def _called(case: Case, scope: Scope, call: ast.Call) -> list[Scope]:
    """Return the functions of the program that a call may call."""
    values = case.engine.node(call.func, case.engine.open_context(scope)).values
    return [value.scope for value in values if isinstance(value, Function)]


def _is_handed_on(case: Case, scope: Scope, loop: ast.AST, read: ast.Name) -> bool:
    """Whether a name is handed to a function of the program that goes through it."""
    for call in (node for node in ast.walk(loop) if isinstance(node, ast.Call)):
        at = next((at for at, arg in enumerate(call.args) if arg is read), -1)
        for function in _called(case, scope, call) if at >= 0 else ():
            names = [p.arg for p in function.parameters()]
            names = names[1:] if names[:1] == ["self"] else names
            inside = _reads(function.node, names[at], 0) if at < len(names) else ()
            if any(_is_used_up_in(function.node, inner) for inner in inside):
                return True
    return False


def _is_once(value: ast.expr) -> bool:
    return isinstance(value, ast.GeneratorExp) or (
        isinstance(value, ast.Call) and called_name(value) in ONCE
    )


def _reads(node: ast.AST, name: str, after: int) -> Iterator[ast.Name]:
    names = (inner for inner in ast.walk(node) if isinstance(inner, ast.Name))
    for read in names:
        if read.id == name and read.lineno > after and isinstance(read.ctx, ast.Load):
            yield read


def _is_used_up_in(node: ast.AST, read: ast.Name) -> bool:
    """Whether a name is iterated over where it is read: by a loop, or by a function like `sum`."""
    for inner in ast.walk(node):
        if isinstance(inner, (ast.For, ast.comprehension)) and inner.iter is read:
            return True
        if isinstance(inner, ast.Call) and any(arg is read for arg in inner.args):
            return called_name(inner) in WHOLE
    return False


WHOLE = frozenset(
    ("sum", "list", "tuple", "set", "sorted", "max", "min", "any", "all", "dict", "join")
)
"""Functions that go through the whole of what they are given."""


def condition_on(case: Case, file: str, line: int) -> tuple[ast.expr, bool] | None:
    """Return the condition on a line that compares, and whether it keeps that of which it is true.

    What is raised, tried or done instead selects nothing.
    """
    tree = case.workspace.tree(file)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.If) and node.test.lineno == line:
            kept = _keeps(node)
            return (node.test, kept) if kept is not None and _compares(node.test) else None
        if isinstance(node, ast.comprehension):
            for test in node.ifs:
                if test.lineno == line and _compares(test):
                    return test, True
        if isinstance(node, ast.Subscript) and node.lineno == line and _compares(node.slice):
            return node.slice, True
    return None


def _keeps(node: ast.If) -> bool | None:
    """Return whether an item goes on where a condition is true, None where either does."""
    if node.orelse:
        return None
    if isinstance(node.body[-1], ast.Continue):
        return False
    adds = any(
        isinstance(part, (ast.Yield, ast.YieldFrom))
        or (isinstance(part, ast.Attribute) and part.attr in ("append", "add", "extend"))
        for statement in node.body
        for part in ast.walk(statement)
    )
    return True if adds else None


def _looks_for_one(test: ast.expr) -> bool:
    """Whether a condition is made to hold of few: it asks for a value, or one of some."""
    compares = [part for part in ast.walk(test) if isinstance(part, ast.Compare)]
    return any(isinstance(part.ops[0], (ast.Eq, ast.In)) for part in compares)


def _compares(test: ast.expr) -> bool:
    return any(
        (isinstance(part, ast.Compare) and isinstance(part.ops[0], ORDERS))
        or (isinstance(part, ast.UnaryOp) and isinstance(part.op, (ast.Not, ast.Invert)))
        for part in ast.walk(test)
    )
