"""Names that are set again and used as if they had their first value: by loops, imports, cells.

The target of a ``for`` and what its body assigns outlive the loop (Python language reference, "The
for statement"). Where a name had a value of its own before, and the failing path uses it after
the loop, the run used the last round's value. pylint warns of such targets (W0631). In notebooks
names are made in cells that ran too late, out of order, or twice.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.syntax import code_lines, own_nodes, source
from dl_bug_lsp.evidence.followed_run import SEEN, follow, hidden_cells_of
from dl_bug_lsp.evidence.interpreted_values import origins_of
from dl_bug_lsp.messages import FactKind
from dl_bug_lsp.provenance.engine import Node
from dl_bug_lsp.provenance.scopes import Binding, Scope
from dl_bug_lsp.workspace.notebooks import MAGIC_TEXT, Cell, cell_name

IN_BODY = 0.5
"""What a name counts that the body of a loop assigns: most such loops compute it for later."""
MOST_STEPS = 400
WORKING_NAMES = frozenset(("_", "i", "j", "k", "x", "y", "model", "loss", "out", "h"))
"""Names that programs bind again and again on purpose."""


def find_rebound_names(case: Case) -> Iterator[Clue]:
    """Yield the loops that gave a name of the failing path another value than it had before."""
    seen: set[tuple[str, int]] = set()
    yield from _imports(case)
    yield from _deleted(case)
    for step in case.stack_steps[:MOST_STEPS]:
        node = step.node
        if node.entry is not None or not isinstance(node.expr, ast.Name):
            continue
        found = _set_in_loop(node, node.expr.id)
        if found is None:
            continue
        first, again = found
        place = (again.scope.file, again.line)
        if place in seen:
            continue
        seen.add(place)
        name = node.expr.id
        of_target = again.within
        verb = "is the target of this loop" if of_target else "is set in this loop"
        why = (
            f"`{name}` {verb}, too; line {node.line} uses it after the loop, where it may no "
            f"longer be `{source(first.value)}` (line {first.line})"
        )
        yield Clue("rules.rebound", *place, 1.0 if of_target else IN_BODY, why)


def _deleted(case: Case) -> Iterator[Clue]:
    """Yield the ``del`` that took a local name away which the failing line reads.

    Source: Python language reference, "The del statement": the name is unbound in its scope.
    """
    site = case.sites[-1] if case.sites and case.class_name == "UnboundLocalError" else None
    if site is None:
        return
    names = {str(fact.value) for fact in case.facts.of(FactKind.NAME)}
    scope, line = site.context.scope, case.places[-1].line
    changes = [
        (part.lineno, part.id, isinstance(part.ctx, ast.Del))
        for part in own_nodes(scope.node)
        if isinstance(part, ast.Name) and part.id in names and part.lineno < line
        if not isinstance(part.ctx, ast.Load)
    ]
    last = max(changes, default=None)
    if last is not None and last[2]:
        why = f"`del` removes `{last[1]}` here, and line {line} still uses it"
        yield Clue("rules.rebound", scope.file, last[0], 1.0, why)


def _imports(case: Case) -> Iterator[Clue]:
    """Yield where the name of an import that the failing expression uses gets another value."""
    for start in case.starts:
        for part in ast.walk(start.expr):
            if not isinstance(part, ast.Attribute) or not isinstance(part.value, ast.Name):
                continue
            scope: Scope | None = start.context.scope
            name = part.value.id
            while scope is not None and name not in scope.bindings and name not in scope.imports:
                scope = scope.parent
            if scope is None or name not in scope.imports:
                continue
            for binding in scope.bindings.get(name, ()):
                if binding.how == "assign" and binding.scope is scope:
                    why = f"`{name}` is the name of an import, and gets another value here"
                    yield Clue("rules.rebound", scope.file, binding.line, 1.0, why)


def _set_in_loop(node: Node, name: str) -> tuple[Binding, Binding] | None:
    """Return where a name got its first value, and the binding in a loop that hides it."""
    scope: Scope | None = node.context.scope
    line = node.line
    if name in WORKING_NAMES or scope is None or id(node.expr) in node.context.scope.inline:
        return None
    while scope is not None and name not in scope.bindings:
        if scope.is_class or name in {p.arg for p in scope.parameters()}:
            return None
        scope = scope.parent
        line = 1 << 30  # A function is called when its module has been run.
    if scope is None or scope.is_class:
        return None
    bindings = [b for b in scope.bindings[name] if b.how == "assign" and b.scope is scope]
    before = [b for b in bindings if b.line < line]
    if not before:
        return None
    last = max(before, key=lambda b: b.line)
    firsts = [b for b in before if not b.loops and not b.blocks and b.line < last.line]
    loop = _loop_around(scope, last.line) if last.loops else None
    if loop is None or not firsts or len(last.blocks) != len(last.loops):
        return None
    if line <= (loop.end_lineno or loop.lineno) or firsts[-1].line > loop.lineno:
        return None
    if not last.within and (_is_carried(loop, last, name) or _is_empty(firsts[-1].value)):
        return None
    return firsts[-1], last


def _loop_around(scope: Scope, line: int) -> ast.For | None:
    """Return the outermost loop of a scope that holds a line."""
    loops = [
        part
        for part in ast.walk(scope.node)
        if isinstance(part, ast.For) and part.lineno <= line <= (part.end_lineno or part.lineno)
    ]
    return min(loops, key=lambda part: part.lineno, default=None)


def _is_carried(loop: ast.For, last: Binding, name: str) -> bool:
    """Whether a loop hands a name on: it reads what the round before set before it sets it."""
    inside = set(ast.walk(last.value))
    return any(
        isinstance(part, ast.Name)
        and part.id == name
        and isinstance(part.ctx, ast.Load)
        and (part in inside or part.lineno < last.line)
        for part in ast.walk(loop)
    )


def _is_empty(value: ast.expr) -> bool:
    """Whether a value is one to begin with: None, zero, an empty text or container."""
    if isinstance(value, ast.Constant):
        return not value.value
    if isinstance(value, ast.List | ast.Tuple | ast.Set):
        return not value.elts
    return isinstance(value, ast.Dict) and not value.keys


# ---------------------------------------------------------------------- cells
Bound = tuple[int, str, ast.stmt]
"""A line, a name that it binds, and the whole statement."""


def find_cells(case: Case) -> Iterator[Clue]:
    """Yield the cells whose order of execution explains what a name stands for, or that it does."""
    if case.category.id == "undefined_variable":
        yield from _too_late(case)
    else:
        yield from _out_of_order(case)
        yield from _followed_again(case)


def is_of_order(case: Case) -> bool:
    """Tell whether the order in which a notebook's cells ran can have led to the failure.

    Not where the execution counts say that they ran once, from the top, not where no other
    statement of the notebook binds, fills or takes away what is missing, as then every order fails,
    and not where the line that failed is gone from its cell: no order runs it again.
    """
    notebooks = _notebooks(case)
    if not notebooks and _is_rewritten(case):
        return False
    if case.class_name == "UnboundLocalError":
        return False
    is_undefined = case.category.id == "undefined_variable"
    if notebooks and is_undefined and _fails_from_the_top(case):
        return False
    if not notebooks or next(find_cells(case), None) is not None:
        return True
    if case.category.id == "undefined_variable":
        names = {str(f.value) for f in case.facts.of(FactKind.NAME)}
        return not names or any(is_bound_in(case, f, n) for f in notebooks for n in names)
    counts = [
        cell.execution_count
        for file in notebooks
        for cell in case.workspace.cells(file)
        if cell.execution_count is not None and any(line.strip() for line in cell.lines)
    ]
    if counts and counts == list(range(1, len(counts) + 1)):
        return False
    if case.category.id not in ("key_not_found", "attribute_not_found"):
        return True
    missing = _missing(case)
    return any(
        _CHANGES_KEYS.search(line) or any(_stores(line, name) for name in missing)
        for line in _lines_with(case, missing)
    )


def _is_rewritten(case: Case) -> bool:
    """Tell whether a notebook still has the cell that failed, which holds other lines now."""
    cells = [name for frame, _ in case.located if (name := cell_name(frame.file)) is not None]
    if not cells or cells[-1].count is None or cells[-1].is_ordinal:
        return False
    return any(
        cell.execution_count == cells[-1].count
        for file in case.workspace.files()
        if file.endswith(".ipynb")
        and (cells[-1].notebook is None or file.rpartition("/")[2] == cells[-1].notebook)
        for cell in case.workspace.cells(file)
    )


def _fails_from_the_top(case: Case) -> bool:
    """Tell whether a name is undefined also where all cells run once, from the top."""
    return not _is_of_notebook(case) or _is_made_below(case) or _is_deleted_above(case)


def _is_made_below(case: Case) -> bool:
    """Tell whether only cells below the failing one make the undefined name."""
    names = {str(fact.value) for fact in case.facts.of(FactKind.NAME)}
    place = case.places[-1]
    cells = case.workspace.cells(place.file)
    failed, tree = _cell_of(cells, place.line), case.workspace.tree(place.file)
    if failed is None or tree is None:
        return False
    made = [_cell_of(cells, line) for line, _, _ in _made(tree, names)]
    return bool(made) and all(cell is not None and cell.number > failed.number for cell in made)


def _is_deleted_above(case: Case) -> bool:
    """Tell whether, read from the top, the undefined name is deleted and not made again."""
    names = {str(fact.value) for fact in case.facts.of(FactKind.NAME)}
    place = case.places[-1]
    cells, tree = case.workspace.cells(place.file), case.workspace.tree(place.file)
    if tree is None:
        return False
    made = [(line, False) for line, _, _ in _made(tree, names) if line < place.line]
    deleted = [
        (line, True)
        for line, _, _ in _deleted_by_cells(tree, cells, names, place.line)
        if line < place.line
    ]
    return max([*made, *deleted], default=(0, False))[1]


_QUOTED = re.compile(r"'([^']{1,100})'")
_CHANGES_KEYS = re.compile(r"\b(?:drop|pop|set_index|rename|reset_index)\(|\bdel |\.columns\s*=")
"""Calls and statements that take a key or a column away from a table."""


def takes_key_away(case: Case) -> bool:
    """Tell whether a line of the notebook takes away, or renames, a key that is missing."""
    if case.category.id != "key_not_found":
        return False
    return any(map(_CHANGES_KEYS.search, _lines_with(case, _missing(case))))


def _missing(case: Case) -> list[str]:
    """Return the keys or the attribute that the message says is missing."""
    found = _QUOTED.findall(case.message)
    return found[-1:] if case.category.id == "attribute_not_found" else found


def _lines_with(case: Case, names: Sequence[str]) -> Iterator[str]:
    """Yield the lines of the failing notebooks that hold one of the names, but the failing ones."""
    failing = {(place.file, place.line) for place in case.places}
    words = [re.compile(rf"(?<!\w){re.escape(name)}(?!\w)") for name in names]
    for file in _notebooks(case):
        for cell in case.workspace.cells(file):
            for text, line in zip(cell.lines, cell.raw, strict=True):
                if (file, line) not in failing and any(word.search(text) for word in words):
                    yield text


def _stores(line: str, missing: str) -> bool:
    name = re.escape(missing)
    key = rf"""\[\s*["']{name}["']\s*\]\s*=(?!=)"""
    return bool(re.search(rf"{key}|\.{name}\s*=(?!=)|\bdef {name}\(", line))


def is_bound_in(case: Case, file: str, name: str) -> bool:
    """Tell whether the top of a file binds a name; cells that cannot be parsed count as well."""
    tree = case.workspace.tree(file)
    if tree is not None and any(_made(tree, {name})):
        return True
    word = re.escape(name)
    binds = re.compile(
        rf"(?:\w[\w, ]*, ?)?{word}\s*(?:,[\w, ]*)?=(?!=)|(?:async )?def {word}\b|class {word}\b"
        rf"|(?:from [\w.]+ )?import .*\b{word}\b|%time {word}\s*="
    )
    return any(binds.match(line) for line in code_lines(case, file))


def _notebooks(case: Case) -> list[str]:
    """Return the notebooks that the failure went through."""
    return sorted({place.file for place in case.places if place.file.endswith(".ipynb")})


def _too_late(case: Case) -> Iterator[Clue]:
    """Find where other cells of the failing notebook make the undefined name."""
    names = {str(f.value) for f in case.facts.of(FactKind.NAME)}
    if case.class_name == "UnboundLocalError" or not _is_of_notebook(case):
        return  # No cell gives a value to a name of a function or of another module.
    for file in _notebooks(case):
        cells = case.workspace.cells(file)
        own = max((p.line for p in case.places if p.file == file), default=0)
        failed = _cell_of(cells, own)
        tree = case.workspace.tree(file)
        if failed is None or tree is None:
            continue
        made = [
            (line, name, statement, cell)
            for line, name, statement in _made(tree, names)
            if (cell := _cell_of(cells, line)) is not None
            and cell.number != failed.number
            and not _reads(statement, name)
        ]
        ordered = _ordered(cells, failed)
        uncounted = replace(failed, execution_count=None)
        made = [
            (line, name, statement, cell)
            if cell.number in ordered
            else (line, name, statement, replace(cell, execution_count=None))
            for line, name, statement, cell in made
        ]
        reasons = {
            line: _reason(cell, failed if cell.number in ordered else uncounted)
            for line, _, _, cell in made
        }
        for line, name, _, _ in made:
            if reasons[line]:
                why = f"`{name}` is made here, {reasons[line]}"
                yield Clue("rules.strong", file, line, 1.0, why)
        if case.class_name != "NameError":
            continue
        deleted = list(_deleted_by_cells(tree, cells, names, own))
        for line, name, cell in deleted:
            why = f"`{name}` is deleted here, in code cell {cell.number}"
            yield Clue("rules.strong", file, line, 1.0, why)
        always = [
            (line, name, cell)
            for line, name, statement, cell in made
            if isinstance(statement, ALWAYS_BINDS)
        ]
        above = [(line, name, cell) for line, name, cell in always if cell.number < failed.number]
        for line, name, cell in (above[-1:] or always[:1]) if not deleted else ():
            # The name is global: had a line that sets it run in this process, it had a value.
            how = reasons[line].partition(", ")[2].removeprefix("which ")
            what = f"run code cell {cell.number} first, which sets it here"
            if _ran_before(cell, failed):
                how = "ran before; it may have stopped with an error at or above that line, or was "
                how += "changed since"
            if how:
                what = f"code cell {cell.number}, which sets it here, {how}"
            why = f"`{name}` had no value when line {own} ran: {what}"
            if not reasons[line]:
                yield Clue("rules.strong", file, line, 1.0, why)
            yield Clue("missing.binding", file, line, 1.0, why)
            what = what.replace("sets it here", f"sets it (line {line})")
            why = f"`{name}` had no value when this line ran: {what}"
            yield Clue("missing.binding", file, own, SHOWS, why)


def _ordered(cells: Sequence[Cell], failed: Cell) -> set[int]:
    """Return the numbers of the cells whose execution counts tell whether they ran before a cell.

    Counts that are there twice come from several sessions. As far as each is there once, those up
    to the failed one are taken for one session.
    """
    counts = [cell.execution_count for cell in cells if cell.execution_count is not None]
    if len(set(counts)) == len(counts):
        return {cell.number for cell in cells}
    last = failed.execution_count or 0
    before = [count for count in counts if count <= last]
    if len(set(before)) < len(before):
        return set()
    return {cell.number for cell in cells if (cell.execution_count or last + 1) <= last}


def _reads(statement: ast.stmt, name: str) -> bool:
    """Whether a statement needs the value of a name that it binds (``x = clean(x)``)."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return False
    return any(
        isinstance(part, ast.Name) and part.id == name and isinstance(part.ctx, ast.Load)
        for part in ast.walk(statement)
    )


def _ran_before(cell: Cell, failed: Cell) -> bool:
    """Whether the execution counts say that a cell ran before another one."""
    count, other = cell.execution_count, failed.execution_count
    return count is not None and other is not None and count < other


def _is_of_notebook(case: Case) -> bool:
    """Whether the innermost frame ran code of a notebook, whose names its cells make."""
    file = case.located[-1][0].file if case.located else ""
    return cell_name(file) is not None or MAGIC_TEXT.match(file) is not None


def _deleted_by_cells(
    tree: ast.Module, cells: Sequence[Cell], names: set[str], own: int
) -> Iterator[tuple[int, str, Cell]]:
    """Yield the lines of a notebook's top level that delete one of the names, without ``own``."""
    for statement in tree.body:
        targets = statement.targets if isinstance(statement, ast.Delete) else ()
        for target in targets:
            cell = _cell_of(cells, statement.lineno) if statement.lineno != own else None
            if isinstance(target, ast.Name) and target.id in names and cell is not None:
                yield statement.lineno, target.id, cell
    for cell in cells:
        for text, line in zip(cell.lines, cell.raw, strict=True):
            if _RESETS.match(text):
                named = names & set(re.findall(r"\w+", text))
                yield from ((line, name, cell) for name in sorted(named))


_RESETS = re.compile(r"\s*%(?:reset_selective|xdel)\b")
SHOWS = 0.1
"""What it counts for the line that reads a name, where another one would have set it: there is
nothing to mend."""
ALWAYS_BINDS = (
    *(ast.Assign, ast.AnnAssign, ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef),
    *(ast.AsyncFunctionDef, ast.With),
)
"""Statements that bind their names each time they run."""


def _cell_of(cells: Sequence[Cell], line: int) -> Cell | None:
    return next((cell for cell in cells if line in cell.raw), None)


def _reason(cell: Cell, failed: Cell) -> str:
    """Return why a cell had not run before the failed one; empty where it had, or is the same."""
    if cell.number == failed.number:
        return ""
    if cell.execution_count is None and failed.execution_count is not None:
        return f"in code cell {cell.number}, which has no execution count"
    if cell.execution_count is not None and failed.execution_count is not None:
        is_later = cell.execution_count > failed.execution_count
        return f"in code cell {cell.number}, which last ran after the failure" if is_later else ""
    if cell.number < failed.number:
        return ""
    return f"in code cell {cell.number}, below the one that failed"


def _out_of_order(case: Case) -> Iterator[Clue]:
    """Find what gave the names of the failing statement other values than reading order says."""
    for file in _notebooks(case):
        cells = case.workspace.cells(file)
        lines = {
            place.line
            for place in case.places
            if place.file == file and (file, place.line) not in case.edited
        }
        ran = [cell for line in lines if (cell := _cell_of(cells, line)) is not None]
        failed = max(ran, key=lambda cell: cell.execution_count or 0, default=None)
        tree = case.workspace.tree(file)
        if failed is None or not failed.execution_count or tree is None:
            continue
        counts = [cell.execution_count for cell in cells if cell.execution_count is not None]
        is_one_session = len(set(counts)) == len(counts)
        counted = [
            c for c in cells if c.execution_count and c.execution_count <= failed.execution_count
        ]
        made = [
            (b, cell) for b in _made(tree, _used(tree, lines)) if (cell := _cell_of(counted, b[0]))
        ]
        own = {
            bound[1]
            for bound, cell in made
            if cell is failed and bound[0] < min(lines & {*failed.raw})
        }
        if is_one_session:
            others = [entry for entry in made if entry[0][1] not in own]
            yield from _overwritten(file, others, failed)
        shape = case.category.id == "tensor_mismatch"
        for (line, name, statement), cell in made:
            is_other = cell.number != failed.number and is_one_session
            kind = _ran_again(cell, counted) if is_other else ""
            if kind and _remakes(statement, name, shape):
                why = (
                    f"`{name}` is made from itself here, and the execution counts have room for "
                    "two runs of this cell"
                )
                yield Clue(kind, file, line, 1.0, why)


def _followed_again(case: Case) -> Iterator[Clue]:
    """Find what a further run of a cell changed, where the failure shows only with that run."""
    hidden = hidden_cells_of(case)
    raised = follow(case).raised if hidden else None
    if raised is None or raised.weight < 1.0:
        return
    origins = {origin for side in raised.sides for origin in origins_of(side)}
    for file in _notebooks(case):
        tree = case.workspace.tree(file)
        cells = [cell for cell in case.workspace.cells(file) if cell.number in hidden]
        for statement in tree.body if tree is not None else ():
            place, cell = (file, statement.lineno), _cell_of(cells, statement.lineno)
            if place not in origins or cell is None:
                continue
            names = sorted(_bound_by(statement))
            name = next((name for name in names if _remakes(statement, name, shape=False)), None)
            if name is not None:
                why = (
                    f"`{name}` is made from itself here: with one more run of code cell "
                    f"{cell.number}, for which the execution counts have room, it fails so"
                )
                yield Clue("rules.strong", *place, 1.0, f"{why} {SEEN}")


def _overwritten(file: str, made: list[tuple[Bound, Cell]], failed: Cell) -> Iterator[Clue]:
    """Find names whose latest value is of a cell below, where one above makes them too."""
    for name in sorted({bound[1] for bound, _ in made}):
        own = [
            (cell.execution_count or 0, bound[0], cell) for bound, cell in made if bound[1] == name
        ]
        _, line, cell = max(own, key=lambda entry: entry[:2])
        if cell.number > failed.number and any(c.number <= failed.number for _, _, c in own):
            why = (
                f"`{name}` had its value from here: code cell {cell.number} ran before the failure"
            )
            yield Clue("rules.strong", file, line, 1.0, why)


def _ran_again(cell: Cell, counted: list[Cell]) -> str:
    """Return a kind of clue where execution counts speak for a second run of a cell, else empty.

    A run that no cell shows any more was of a cell that ran again later, or was deleted.
    """
    counts = {other.execution_count for other in counted}
    count = cell.execution_count or 0
    hidden = [n for n in range(1, count) if n not in counts]
    above = any(
        other.number > cell.number and (other.execution_count or 0) < count for other in counted
    )
    if hidden and above:
        return "rules.strong"
    return "rules.medium" if count - 1 in hidden else ""


_FINAL_NAMES = """
    astype copy clip cpu cuda detach double drop_duplicates dropna fillna float half int long lower
    reset_index round sort_index sort_values str strip title to to_numpy tolist upper
    array asarray list tuple set dict sorted DataFrame Series to_datetime to_numeric tensor
"""
_FINAL = frozenset(_FINAL_NAMES.split())
"""Calls that change nothing any more when they run a second time."""


def _is_final(call: ast.Call) -> bool:
    func = call.func
    name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
    if name == "reset_index" and not any(keyword.arg == "drop" for keyword in call.keywords):
        return False  # The old index becomes a column.
    inner = func.value if isinstance(func, ast.Attribute) else None
    return name in _FINAL and (not isinstance(inner, ast.Call) or _is_final(inner))


def _remakes(statement: ast.stmt, name: str, shape: bool) -> bool:
    """Tell whether running a statement again changes a name again (its ``shape``, where asked)."""
    if isinstance(statement, ast.AugAssign):
        return not shape
    if not isinstance(statement, ast.Assign) or (shape and isinstance(statement.value, ast.BinOp)):
        return False
    value = statement.value
    if isinstance(value, ast.Call) and _is_final(value):
        return False
    return any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(statement.value))


def _used(tree: ast.Module, lines: set[int]) -> set[str]:
    """Return the names that are read on some lines."""
    return {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.lineno in lines
    }


def _made(tree: ast.Module, names: set[str]) -> Iterator[Bound]:
    """Yield the top-level statements that bind one of the names."""
    for statement in tree.body:
        bound = _bound_by(statement)
        yield from ((statement.lineno, name, statement) for name in sorted(bound & names))


def _bound_by(statement: ast.stmt) -> set[str]:
    """Return the names that a top-level statement binds."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {statement.name}
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return {(a.asname or a.name).partition(".")[0] for a in statement.names}
    if isinstance(statement, ast.AugAssign):
        return set()  # It changes what has a value already.
    # The targets of a comprehension are names of its own scope.
    inner = {
        id(name)
        for node in ast.walk(statement)
        if isinstance(node, ast.comprehension)
        for name in ast.walk(node.target)
    }
    return {
        node.id
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and id(node) not in inner
    }
