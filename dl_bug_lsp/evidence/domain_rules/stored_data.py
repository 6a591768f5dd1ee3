"""What a file gives back is not what the program needs: caches, JSON, CSV files, records.

- A cache that is read where it exists is not made again when a setting changes that its name does
  not hold.
- JSON has texts for keys alone (RFC 8259, section 4): a table with whole numbers as keys comes
  back with texts (Python, `json`, "Basic Usage").
- `pandas.read_csv` makes numbers of columns of digits, so that leading zeros are lost (pandas, "IO
  tools", "Specifying column data types").
- A file that is not found may have been written under another name: OpenCV's ``imread`` then gives
  None and warns (OpenCV, "Image file reading and writing").
- A record of TensorFlow keeps whole numbers, floats and bytes only, and a reader names for each key
  which of them it is and how many there are (TensorFlow, "TFRecord and tf.train.Example").
- A file is named after what is in it: an object that is saved under the words of another one's name
  comes back as that one.
- A table with a row for each name has rows from 0 on: of names to which a file gives numbers that
  do not begin at 0, or leave some out, the highest is beyond its end.
"""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.data.data_files import TABLES
from dl_bug_lsp.evidence.domain_rules.syntax import (
    calls_in,
    keyword,
    near_files,
    own_nodes,
    source,
)
from dl_bug_lsp.evidence.followed_run import follow
from dl_bug_lsp.evidence.interpreted_values import origins_of, places_of
from dl_bug_lsp.evidence.repairs.spelling import best
from dl_bug_lsp.evidence.word_index import parts_of
from dl_bug_lsp.interpretation.values import Origin, Value
from dl_bug_lsp.messages import FactKind
from dl_bug_lsp.provenance.scopes import Scope, called_name
from dl_bug_lsp.provenance.written_files import named_otherwise, parts_written, patterns
from dl_bug_lsp.workspace.contents import ConfigEntry

MOST_FILES, MOST_TABLES, MOST_ARRAYS = 40, 12, 40
LOADING = {
    *("load", "loads", "loadtxt", "load_npz", "load_file", "load_from_disk"),
    *("read_csv", "read_parquet", "read_pickle", "read_json", "read_feather"),
}
EXISTS = {"exists", "is_file", "isfile", "is_dir", "isdir"}
STORES = re.compile(r"\.(?:save\w*|dump|to_(?:csv|parquet|pickle|json|feather)|write_\w+)$|^save")
ARRAYS = (".npy", ".npz")
OF_SIZES = {"tensor_mismatch", "illegal_argument", "illegal_index", "framework_api_misuse"}
ZERO_PADDED = re.compile(r"0\d+")
LOSES_ROWS = {"merge", "join", "map", "isin", "reindex", "get_indexer", "loc", "lookup"}
ROWS_LOOKED_AT = 50


def find_stored_data(case: Case) -> Iterator[Clue]:
    """Yield the places where what is read from a file is not what was meant to be there."""
    files = near_files(case)[:MOST_FILES]
    if case.category.id in OF_SIZES:
        yield from _caches(case, files)
    if case.category.id == "key_not_found":
        yield from _json_keys(case, files)
    yield from _leading_zeros(case, files)


NOT_READ = re.compile(r"imread_?\(['\"]([^'\"\n]{1,300})['\"]\): can't open/read file")
MOST_NOT_READ = 4
MOST_NAMED = 4
OF_NAMES = 0.8


def find_other_names(case: Case) -> Iterator[Clue]:
    """Yield the calls that write files under other names into the folder of one that is missing."""
    paths: dict[str, None] = {}
    if case.category.id == "path_not_found":
        facts = (fact.value for fact in case.facts.of(FactKind.PATH))
        paths.update((value, None) for value in facts if isinstance(value, str))
    elif "NoneType" in case.message or "empty()" in case.message:
        for shown in case.log.lines:
            match = NOT_READ.search(shown.text) if "imread" in shown.text else None
            if match is not None and len(paths) < MOST_NOT_READ:
                paths[match[1]] = None
    found = {
        (n.file, n.line): (n.pattern, p) for p in paths for n in named_otherwise(case.engine, p)
    }
    if len(found) > MOST_NAMED:
        return
    for (file, line), (pattern, path) in found.items():
        why = (
            f"this writes `{pattern}` into the folder where `{path.rpartition('/')[2]}` is missing"
        )
        yield Clue("rules.strong", file, line, OF_NAMES / len(found) ** 0.5, why)


