"""Where NaN and infinite numbers come from: files of arrays, and operations that NumPy warned of.

A file of arrays that the run reads may hold them already. Where a script of the workspace wrote the
file, the operations of the script that make NaN are the suspects, above all those of which NumPy
warned in the log; else the statement that reads the file is (NumPy reference, "Floating point error
handling" and ``numpy.lib.format``; IEEE 754 for what gives NaN).

NumPy's warning stands at the line that called the operation. If that line is a library's (pandas,
SciPy, scikit-learn), the name of the operation leads back to the program.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from weakref import WeakKeyDictionary

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.data.data_files import files_read
from dl_bug_lsp.evidence.data.written_data import about_nan, says_written, writers_of
from dl_bug_lsp.evidence.domain_rules.syntax import source, written_number
from dl_bug_lsp.interpretation.values import Origin
from dl_bug_lsp.provenance.scopes import Scope, called_name
from dl_bug_lsp.provenance.slices import backward_slice
from dl_bug_lsp.provenance.written_files import Writing, fits, patterns
from dl_bug_lsp.spectrum.failing_runs import is_test_file
from dl_bug_lsp.workspace.binary_files import MOST_NUMBERS, UnfitNumbers

ARRAYS = (".npy", ".npz")
LOADING = {"load", "memmap", "open_memmap"}
MOST_FILES = 24
"""Files of arrays whose numbers are looked at."""
MOST_CALLS = 200
MOST_STEPS = 600
"""Steps of the slice from what a script writes: simulations compute much before they write."""
MOST_EXPLAINED = 3
"""Files with NaN whose writers are looked for: one script mostly writes them all."""
OF_READING = 0.9
"""What a statement counts that reads a file with NaN that no script of the workspace writes."""
OF_READING_WRITTEN = 0.3
"""The same where a script writes it."""
OF_UNREAD = 0.5
"""What a file counts that no call is known to read."""
OF_HANDLED = 0.3
"""What counts where the file that reads the array treats missing numbers."""
OF_INFINITE = 0.7
"""What counts where the numbers are infinite: some programs mean it so."""
OF_OPERAND = 0.9
"""What the statement counts that makes the operand, of the operation that makes NaN of it."""
OF_NEXT = 0.5
"""What each later warning counts of the one before it, and operations without one beside them."""
MOST_WARNINGS = 3
MOST_OPERATIONS = 4
OF_FURTHER = 0.8
"""What each further operation counts of the one before it."""
OF_UNSURE = 0.7
"""What the only script counts that writes a file of the name, into a folder that is not known."""
OF_MODEL = 0.4
"""What rules on the numbers of other code count where the data are known to hold NaN."""
OF_WARNING = 0.9
"""What a line counts of which NumPy warned, where no file shows what came of it."""
HANDLES = re.compile(r"nan_to_num|isnan|isfinite|nanmean|nanstd|nanmedian|masked_invalid|notna")
EDGES = {
    **dict.fromkeys(("log", "log2", "log10"), "makes infinity of 0 and NaN of negative numbers"),
    "sqrt": "makes NaN of negative numbers",
    **dict.fromkeys(("arccos", "arcsin", "acos", "asin"), "makes NaN of numbers beyond 1"),
    "arctanh": "makes infinity of 1 and NaN of numbers beyond it",
    **dict.fromkeys(("divide", "true_divide", "div"), "makes NaN of 0 / 0"),
    **dict.fromkeys(("reciprocal", "rsqrt"), "makes infinity of 0"),
    **dict.fromkeys(("log1p",), "makes infinity of -1"),
    **dict.fromkeys(("corrcoef", "pearsonr", "zscore"), "makes NaN of what does not vary"),
}
"""Functions of arrays that make NaN or infinity, and of what."""


def find(case: Case) -> Iterator[Clue]:
    """Yield where NaN comes into the data, if the failure is about numbers that are none."""
    share = about_nan(case)
    if not share:
        return
    warned: dict[Origin, str] = {}
    for place, why in warned_lines(case):
        warned.setdefault(place, why)
    best: dict[Origin, Clue] = {}
    for file, reading, is_sure in _unfit_files(case):
        part = share if is_sure else OF_UNREAD * share
        for clue in _of_file(case, file, reading, warned):
            clue = replace(clue, score=clue.score * part)
            held = best.setdefault((clue.file, clue.line), clue)
            if held.score < clue.score:
                best[clue.file, clue.line] = clue
    yield from best.values()
    first = next(iter(warned.items()), None)
    if first is not None and not best:
        yield from _of_warning(case, *first, share)


def clue_factor(case: Case, clue: Clue) -> float:
    """Return a clue's factor: rules on the model's numbers less where its data hold NaN.

    NaN among the inputs makes every result NaN, whatever the model computes.
    """
    if not clue.kind.startswith("training.") or case.category.id not in ("loss_nan",):
        return 1.0
    for file, reading, is_sure in _unfit_files(case):
        if not is_sure or not any(u.nans for u in case.workspace.unfit_numbers(file)):
            continue
        if reading is not None and HANDLES.search(case.workspace.text(reading[0]) or ""):
            continue
        return OF_MODEL
    return 1.0


def _of_warning(case: Case, place: Origin, why: str, share: float) -> Iterator[Clue]:
    """Yield the first line of which NumPy warned, and what makes its operand."""
    file, line = place
    yield Clue("training.strong", file, line, OF_WARNING * share, why)
    for operand, made in _operands_at(case, file, line):
        text = f"makes `{operand}` for line {line}, of which the log warns: {why}"
        yield Clue("training.strong", file, made, OF_WARNING * OF_OPERAND * share, text)


# ---------------------------------------------------------------------- files that hold NaN
_UNFIT: WeakKeyDictionary[Case, list[tuple[str, Origin | None, bool]]] = WeakKeyDictionary()


def _unfit_files(case: Case) -> list[tuple[str, Origin | None, bool]]:
    """Return the files of arrays with NaN or infinity: where each is read, and whether surely."""
    if case not in _UNFIT:
        _UNFIT[case] = _find_unfit(case)
    return _UNFIT[case]


def _find_unfit(case: Case) -> list[tuple[str, Origin | None, bool]]:
    found: list[tuple[str, Origin | None, bool]] = []
    candidates = [f for f in case.workspace.files() if f.endswith(ARRAYS)]
    read = [f for f in files_read(case) if f.endswith(ARRAYS)]
    calls = list(_loading_calls(case))
    hidden = [f for f in _hidden(case, calls) if f.endswith(ARRAYS)]
    for file in list(dict.fromkeys([*read, *candidates, *hidden]))[:MOST_FILES]:
        places = [place for place, options in calls if _means(options, file)]
        if not case.workspace.unfit_numbers(file):
            continue
        if places or file in read:
            found.append((file, places[0] if places else None, True))
        elif calls:
            found.append((file, None, False))
    found.sort(key=lambda item: not item[2])
    return found[:MOST_EXPLAINED]


def _means(options: list[str], file: str) -> bool:
    return any(fits(option, file) is not None for option in options)


def _hidden(case: Case, calls: list[tuple[Origin, list[str]]]) -> Iterator[str]:
    """Yield the files of the folders that loading calls name, which an ignore rule may hide."""
    folders = {option.rpartition("/")[0] for _, options in calls for option in options}
    for folder in sorted(f for f in folders if "*" not in f)[:MOST_FILES]:
        yield from case.workspace.folder_files(folder.removeprefix("./"))


def _loading_calls(case: Case) -> Iterator[tuple[Origin, list[str]]]:
    """Yield the places of calls that load arrays, each with what its path may be."""
    count = 0
    for file in case.code_files:
        text = case.workspace.text(file) or ""
        if is_test_file(file) or not any(f"{name}(" in text for name in LOADING):
            continue
        module = case.engine.program.module(file)
        for scope in module.walk() if module is not None else ():
            for call in scope.calls:
                if called_name(call) not in LOADING or not call.args or count >= MOST_CALLS:
                    continue
                count += 1
                yield (file, call.lineno), paths_of(case, scope, call.args[0])


def paths_of(case: Case, scope: Scope, path: ast.expr) -> list[str]:
    """Return what a path may be, with ``*`` for parts that are not known."""
    node = case.engine.node(path, case.engine.open_context(scope))
    return [_as_pattern(path), *patterns(case.engine, node)]


def _as_pattern(path: ast.expr) -> str:
    """Return a path as written, with ``*`` for what is no text there."""
    if isinstance(path, ast.Constant):
        return str(path.value)
    if isinstance(path, ast.JoinedStr):
        return "".join(map(_as_pattern, path.values))
    if isinstance(path, ast.BinOp) and isinstance(path.op, (ast.Add, ast.Div)):
        mark = "/" if isinstance(path.op, ast.Div) else ""
        return f"{_as_pattern(path.left)}{mark}{_as_pattern(path.right)}"
    if isinstance(path, ast.BinOp) and isinstance(path.op, ast.Mod):
        return re.sub(r"%[-\d.]*[a-z]", "*", _as_pattern(path.left))
    if isinstance(path, ast.Call) and called_name(path) == "join":
        return "/".join(map(_as_pattern, path.args))
    if isinstance(path, ast.Call) and called_name(path) == "Path" and len(path.args) == 1:
        return _as_pattern(path.args[0])
    if isinstance(path, ast.Call) and called_name(path) == "format":
        func = path.func
        text = _as_pattern(func.value) if isinstance(func, ast.Attribute) else "*"
        return re.sub(r"\{[^{}]*\}", "*", text)
    return "*"


def _of_file(
    case: Case, file: str, reading: Origin | None, warned: dict[Origin, str]
) -> Iterator[Clue]:
    """Yield the operations that made the NaN of a file, and the statement that reads it."""
    unfit = max(case.workspace.unfit_numbers(file), key=lambda u: (u.nans, u.infinite))
    holds = says_unfit(file, unfit)
    share = 1.0 if unfit.nans else OF_INFINITE
    if reading is not None and HANDLES.search(case.workspace.text(reading[0]) or ""):
        share *= OF_HANDLED
    written = writers_of(case, file)
    if reading is not None:
        part = OF_READING_WRITTEN if written else OF_READING
        yield Clue("data_files.explains", *reading, part * share, f"{holds}, which is read here")
    scripts = {writing.file: writing for writing in written}
    first = [(place, why) for place, why in warned.items() if place[0] in scripts]
    for number, (place, why) in enumerate(first[:MOST_WARNINGS]):
        text = f"{why}: {says_written(scripts[place[0]], holds)}"
        yield from _with_operands(case, place, share * OF_NEXT**number, text)
    share *= OF_NEXT if first else 1.0
    made = [(step, made) for step, made in _edges(written) if step not in warned]
    for number, (place, (strength, text)) in enumerate(made[:MOST_OPERATIONS]):
        why = f"{text}: {says_written(scripts[place[0]], holds) if place[0] in scripts else holds}"
        yield from _with_operands(case, place, share * strength * OF_FURTHER**number, why)


def _edges(written: list[Writing]) -> list[tuple[Origin, tuple[float, str]]]:
    """Return the operations that make NaN on the way to what is written, the clearest first.

    NaN goes through all that follows: how far off the operation is says nothing.
    """
    found: dict[Origin, tuple[float, str]] = {}
    for writing in written:
        part = 1.0 if writing.sure else OF_UNSURE
        for step in backward_slice([writing.value], MOST_STEPS):
            node = step.node
            made = edge_of(node.expr) if node.entry is None and node.line > 0 else None
            if made is not None:
                text = f"`{source(node.expr)}` {made[1]}"
                found.setdefault((node.file, node.line), (made[0] * part, text))
    return sorted(found.items(), key=lambda item: -item[1][0])


def _with_operands(case: Case, place: Origin, score: float, why: str) -> Iterator[Clue]:
    """Yield an operation that makes NaN, and the statements that make its operands."""
    file, line = place
    yield Clue("data_files.explains", file, line, score, why)
    for operand, made in _operands_at(case, file, line):
        text = f"makes `{operand}` for line {line}: {why}"
        yield Clue("data_files.explains", file, made, score * OF_OPERAND, text)


def says_unfit(file: str, unfit: UnfitNumbers) -> str:
    """Say how many numbers of a file of arrays are none."""
    count, what = (unfit.nans, "NaN") if unfit.nans else (unfit.infinite, "infinity")
    name = f"`{unfit.name}` of {file}" if unfit.name else file
    of = "of its first" if unfit.count == MOST_NUMBERS else "of"
    return f"{name} has {what} in {count:,} {of} {unfit.count:,} numbers"


# ---------------------------------------------------------------------- operations that make NaN
def edge_of(expr: ast.expr | None) -> tuple[float, str] | None:
    """Return how easily an operation makes NaN or infinity (0 to 1), and of what."""
    if isinstance(expr, ast.Call):
        name = called_name(expr)
        does = EDGES.get(name)
        if does is None or not expr.args + _receivers(expr) or SAFE.search(source(expr)):
            return None
        return 0.8, does
    if not isinstance(expr, ast.BinOp):
        return None
    if isinstance(expr.op, ast.Pow):
        exponent = written_number(expr.right)
        if exponent is None or SAFE.search(source(expr.left)):
            return None
        if exponent < 0:
            return 0.9, "makes infinity of 0, and 0 times infinity is NaN"
        return (0.6, "makes NaN of negative numbers") if exponent % 1 else None
    divides = isinstance(expr.op, (ast.Div, ast.FloorDiv, ast.Mod))
    if not divides or isinstance(expr.right, ast.Constant) or SAFE.search(source(expr.right)):
        return None
    if isinstance(expr.left, (ast.JoinedStr, ast.Constant)) and not _is_number(expr.left):
        # A path, or a text that is filled in.
        return None
    return 0.8, "makes NaN or infinity where the divisor is 0"


def _receivers(call: ast.Call) -> list[ast.expr]:
    return [call.func.value] if isinstance(call.func, ast.Attribute) else []


def _is_number(expr: ast.expr) -> bool:
    return isinstance(expr, ast.Constant) and isinstance(expr.value, (int, float))


def _operands_at(case: Case, file: str, line: int) -> list[tuple[str, int]]:
    """Return the names of which operations of a line make NaN, with the lines that assign them.

    The last assignment above in the same function counts; one that keeps the number off the edge
    makes no NaN.
    """
    tree = case.workspace.tree(file)
    functions = [
        node
        for node in (ast.walk(tree) if tree is not None else ())
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Module))
        and (isinstance(node, ast.Module) or node.lineno <= line <= (node.end_lineno or 0))
    ]
    if not functions:
        return []
    around = functions[-1]
    names: dict[str, int] = {}
    for node in ast.walk(around):
        if isinstance(node, ast.expr) and node.lineno == line and edge_of(node) is not None:
            operand = _operand(node)
            if isinstance(operand, ast.Name):
                names[operand.id] = 0
    for node in ast.walk(around):
        if isinstance(node, ast.Assign) and node.lineno < line and not SAFE.search(source(node)):
            for target in node.targets:
                if isinstance(target, ast.Name) and target.id in names:
                    names[target.id] = max(names[target.id], node.lineno)
    return [(name, at) for name, at in names.items() if at]


def _operand(node: ast.expr) -> ast.expr | None:
    """Return what of an operation has to stay off the edge."""
    if isinstance(node, ast.BinOp):
        return node.left if isinstance(node.op, ast.Pow) else node.right
    if isinstance(node, ast.Call):
        given = [*node.args[-1:], *_receivers(node)]
        return given[0] if given else None
    return None


# ---------------------------------------------------------------------- warnings of NumPy
CAST = re.compile(
    r"^(?P<file>[^\s:][^:\n]{0,300}\.py):(?P<line>\d{1,7}): RuntimeWarning: "
    r"invalid value encountered in cast\b"
)
"""What NumPy prints where a value that no whole number stands for is made one, arbitrarily."""
LEAVING_GAPS = {"map", "reindex", "merge", "join", "shift", "unstack", "pivot", "replace", "align"}
"""Methods of tables and columns whose result lacks what the other side lacks."""
MOST_LINES = 4_000
"""Lines at the beginning of a log in which warnings are looked for: Python prints each once."""
MOST_PLACES = 4
"""Operations of one kind up to which the warning tells something."""
WARNING = re.compile(
    r"^(?P<file>[^\s:][^:\n]{0,300}\.py):(?P<line>\d{1,7}): \w{0,60}Warning: "
    r"(?P<what>divide by zero|invalid value|overflow) encountered in (?:scalar )?(?P<name>\w+)"
)
QUOTIENT_NAMES = {"div", "divide", "true_divide", "truediv", "floordiv", "mod", "pct_change"}
QUOTIENTS = {"divide", "true_divide", "double_scalars", "floor_divide", "remainder", "mod"}
OF_TABLES = {"div", "divide", "truediv", "floordiv", "mod", "pct_change", "pow", "abs"}
"""Methods of columns and tables; the others are functions of NumPy."""
NUMPY = {"np", "numpy", "onp"}
OTHER_NAMES = {"power": {"pow", "float_power"}, "absolute": {"abs"}, "arccos": {"acos"}}
SAFE = re.compile(r"eps|1e-|e-\d|clip|clamp|maximum|where|\+ ?1\b|\b1 ?\+|nan_to_num|replace\(")
"""What keeps an operand off the edge."""
FAILS = {
    "divide by zero": "divides by zero, or takes a logarithm of zero",
    "invalid value": "gives something that is no number",
    "overflow": "gives more than its type holds",
}


def warned(case: Case, files: Iterable[str]) -> Iterator[tuple[tuple[str, int], str]]:
    """Yield the program's operations that the log's first such warning may be about, and why.

    Later warnings are mostly about what came out of the first one. Nothing is said where the
    warning stands at a line of the program, which says enough.
    """
    first = next(_warnings(case, WARNING), None)
    if first is None or case.workspace.locate(first["file"], int(first["line"])) is not None:
        return
    found = [place for file in files for place in _operations(case, file, first["name"])]
    unsafe = [(file, node) for file, node in found if not SAFE.search(source(node))] or found
    if not 0 < len(unsafe) <= MOST_PLACES:
        return
    for file, node in unsafe:
        text = f"the log warns that `{first['name']}` {FAILS[first['what']]} inside of a library"
        yield (file, node.lineno), f"{text}: that is what `{source(node)}` asks for"


def warned_lines(case: Case) -> Iterator[tuple[tuple[str, int], str]]:
    """Yield the program's own lines of which NumPy warned in the log, in its order, and why."""
    for match in _warnings(case, WARNING):
        place = case.workspace.locate(match["file"], int(match["line"]))
        if place is not None:
            does = f"the log warns that `{match['name']}` {FAILS[match['what']]} here"
            yield (place.file, place.line), does


