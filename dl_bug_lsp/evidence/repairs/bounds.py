"""An index past the end: the range that it runs over, or the length that was promised.

A sequence that each round of a loop makes longer ends beyond every bound. A model that is called on
all of it fails in a later round, as text generation does without a crop to the context length.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from dl_bug_lsp.evidence.case import Case, Clue, Suggestion
from dl_bug_lsp.evidence.domain_rules.syntax import calls_in, own_nodes, source
from dl_bug_lsp.evidence.followed_run import follow, how_known
from dl_bug_lsp.interpretation.values import Origin
from dl_bug_lsp.messages import FactKind
from dl_bug_lsp.provenance import names, objects
from dl_bug_lsp.provenance.engine import Node
from dl_bug_lsp.provenance.scopes import ElementOf, called_name

ITEM_METHODS = ("__getitem__", "__getitems__")
FAR = 0.5
JOINING = frozenset(
    ("cat", "concat", "concatenate", "append", "hstack", "vstack", "stack", "pad", "insert")
)
"""Functions that put a longer array together of two."""
ADDING = frozenset(("append", "extend", "insert", "appendleft"))
OF_LONGER = frozenset(("illegal_index", "tensor_mismatch", "illegal_argument", "corrupt_data"))
"""Categories of failures that a sequence which is too long leads to."""
OF_GROWTH, OF_BOUND = 0.4, 0.3
"""What the statement counts that makes the sequence longer, and what clues on the bound count."""


@dataclass(frozen=True, slots=True)
class Growing:
    """A call in a loop that is given a sequence which the loop makes longer.

    ``call`` is the place of the call, ``name`` the sequence's; ``grown`` are the places of the
    statements that make it longer, ``made`` those of what they add too.
    """

    call: Origin
    name: str
    grown: frozenset[Origin]
    made: frozenset[Origin]


_GROWING: WeakKeyDictionary[Case, Growing | None] = WeakKeyDictionary()


def find_growing(case: Case) -> Iterator[Clue]:
    """Yield the call that is given a sequence which each round of its loop makes longer."""
    growing = _growing(case)
    if growing is None:
        return
    why = f"each round adds to `{growing.name}`, and all of it is given to this call"
    yield Clue("rules.strong", *growing.call, 1.0, f"{why} {how_known(case)}")
    for file, line in sorted(growing.grown - {growing.call}):
        adds = f"each round adds to `{growing.name}` here"
        yield Clue("rules.strong", file, line, OF_GROWTH, f"{adds} {how_known(case)}")


def clue_factor(case: Case, clue: Clue) -> float:
    """Return a clue's factor: little on a bound that a growing sequence passes sooner or later.

    The run passed the same check in the rounds before.
    """
    growing = _growing(case) if case.places else None
    if growing is None or (clue.file, clue.line) in growing.made | {growing.call}:
        return 1.0
    raised = follow(case).raised
    sides = raised.sides if raised is not None else ()
    return OF_BOUND if any((clue.file, clue.line) in side.origins for side in sides) else 1.0


def _growing(case: Case) -> Growing | None:
    if case not in _GROWING:
        _GROWING[case] = _first_growing(case)
    return _GROWING[case]


def _first_growing(case: Case) -> Growing | None:
    """Return the innermost call on the stack that is given a growing sequence, where one failed.

    It is asked for where the run was followed and what fails was made by the statement that makes
    the sequence longer.
    """
    raised = follow(case).raised if case.places and case.category.id in OF_LONGER else None
    if raised is None or raised.weight < 1.0:
        return None
    made = {(file, abs(line)) for side in raised.sides for file, line in side.origins}
    for place in reversed(case.places):
        tree = case.workspace.tree(place.file)
        for loop in ast.walk(tree) if tree is not None else ():
            if isinstance(loop, (ast.For, ast.While)) and (
                loop.body[0].lineno <= place.line <= (loop.end_lineno or 0)
            ):
                found = _in_loop(place.file, place.line, loop)
                if found is not None and found.made & made:
                    return found
    return None


def _in_loop(file: str, line: int, loop: ast.For | ast.While) -> Growing | None:
    """Return the call at a line of a loop that is given what the loop makes longer, if any."""
    longer: dict[str, set[Origin]] = {}
    added: dict[str, set[Origin]] = {}
    cut: set[str] = set()
    derived: dict[str, set[str]] = {}
    anew = _set_anew(loop)
    for node in (n for statement in loop.body for n in (statement, *own_nodes(statement))):
        name, value = _assigned(node)
        if name and value is not None:
            if _is_longer(name, value):
                parts = _names(value) - {name}
                makers = [n for n in ast.walk(loop) if _assigned(n)[0] in parts]
                places = {(file, n.lineno) for n in makers if isinstance(n, ast.stmt)}
                longer.setdefault(name, set()).add((file, value.lineno))
                added.setdefault(name, set()).update(places)
            elif any(isinstance(part, ast.Subscript) for part in ast.walk(value)):
                cut.add(name)
            else:
                derived.setdefault(name, set()).update(_names(value))
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.attr in ADDING
        ):
            longer.setdefault(node.func.value.id, set()).add((file, node.lineno))
    for node in ast.walk(loop):
        if not isinstance(node, ast.Call) or not node.lineno <= line <= (node.end_lineno or 0):
            continue
        for given in (*node.args, *(k.value for k in node.keywords)):
            if any(isinstance(part, ast.Subscript) for part in ast.walk(given)):
                continue
            for name in _names(given):
                for whole in sorted({name, *derived.get(name, ())} & longer.keys() - anew):
                    if not {name, whole} & cut:
                        grown = frozenset(longer[whole])
                        return Growing((file, line), whole, grown, grown | added.get(whole, set()))
    return None


def _set_anew(loop: ast.For | ast.While) -> set[str]:
    """Return the names that each round of a loop sets from others before it uses them.

    Such are the loop's own and those that a batch is unpacked into: what a round puts to them is
    gone in the next.
    """
    found = _stored(loop.target) if isinstance(loop, ast.For) else set()
    used: set[str] = set()
    for statement in loop.body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                used.add(node.id)
        if isinstance(statement, ast.Assign):
            found |= {name for target in statement.targets for name in _stored(target)} - used
    return found


def _stored(target: ast.expr) -> set[str]:
    """Return the names that a target of an assignment or a loop binds."""
    parts = (part for part in ast.walk(target) if isinstance(part, ast.Name))
    return {part.id for part in parts if isinstance(part.ctx, ast.Store)}


def _assigned(node: ast.AST) -> tuple[str, ast.expr | None]:
    """Return the name that a statement assigns a value to, and the value."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target = node.targets[0]
        return (target.id, node.value) if isinstance(target, ast.Name) else ("", None)
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        longer = ast.BinOp(node.target, node.op, node.value)
        return node.target.id, ast.copy_location(longer, node)
    return "", None