SAME_WORDS = {
    **dict.fromkeys(("x", "features", "inputs", "input"), "feature"),
    **dict.fromkeys(("y", "targets", "labels", "label", "outputs", "output", "tgt"), "target"),
    **dict.fromkeys(("valid", "validation", "dev"), "val"),
    **dict.fromkeys(("training", "tr"), "train"),
    **dict.fromkeys(("testing", "te"), "test"),
    **dict.fromkeys(("enc",), "encoder"),
    **dict.fromkeys(("dec",), "decoder"),
}
"""Words by which programs name the same part of their data or models."""


def find_unlike_names(case: Case) -> Iterator[Clue]:
    """Yield the calls that save an object under another's name, or read one from another's file.

    ``joblib.dump(x_scaler, "target_scaler.joblib")`` beside a ``y_scaler`` that was made in the
    same way saves the wrong one. The file has a part in what fails.
    """
    steps = [*case.raise_slice, *(step for steps in case.outer_slices for step in steps)]
    near = {(step.node.file, step.node.line) for step in steps}
    scopes = {id(s.node.context.scope): s.node.context.scope for s in steps}
    for scope in scopes.values():
        yield from (clue for clue in _saved_unlike(case, scope) if (clue.file, clue.line) in near)
        yield from (clue for clue in _read_unlike(case, scope) if (clue.file, clue.line) in near)


def _saved_unlike(case: Case, scope: Scope) -> Iterator[Clue]:
    for call in scope.calls:
        parts = parts_written(scope, call)
        saved = _name_of(parts[0]) if parts is not None else ""
        stems = _stems(case, scope, parts[1]) if parts is not None and saved else []
        for stem in stems:
            for other in _made_alike(scope, saved):
                if _means_other(_words(saved), _words(other), _words(stem)):
                    why = f"`{saved}` goes into `{stem}`, a name that fits `{other}`"
                    yield Clue("rules.strong", scope.file, call.lineno, 1.0, why)


def _read_unlike(case: Case, scope: Scope) -> Iterator[Clue]:
    read: list[tuple[str, str, int]] = []
    for name, bindings in scope.bindings.items():
        for binding in bindings:
            call = binding.value
            if isinstance(call, ast.Call) and called_name(call) in LOADING and call.args:
                stems = _stems(case, scope, call.args[0])
                read.extend((name, stem, binding.line) for stem in stems)
    for name, stem, line in read:
        for _, other, _ in read:
            if _means_other(_words(stem), _words(other), _words(name)):
                why = f"`{name}` is read from `{stem}`, and its name fits `{other}`"
                yield Clue("rules.strong", scope.file, line, 1.0, why)


def _words(name: str) -> frozenset[str]:
    words = parts_of(posixpath.splitext(name)[0].rpartition(".")[2])
    return frozenset(SAME_WORDS.get(word.lower(), word.lower()) for word in words)


def _means_other(own: frozenset[str], other: frozenset[str], said: frozenset[str]) -> bool:
    """Whether a name says the other of two names that differ in one word."""
    mine, its = own - other, other - own
    return len(mine) == len(its) == 1 and its <= said and not mine & said


def _name_of(expr: ast.expr) -> str:
    """Return the last name of an object, or of the one whose method gives it; else nothing."""
    if isinstance(expr, ast.Call) and isinstance(expr.func, ast.Attribute):
        return _name_of(expr.func.value)
    if isinstance(expr, ast.Attribute):
        return expr.attr
    return expr.id if isinstance(expr, ast.Name) else ""


def _stems(case: Case, scope: Scope, path: ast.expr) -> list[str]:
    """Return the names of files that a path may mean and that are written out."""
    found = patterns(case.engine, case.engine.node(path, case.engine.open_context(scope)))
    names = dict.fromkeys(pattern.rpartition("/")[2] for pattern in found)
    return [name for name in names if "*" not in name]


def _made_alike(scope: Scope, name: str) -> list[str]:
    """Return the other names of a scope that were made by the same calls, or in one statement."""
    ways = {other: _ways(scope, other) for other in scope.bindings}
    own = ways.get(name, set())
    return [other for other, way in ways.items() if other != name and own & way]


