"""Warnings of NumPy that a library gives: which operation of the program they are about.

NumPy's warning stands at the line that called the operation. Where that line is a library's
(pandas, SciPy, scikit-learn), the name of the operation is what leads back to the program (NumPy
reference, "Floating point error handling").
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from dl_bug_lsp.evidence.case import Case
from dl_bug_lsp.evidence.domain_rules.syntax import source

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