def _is_longer(name: str, value: ast.expr) -> bool:
    """Whether a value is a sequence of a name with something added to it."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        listed = isinstance(value.right, (ast.List, ast.ListComp, ast.Tuple))
        return listed and name in _names(value.left)
    joined = next((c for c in calls_in(value) if called_name(c) in JOINING), None)
    if joined is None or name not in _names(joined):
        return False
    return not any(isinstance(part, ast.Subscript) for part in ast.walk(joined))


def _names(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def find(case: Case) -> Iterator[Clue]:
    """Yield what gives an index its range, where an index is just past the end."""
    if case.class_name != "IndexError" or not case.sites:
        return
    index = [f.value for f in case.facts.of(FactKind.INDEX) if isinstance(f.value, int)]
    bound = [f.value for f in case.facts.of(FactKind.BOUND) if isinstance(f.value, int)]
    close = 1.0
    if index and bound:
        close = 1.0 if 0 <= index[0] - bound[0] <= 1 else FAR
    for start in case.starts:
        for expr in ast.walk(start.expr):
            if isinstance(expr, ast.Subscript):
                yield from _ranges(start, expr.slice, close)
                if index and bound:
                    yield from _shifted(start, expr.slice, index[0], bound[0])
    for site in reversed(case.sites):
        scope = site.context.scope
        if scope.name.rpartition(".")[2] not in ITEM_METHODS or scope.owner is None:
            continue
        length = objects.find_method(case.engine, scope.owner, "__len__")
        for returned in length.returns if length is not None else ():
            why = f"`__len__` promises `{source(returned)}` items, and one of them is not there"
            assert length is not None
            shifts = any(isinstance(n, ast.BinOp) for n in ast.walk(returned))
            score = close * (1.0 if shifts else 0.6)
            yield Clue("repair.bound", length.file, returned.lineno, score, why)
        break


def _shifted(start: Node, index: ast.expr, value: int, size: int) -> Iterator[Clue]:
    """Yield the failing line where its index would fit without the constant that it adds."""
    for part in ast.walk(index):
        if not isinstance(part, ast.BinOp) or not isinstance(part.op, ast.Add):
            continue
        added = part.right.value if isinstance(part.right, ast.Constant) else None
        if type(added) is int and added > 0 and value - added < size <= value:
            why = f"`{source(part)}` adds {added}: without it index {value} would be below {size}"
            edit = Suggestion(start.file, part.lineno, source(part), source(part.left))
            yield Clue("repair.bound", start.file, part.lineno, 1.0, why, edit)


def _ranges(start: Node, index: ast.expr, close: float) -> Iterator[Clue]:
    """Yield the loops over a ``range`` whose variable goes into an index."""
    read = {n.id for n in ast.walk(index) if isinstance(n, ast.Name)}
    for name in sorted(read):
        for child in names.lookup(start.engine, name, start.context, start.line)[:3]:
            over = child.expr.value if isinstance(child.expr, ElementOf) else None
            if not isinstance(over, ast.Call) or called_name(over) != "range" or child.line <= 0:
                continue
            stop = over.args[1] if len(over.args) > 1 else over.args[0] if over.args else None
            grown = isinstance(stop, ast.BinOp) and isinstance(stop.op, ast.Add)
            score = close * (1.0 if grown else 0.7 if isinstance(stop, ast.BinOp) else 0.4)
            why = f"`{name}` runs over `{source(over)}`, perhaps past the end"
            edit = None
            if grown and isinstance(stop, ast.BinOp):
                edit = Suggestion(child.file, child.line, source(stop), source(stop.left))
            yield Clue("repair.bound", child.file, child.line, score, why, edit)