def _ways(scope: Scope, name: str) -> set[str]:
    """Return how a name got its values: the functions called for them, or a shared statement."""
    ways: set[str] = set()
    for binding in scope.bindings[name]:
        if binding.how != "assign":
            continue
        called = _chain(binding.value)
        ways.add(called if called else f"line {binding.line}")
    return ways


def _chain(expr: ast.AST) -> str:
    """Return the functions that an expression calls one on the other, without their arguments."""
    if isinstance(expr, ast.Call):
        inner = _chain(expr.func)
        return f"{inner}()" if inner else ""
    if isinstance(expr, ast.Attribute):
        inner = _chain(expr.value)
        return f"{inner}.{expr.attr}" if inner else ""
    return expr.id if isinstance(expr, ast.Name) else ""


OF_NUMBERS = ("numbers.", "config.", "repair.", "interpretation.", "slice.", "outer_slice.")
OF_OTHER_SIDE = 0.5
"""What these clues count of the value that a stored file does not fit: it is as it is meant."""
OF_JSON_WRITER = 0.2
"""What it counts that a file was written here of which the keys were lost as JSON has texts."""
_OTHER_SIDES: WeakKeyDictionary[Case, frozenset[Origin]] = WeakKeyDictionary()


def clue_factor(case: Case, clue: Clue) -> float:
    """Return a clue's factor: less where the other value was read from a stored file.

    A script that writes whole numbers as keys of JSON is less to blame than what reads them.
    """
    if clue.kind == "config.written" and _writes_json_keys(case, clue):
        return OF_JSON_WRITER
    if not clue.kind.startswith(OF_NUMBERS) or case.category.id not in OF_SIZES:
        return 1.0
    if case not in _OTHER_SIDES:
        _OTHER_SIDES[case] = _unlike_stored(case)
    return OF_OTHER_SIDE if (clue.file, clue.line) in _OTHER_SIDES[case] else 1.0


def _writes_json_keys(case: Case, clue: Clue) -> bool:
    """Whether a clue is on a call that writes JSON, and a whole number is the missing key."""
    is_number = WHOLE_NUMBER.fullmatch(case.message.strip()) is not None
    if case.category.id != "key_not_found" or not is_number:
        return False
    tree = case.workspace.tree(clue.file) if clue.file.endswith(".py") else None
    calls = _calls_of_json(tree) if tree is not None else ()
    return any(
        called_name(call) in ("dump", "dumps")
        and (clue.file, clue.line) in _lines_of(clue.file, call)
        for call in calls
    )


def _unlike_stored(case: Case) -> frozenset[Origin]:
    """Return what made the value that does not fit the one of a stored file."""
    sides = _unlike_sides(case)
    if len(sides) != 2:
        return frozenset()
    for file in near_files(case)[:MOST_FILES]:
        tree = case.workspace.tree(file)
        for _, _, read in _tests_of_files(tree) if tree is not None else ():
            from_file = [(file, read) in side.origins for side in sides]
            if sum(from_file) == 1:
                other = sides[from_file.index(False)]
                return other.origins - sides[from_file.index(True)].origins
    return frozenset()


def _unlike_sides(case: Case) -> tuple[Value, ...]:
    """Return the values that do not fit, empty where following the run does not show them."""
    raised = follow(case).raised
    return raised.sides if raised is not None and raised.weight == 1.0 else ()


def _caches(case: Case, files: list[str]) -> Iterator[Clue]:
    """Find what is read from a file where it exists, and made only where it does not."""
    sizes = {f.value for f in case.facts.of(FactKind.SIZE) if type(f.value) is int}
    for fact in case.facts.of(FactKind.SHAPE):
        sizes.update(fact.value if isinstance(fact.value, tuple) else ())
    sides = _unlike_sides(case)
    for file in files:
        tree = case.workspace.tree(file)
        for node, path, read in _tests_of_files(tree) if tree is not None else ():
            held = _stored_sizes(case)
            # One of the values that do not fit was read from it, as following the run shows.
            read_here = [side.data for side in sides if (file, read) in side.origins]
            if len(read_here) != 1:
                continue
            shown = {s for s in sizes if s > 2 and s in held}
            shown |= {n for n in read_here if isinstance(n, int)}
            if not shown:
                continue
            kind, score = "rules.stale_cache", 1.0
            said = " of the message" if max(shown) in sizes else ""
            numbers = f", which holds the size {max(shown)}{said}"
            why = f"a file that exists already is read here{numbers}: it may be of older settings"
            line = _named_at(tree, node, path) or node.lineno
            if line != node.lineno:
                named = f"the file that is named here is read where it exists{numbers}"
                yield Clue(kind, file, line, score, f"{named}: it may be of older settings")
                score *= 0.7
            yield Clue(kind, file, node.lineno, score, why)