def cast(case: Case) -> Iterator[tuple[tuple[str, int], float, str]]:
    """Yield the program's line at which a missing value became a whole number, and what left it.

    Each is given as place, share (0 to 1) and reason. The whole number is arbitrary: what fails
    later, as an index that is out of range, is its consequence.
    """
    for match in _warnings(case, CAST):
        place = case.workspace.locate(match["file"], int(match["line"]))
        if place is None:
            continue
        file, line = place.file, place.line
        why = "the log warns that a value here is no number, or too large, and is cast"
        yield (file, line), 1.0, why
        tree = case.workspace.tree(file)
        for function in ast.walk(tree) if tree is not None else ():
            if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
                continue
            if function.lineno <= line <= (function.end_lineno or function.lineno):
                yield from _left_before(function, file, line)
        return


def _left_before(
    function: ast.FunctionDef | ast.AsyncFunctionDef, file: str, line: int
) -> Iterator[tuple[tuple[str, int], float, str]]:
    """Yield the calls of a function before a line that may leave missing values."""
    for node in ast.walk(function):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr in LEAVING_GAPS and node.lineno <= line:
            why = f"`{source(node)}` may leave missing values, which line {line} casts"
            yield (file, node.lineno), 1.0, f"{why} to whole numbers (NumPy warns of it in the log)"


