"""Rules for arrays that are written to and cannot be: views of data that somebody else holds.

Sources: the user guide of pandas 3, "Copy-on-Write", "Read-only NumPy arrays"; NumPy's reference of
``frombuffer``, ``broadcast_to``, ``diagonal``, ``memmap`` and ``sliding_window_view``; that of
``jax.Array``, of which NumPy gets a view that cannot be written to.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.syntax import keyword
from dl_bug_lsp.provenance.scopes import called_name
from dl_bug_lsp.provenance.slices import Step, backward_slice

READ_ONLY = re.compile(
    r"assignment destination is read-only|(?:output|input|sort) array is read-only"
    r"|buffer source array is read-only|(?:array|ndarray|object) is (?:read-?only|not writeable)"
)
"""How NumPy and what is compiled against it refuse to write to an array."""
HANDED_ON = ("definition", "return", "attribute", "item", "stored", "base")
"""Roles in which an array stays the same, or a part of it that is a view."""
VIEWS = frozenset(
    ("asarray", "asanyarray", "reshape", "ravel", "squeeze", "transpose", "swapaxes", "view")
)
"""Calls that give what they get, or a view of it, where they can."""
UNWRITABLE = {
    "frombuffer": "gives a view of bytes",
    "broadcast_to": "gives a view that repeats elements",
    "broadcast_arrays": "gives views that repeat elements",
    "sliding_window_view": "gives a view whose windows overlap",
    "diagonal": "gives a view of the diagonal",
}
"""Calls whose result cannot be written to, with what it is."""


def find(case: Case) -> Iterator[Clue]:
    """Yield what made a read-only view of the array that the failing line writes to."""
    if not READ_ONLY.search(case.message) or not case.sites:
        return
    site = case.sites[-1]
    bases = list(_written(site.statement)) if site.statement is not None else []
    nodes = [case.engine.node(base, site.context) for base in bases] or list(site.nodes)
    seen: set[tuple[str, int]] = set()
    for step in backward_slice(nodes):
        why = _why(step) if step.node.entry is None and _is_same_array(step) else None
        place = (step.node.file, step.node.line)
        if why is not None and place not in seen and step.node.line > 0:
            seen.add(place)
            yield Clue("rules.strong", *place, 1.0 / len(seen) ** 0.5, why)


def _written(statement: ast.stmt) -> Iterator[ast.expr]:
    """Yield the arrays that a statement writes to."""
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AugAssign):
        targets = [statement.target]
    for target in targets:
        if isinstance(target, ast.Subscript):
            yield target.value
        elif isinstance(statement, ast.AugAssign):
            yield target
    for call in ast.walk(statement) if not targets else ():
        if not isinstance(call, ast.Call):
            continue
        if called_name(call) in ("shuffle", "put", "copyto", "place", "putmask") and call.args:
            yield call.args[0]
        elif isinstance(call.func, ast.Attribute) and call.func.attr in ("sort", "fill"):
            yield call.func.value


def _is_same_array(step: Step) -> bool:
    """Whether what a step makes is what the failing line writes to, and no copy of it."""
    for link in step.way():
        if link.before is None or not link.roles or link.roles[-1] in HANDED_ON:
            continue
        expr = link.before.node.expr
        if not isinstance(expr, ast.Call) or called_name(expr) not in VIEWS:
            return False
    return True


def _why(step: Step) -> str | None:
    """Say why what an expression gives may not be written to, None where it may."""
    expr, text = step.node.expr, step.node.text
    if isinstance(expr, ast.Attribute) and expr.attr == "values":
        return f"`{text}` may be a view, which cannot be written to since pandas 3"
    name = called_name(expr) if isinstance(expr, ast.Call) else None
    if not isinstance(expr, ast.Call) or name is None:
        return None
    if name == "to_numpy":
        copied = keyword(expr, "copy") or (expr.args[1] if len(expr.args) > 1 else None)
        if copied is not None and not (isinstance(copied, ast.Constant) and not copied.value):
            return None
        return (
            f"`{text}` may be a view, which cannot be written to since pandas 3; `copy=True` copies"
        )
    mode = keyword(expr, "mmap_mode") or (keyword(expr, "mode") if name == "memmap" else None)
    if isinstance(mode, ast.Constant) and mode.value == "r":
        return f"`{text}` opens the file only to be read (`{mode.value}`)"
    if name in UNWRITABLE and keyword(expr, "writeable") is None:
        return f"`{text}` {UNWRITABLE[name]}, which cannot be written to"
    if name in ("asarray", "asanyarray") and expr.args:
        return f"`{text}` does not copy what may be read-only, as `np.array` does"
    return None