def _tests_of_files(tree: ast.AST) -> Iterator[tuple[ast.If, str, int]]:
    """Yield the conditions under which a stored file is read, or made and then read.

    Each with the file's path as written and the line that reads it.
    """
    for parent in ast.walk(tree):
        body = getattr(parent, "body", None)
        for number, node in enumerate(body if isinstance(body, list) else ()):
            if not isinstance(node, ast.If):
                continue
            path = _tested_path(node.test)
            read = _line_of(node.body, LOADING, path) if path is not None else None
            if path is not None and read is not None:
                yield node, path, read
            if isinstance(node.test, ast.UnaryOp) and isinstance(node.test.op, ast.Not):
                path = _tested_path(node.test.operand)
                stores = any(
                    STORES.search(source(call.func))
                    for statement in node.body
                    for call in calls_in(statement)
                )
                later = body[number + 1 :] if isinstance(body, list) else []
                read = _line_of(later, LOADING, path) if path is not None and stores else None
                if path is not None and read is not None:
                    yield node, path, read


def _tested_path(test: ast.expr) -> str | None:
    """Return the path whose existence a condition asks for, as written."""
    for part in ast.walk(test):
        if isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.Not):
            return None
        if isinstance(part, ast.Call) and called_name(part) in EXISTS:
            if part.args:
                return source(part.args[0])
            if isinstance(part.func, ast.Attribute):
                return source(part.func.value)
    return None


def _line_of(body: list[ast.stmt], names: set[str], path: str) -> int | None:
    """Return the line of the first call of some name that is given a path."""
    calls = (c for statement in body for c in calls_in(statement))
    given = (c for c in calls if called_name(c) in names and path in map(source, c.args))
    return next((call.lineno for call in given), None)


def _stored_sizes(case: Case) -> set[int]:
    files = [f for f in case.workspace.files() if f.endswith(ARRAYS)][:MOST_ARRAYS]
    held: set[int] = set()
    for file in files:
        for array in case.workspace.arrays(file) or ():
            held.update(array.shape)
    return held


def _named_at(tree: ast.AST | None, below: ast.If, path: str) -> int | None:
    """Return the line above a condition that makes the path, or that of the function it calls."""
    made: dict[int, ast.expr] = {}
    returned: dict[str, int] = {}
    for part in ast.walk(tree) if tree is not None else ():
        if isinstance(part, ast.Assign) and part.lineno < below.lineno:
            if any(source(target) == path for target in part.targets):
                made[part.lineno] = part.value
        elif isinstance(part, ast.FunctionDef) and isinstance(part.body[-1], ast.Return):
            returned[part.name] = part.body[-1].lineno
    if not made:
        return None
    value = made[max(made)]
    called = called_name(value) if isinstance(value, ast.Call) else ""
    return returned.get(called, max(made))


JSON_KEYS = "JSON has only texts for keys: a table with whole numbers as keys comes back with texts"
OF_LOADED, OF_USED, OF_WRITER = 0.7, 0.6, 0.5
"""What counts beside the line that takes a table out of what was loaded, where keys are repaired.

It is where the whole is loaded, where that is handed on, and where it was written: the writer
cannot do otherwise.
"""


def _json_keys(case: Case, files: list[str]) -> Iterator[Clue]:
    """Find tables that went through JSON, where a whole number is the key that is missing."""
    if WHOLE_NUMBER.fullmatch(case.message.strip()) is None:
        return
    read = _files_of_texts(case)
    readers = {place for file in read for place in follow(case).files_read.get(file, ())}
    loaded = _tables_loaded(case)
    for file in files:
        tree = case.workspace.tree(file)
        for call in _calls_of_json(tree) if tree is not None else ():
            lines = set(_lines_of(file, call))
            if called_name(call) in ("dump", "dumps"):
                yield Clue("rules.json_keys", file, call.lineno, OF_WRITER, JSON_KEYS)
            elif (not readers or readers & lines) and (not loaded or loaded.keys() & lines):
                takers = {line for place in lines for line in loaded.get(place, ())}
                for place in sorted(takers):
                    yield Clue("rules.json_keys", *place, 1.0, JSON_KEYS)
                score = OF_LOADED if takers else 1.0
                yield Clue("rules.json_keys", file, call.lineno, score, JSON_KEYS)
                for line in _used_below(tree, call) if not takers else ():
                    yield Clue("rules.json_keys", file, line, OF_USED, JSON_KEYS)