def _warnings(case: Case, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
    for line in case.log.lines[:MOST_LINES]:
        match = pattern.match(line.text)
        if match is not None:
            yield match


def _operations(case: Case, file: str, name: str) -> Iterator[tuple[str, ast.expr]]:
    """Yield the expressions of a file that are an operation or hand its function on."""
    tree = case.workspace.tree(file)
    names = {name, *OTHER_NAMES.get(name, ()), *(QUOTIENT_NAMES if name in QUOTIENTS else ())}
    called: set[ast.AST] = set()
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Call):
            called.add(node.func)
            if _is_function(node.func, names):
                yield file, node
        elif isinstance(node, ast.BinOp):
            is_power = name == "power" and isinstance(node.op, ast.Pow)
            if is_power or (name in QUOTIENTS and _may_be_by_zero(node)):
                yield file, node
        elif isinstance(node, ast.Attribute) and node not in called:
            # It is handed on: `table.apply(np.log)`.
            yield from [(file, node)] if _is_function(node, names - OF_TABLES) else ()


def _is_function(func: ast.expr, names: set[str]) -> bool:
    """Whether an expression is one of some functions of NumPy or methods of tables."""
    if not isinstance(func, ast.Attribute) or func.attr not in names:
        return False
    base = func.value
    return func.attr in OF_TABLES or (isinstance(base, ast.Name) and base.id in NUMPY)


def _may_be_by_zero(node: ast.BinOp) -> bool:
    divides = isinstance(node.op, (ast.Div, ast.FloorDiv, ast.Mod))
    return divides and not isinstance(node.right, ast.Constant) and not _is_text(node.left)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