def find_unconverted_keys(case: Case) -> Iterator[Clue]:
    """Find a look-up with a key as it is, where others of the same table convert theirs.

    ``row_of[str(a)]`` beside ``row_of[b]``: the keys are of one type, and the other one is missing.
    """
    if case.category.id != "key_not_found" or not case.places:
        return
    place = case.places[-1]
    scope = case.engine.program.scope_at(place.file, place.line)
    if scope is None:
        return
    looked_up = [node for node in own_nodes(scope.node) if isinstance(node, ast.Subscript)]
    for failing in (node for node in looked_up if node.lineno == place.line):
        if _conversion(failing.slice):
            continue
        others = [node for node in looked_up if source(node.value) == source(failing.value)]
        converted = [(name, node) for node in others if (name := _conversion(node.slice))]
        for name, other in converted[:1]:
            table, key = source(failing.value), source(failing.slice)
            why = (
                f"`{table}` is asked for `{key}` as it is; line {other.lineno} asks it for "
                f"`{source(other.slice)}`, made by `{name}`"
            )
            yield Clue("rules.strong", place.file, place.line, 1.0, why)


def _conversion(key: ast.expr) -> str:
    """Return the name of the type that a key is converted to, empty where it is taken as it is."""
    name = called_name(key) if isinstance(key, ast.Call) else ""
    return name if name in ("str", "int", "float", "tuple") else ""


WHOLE_NUMBER = re.compile(r"-?\d+")


def _calls_of_json(tree: ast.AST) -> Iterator[ast.Call]:
    """Yield the calls that write or load JSON."""
    for call in calls_in(tree):
        module = source(call.func.value) if isinstance(call.func, ast.Attribute) else ""
        is_of_json = called_name(call) in ("load", "loads", "dump", "dumps")
        if is_of_json and module in ("json", "orjson"):
            yield call


def _tables_loaded(case: Case) -> dict[Origin, set[Origin]]:
    """Return where the table that lacks a key may be loaded, with where it is taken out of that.

    What the key came from is left out. Of several levels, the one next to the table is taken.
    """
    found: dict[Origin, set[Origin]] = {}
    for step in case.raise_slice:
        node = step.node
        is_load = isinstance(node.expr, ast.Call) and called_name(node.expr) in ("load", "loads")
        if not is_load or "index" in step.roles or "base" not in step.roles:
            continue
        takers = found.setdefault((node.file, node.line), set())
        taken = (s.node for s in step.way() if s.node.entry is None and _is_entry(s.node.expr))
        first = next(taken, None)
        if first is not None:
            takers.add((first.file, first.line))
    return found


def _is_entry(expr: ast.AST) -> bool:
    """Whether an expression takes out of a table what stands under a name."""
    if isinstance(expr, ast.Subscript):
        key: ast.expr | None = expr.slice
    else:
        is_get = isinstance(expr, ast.Call) and called_name(expr) in ("get", "pop")
        key = expr.args[0] if is_get and isinstance(expr, ast.Call) and expr.args else None
    return isinstance(key, ast.Constant) and isinstance(key.value, str)


def _files_of_texts(case: Case) -> set[str]:
    """Return the files of the table that was asked for a number and has texts for keys."""
    raised = follow(case).raised
    if raised is None or raised.what != "key" or len(raised.sides) < 2:
        return set()
    table = raised.sides[1]
    if not isinstance(table.data, dict) or not all(isinstance(key, str) for key in table.data):
        return set()
    values = [value for value in table.data.values() if isinstance(value, Value)]
    return {file for value in (table, *values) for file, _ in value.origins}


def _lines_of(file: str, call: ast.Call) -> list[Origin]:
    """Return the lines of a call."""
    return [(file, line) for line in range(call.lineno, (call.end_lineno or call.lineno) + 1)]


def _used_below(tree: ast.AST | None, call: ast.Call) -> list[int]:
    """Return the lines that hand on what a call's result was assigned to."""
    for node in ast.walk(tree) if tree is not None else ():
        if not isinstance(node, ast.Assign) or all(part is not call for part in ast.walk(node)):
            continue
        names = {t.id for t in node.targets if isinstance(t, ast.Name)}
        return [
            other.lineno
            for other in ast.walk(tree or node)
            if isinstance(other, ast.Return)
            and 0 < other.lineno - node.lineno <= 6
            and any(isinstance(n, ast.Name) and n.id in names for n in ast.walk(other))
        ]
    return []


def _leading_zeros(case: Case, files: list[str]) -> Iterator[Clue]:
    """Find CSV files with zero-padded codes that are read without the type of that column."""
    padded: dict[str, list[str]] = {}
    for file in [f for f in case.workspace.files() if f.endswith(TABLES)][:MOST_TABLES]:
        columns = _padded_columns(case, file)
        if columns:
            padded[file.rpartition("/")[2]] = columns
    if not padded:
        return
    for file in files:
        tree = case.workspace.tree(file)
        text = case.workspace.text(file) or ""
        for call in calls_in(tree) if tree is not None else ():
            if called_name(call) != "read_csv" or not call.args:
                continue
            read = " ".join((source(call.args[0]), *_named_files(case, file, call)))
            types = keyword(call, "dtype")
            told = (
                source(types)
                if types is not None
                else source(keyword(call, "converters") or ast.Constant(""))
            )
            for name, columns in padded.items():
                lost = [c for c in columns if c not in told]
                of_all = types is not None and not isinstance(types, ast.Dict)
                if name not in read or not lost or of_all:
                    continue
                is_key = any(f'"{c}"' in text or f"'{c}'" in text for c in lost)
                why = (
                    f"`{lost[0]}` in {name} has leading zeros, which `read_csv` drops where no"
                    " `dtype` is given for it"
                )
                yield Clue("rules.leading_zeros", file, call.lineno, 1.0 if is_key else 0.5, why)


def _named_files(case: Case, file: str, call: ast.Call) -> list[str]:
    """Return the texts that the first argument of a call may be, as a setting names a file."""
    module = case.engine.program.module(file)
    for scope in module.walk() if module is not None else ():
        if call in scope.calls:
            node = case.engine.node(call.args[0], case.engine.open_context(scope))
            return [c.value for c in node.constants if isinstance(c.value, str)]
    return []


def _padded_columns(case: Case, file: str) -> list[str]:
    """Return the columns of a table whose first cells are digits with zeros in front."""
    lines = case.workspace.lines(file)[: ROWS_LOOKED_AT + 1]
    if len(lines) < 3 or not file.endswith((".csv", ".tsv")):
        return []
    mark = "\t" if file.endswith(".tsv") else max(",;\t", key=lines[0].count)
    names = [name.strip().strip('"') for name in lines[0].split(mark)]
    rows = [line.split(mark) for line in lines[1:] if line.strip()]
    found = []
    for index, name in enumerate(names):
        cells = [row[index].strip().strip('"') for row in rows if len(row) == len(names)]
        digits = [cell for cell in cells if cell.isdigit()]
        zeros = [cell for cell in digits if ZERO_PADDED.fullmatch(cell)]
        if digits and len(digits) == len(cells) and zeros:
            found.append(name)
    return found


# ---------------------------------------------------------------------- records of TensorFlow
COMPLAINT = re.compile(
    r"Key: (?P<key>[^\n]{1,200}?)(?:, Index: \d+)?\.  ?"
    r"(?P<what>Data types don't match|Can't parse serialized|Number of \w+ values)"
    r"|Feature: (?P<absent>[^\n]{1,200}?) \(data type: \w+\) is required but could not be found"
)
READ = {
    *("FixedLenFeature", "VarLenFeature", "FixedLenSequenceFeature", "RaggedFeature"),
    *("SparseFeature",),
}
WRITTEN = re.compile(
    r"int64_list|float_list|bytes_list|(?:int(?:64)?|float|bytes)_?(?:list_)?feature", re.I
)
MOST_RECORD_FILES = 60


@dataclass(frozen=True)
class _Entry:
    """What stands for one key of a record."""

    key: str
    file: str
    line: int
    text: str
    is_read: bool


def find_record_features(case: Case) -> Iterator[Clue]:
    """Yield what reads and what writes the feature of a record that does not fit."""
    match = COMPLAINT.search(case.message)
    if match is None:
        return
    entries = list(_entries(case))
    key = match["key"] or match["absent"]
    reading = [entry for entry in entries if entry.is_read and entry.key == key]
    writing = [entry for entry in entries if not entry.is_read and entry.key == key]
    if match["key"]:
        for entry in reading:
            beside = f", and `{writing[0].text}` writes it" if writing else ""
            why = f"`{entry.text}` says what `{key}` is in the records{beside}"
            yield Clue("rules.strong", entry.file, entry.line, 1.0 / len(reading) ** 0.5, why)
        for entry in writing:
            why = f"`{entry.text}` writes `{key}`, which is read as something else"
            yield Clue("rules.medium", entry.file, entry.line, 1.0 / len(writing) ** 0.5, why)
        return
    written = {entry.key: entry for entry in entries if not entry.is_read}
    near = next((name for name, _ in best(key, written)), None) if not writing else None
    for entry in reading:
        more = f"; `{near}` is what {written[near].file} writes" if near else ""
        why = f"`{key}` is asked of every record here, and one lacks it{more}"
        yield Clue("rules.strong", entry.file, entry.line, 1.0 / len(reading) ** 0.5, why)
    if near:
        entry = written[near]
        why = f"`{near}` is written here, and `{key}` is read"
        yield Clue("rules.medium", entry.file, entry.line, 1.0, why)


def _entries(case: Case) -> Iterator[_Entry]:
    """Yield what dicts and assignments to items say of keys of records."""
    for file in case.code_files[:MOST_RECORD_FILES]:
        tree = case.workspace.tree(file)
        for node in ast.walk(tree) if tree is not None else ():
            pairs: list[tuple[ast.expr | None, ast.expr]] = []
            if isinstance(node, ast.Dict):
                pairs = list(zip(node.keys, node.values, strict=True))
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
                pairs = [(node.targets[0].slice, node.value)]
            for key, value in pairs:
                if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
                    continue
                text = source(value)
                is_read = isinstance(value, ast.Call) and called_name(value) in READ
                if is_read or (isinstance(value, ast.Call) and WRITTEN.search(text)):
                    yield _Entry(key.value, file, key.lineno, text, is_read)


FEWEST_NAMES = 2
OF_LOWEST = 0.6
"""What the lowest number counts, from which the others may have been counted on."""


def find_numbered_entries(case: Case) -> Iterator[Clue]:
    """Yield the highest and the lowest number of a file whose numbers reach beyond their count.

    The failing index was made of them.
    """
    raised = follow(case).raised if case.places and case.category.id == "illegal_index" else None
    if raised is None or raised.weight < 1.0:
        return
    made = {origin for side in raised.sides for origin in origins_of(side)}
    origins = places_of(made, of_types=True)
    for file in sorted({file for file, _ in origins if not file.endswith(".py")}):
        for entries in _numbered(case, file):
            count, numbers = len(entries), [entry.value for entry in entries]
            lowest, highest = min(entries, key=_number), max(entries, key=_number)
            is_part = any((file, entry.line) in origins for entry in entries)
            is_short = _number(highest) >= count and _number(highest) <= 2 * count
            if not is_part or not is_short or len(set(numbers)) < count or _number(lowest) < 0:
                continue
            begins = f"the {count} numbers here begin at {_number(lowest)}"
            beyond = f"a table with {count} rows ends with row {count - 1}"
            why = f"`{highest.key}` is {_number(highest)}: {begins}, and {beyond}"
            yield Clue("data_files.explains", file, highest.line, 1.0, why)
            if _number(lowest) > 0:
                why = f"{begins}, and {beyond}"
                yield Clue("data_files.explains", file, lowest.line, OF_LOWEST, why)


def _number(entry: ConfigEntry) -> int:
    return entry.value if type(entry.value) is int else 0


def _numbered(case: Case, file: str) -> Iterator[list[ConfigEntry]]:
    """Yield the tables of a file that give each of their keys a whole number."""
    tables: dict[tuple[str | int, ...], list[ConfigEntry]] = {}
    for entry in case.workspace.config_entries(file):
        if entry.path and entry.length is None:
            tables.setdefault(entry.path[:-1], []).append(entry)
    for entries in tables.values():
        named = all(isinstance(entry.path[-1], str) for entry in entries)
        if named and len(entries) >= FEWEST_NAMES and all(type(e.value) is int for e in entries):
            yield entries
