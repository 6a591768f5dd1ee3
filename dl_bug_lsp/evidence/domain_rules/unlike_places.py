"""One thing that a program treats in two ways: what all other places do is what was meant."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.batches import adds_axis
from dl_bug_lsp.evidence.domain_rules.syntax import near_files, near_scopes, own_nodes, source
from dl_bug_lsp.messages import FactKind
from dl_bug_lsp.messages.facts import Role
from dl_bug_lsp.provenance.scopes import Scope, called_name

MOST_FILES = 30
UNPACKED = re.compile(r"(?:too many|not enough) values to unpack \(expected (?P<wanted>\d+)")
ENOUGH_LOOPS = 2
"""Loops that agree on what an item is."""
Assigned = tuple[int, ast.expr]


def find(case: Case) -> Iterator[Clue]:
    """Yield the places that differ from those that do the same thing."""
    if case.category.id in ("tensor_mismatch", "illegal_argument"):
        yield from _not_batched(case)
    match = UNPACKED.search(case.message)
    if match is not None:
        yield from _items(case, int(match["wanted"]))
    yield from _keywords(case)


TELLING = re.compile(
    r"ignore|pad(?:ding)?_|mask_zero|dtype|device|batch_first|num_classes|n_classes|^classes$|seed"
    r"|random_state|shuffle|drop_last|collate|average|task|encoding|truncation|from_logits|reduction"
)
"""Keywords of which one call in a group hardly does without the others' value."""
AGREEING = 2
"""Calls that give a keyword the same value."""
MOST_LEFT_OUT = 1


def _keywords(case: Case) -> Iterator[Clue]:
    """Find the call that leaves out a keyword which the calls of its kind beside it all give.

    Calls are of one kind where their classes begin or end with the same word
    (``MulticlassAccuracy`` and ``MulticlassJaccardIndex``), in one function.
    """
    seen: set[int] = set()
    for scope in near_scopes(case):
        calls = [c for c in scope.calls if id(c) not in seen]
        seen.update(map(id, calls))
        groups: dict[tuple[str, str], list[ast.Call]] = {}
        for call in calls:
            parts = CAMEL.findall(called_name(call) or "")
            if len(parts) > 1:
                groups.setdefault(("first", parts[0]), []).append(call)
                groups.setdefault(("last", parts[-1]), []).append(call)
        reported: set[tuple[int, str]] = set()
        for group in groups.values():
            for call, name, other in _left_out(group):
                if (call.lineno, name) not in reported:
                    reported.add((call.lineno, name))
                    why = (
                        f"`{source(call.func)}` does not get `{name}`, which "
                        f"`{source(other.func)}` in line {other.lineno} gets"
                    )
                    yield Clue("rules.left_out_keyword", scope.file, call.lineno, 1.0, why)


def _left_out(group: list[ast.Call]) -> Iterator[tuple[ast.Call, str, ast.Call]]:
    """Yield calls without a keyword that all others of their group give alike."""
    values: dict[str, list[tuple[ast.Call, str]]] = {}
    for call in group:
        for word in call.keywords:
            if word.arg is not None and TELLING.search(word.arg):
                values.setdefault(word.arg, []).append((call, source(word.value)))
    for name, given in values.items():
        without = [
            c
            for c in group
            if all(k.arg not in (name, None) for k in c.keywords)
            and all(c is not g for g, _ in given)
        ]
        alike = len({value for _, value in given}) == 1
        if alike and len(given) >= AGREEING and 0 < len(without) <= MOST_LEFT_OUT:
            yield without[0], name, given[0][0]


CAMEL = re.compile(r"[A-Z][a-z0-9]+|[A-Z]+(?![a-z])")


def _not_batched(case: Case) -> Iterator[Clue]:
    """Find a value that gets its batch axis where it is made anew, and not where it is made first.

    ``state = env.reset()`` before a loop in which ``state = np.reshape(state, (1, n))``.
    """
    if not _lacks_axis(case):
        return
    for place in case.places:
        scope = case.engine.program.scope_at(place.file, place.line)
        for name in sorted(_arguments_at(scope, place.line)) if scope is not None else ():
            assert scope is not None
            made = _assigned(scope, name)
            batched = [line for line, value in made if _is_batched(scope, value)]
            plain = [(line, value) for line, value in made if line not in batched]
            if not batched or not plain:
                continue
            for line, value in plain:
                why = (
                    f"`{name}` is `{source(value)}` here, without the axis of the batch that it "
                    f"gets where it is made in line {batched[0]}"
                )
                yield Clue("rules.strong", place.file, line, 1.0, why)


def _lacks_axis(case: Case) -> bool:
    """Whether the message says that a shape has one axis less than is wanted."""
    ranks = {
        role: {
            len(fact.value)
            for fact in case.facts.of(FactKind.SHAPE, role)
            if isinstance(fact.value, tuple)
        }
        for role in (Role.EXPECTED, Role.ACTUAL)
    }
    wanted, given = ranks[Role.EXPECTED], ranks[Role.ACTUAL]
    return any(a + 1 == b for a in given for b in wanted)


def _arguments_at(scope: Scope, line: int) -> set[str]:
    """Return the names that the calls of a line are given."""
    found: set[str] = set()
    for node in own_nodes(scope.node):
        if isinstance(node, ast.Call) and node.lineno <= line <= (node.end_lineno or line):
            given = [*node.args, *(k.value for k in node.keywords)]
            found.update(part.id for part in given if isinstance(part, ast.Name))
    return found


def _assigned(scope: Scope, name: str) -> list[Assigned]:
    """Return the lines of a scope that make a name alone or in a tuple, with what it is made of."""
    found: list[Assigned] = []
    for node in own_nodes(scope.node):
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
            if any(isinstance(part, ast.Name) and part.id == name for part in parts):
                found.append((node.lineno, node.value))
    return sorted(found, key=lambda made: made[0])


def _is_batched(scope: Scope, value: ast.expr) -> bool:
    """Whether a value gets an axis where it is made, or a line above where it has its name."""
    if adds_axis(value):
        return True
    if not isinstance(value, ast.Name):
        return False
    return any(adds_axis(made) for _, made in _assigned(scope, value.id))


def _items(case: Case, wanted: int) -> Iterator[Clue]:
    """Find the items of a data set that have another number of parts than all loops take.

    Where two or more loops of the program take ``wanted`` parts and none takes as many as
    ``__getitem__`` returns, the loops agree on what an item is.
    """
    site = case.sites[-1] if case.sites else None
    if site is None or not isinstance(site.statement, (ast.For, ast.AsyncFor)):
        return
    taken: dict[int, int] = {}
    returns: list[tuple[str, ast.Return, int]] = []
    for file in near_files(case)[:MOST_FILES]:
        tree = case.workspace.tree(file)
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, (ast.For, ast.AsyncFor)):
                count = _parts_taken(node)
                taken[count] = taken.get(count, 0) + 1
            elif isinstance(node, ast.FunctionDef) and node.name == "__getitem__":
                returns.extend(_returned(file, node))
    odd = [one for one in returns if one[2] != wanted]
    if len(odd) != len(returns) or taken.get(wanted, 0) < ENOUGH_LOOPS:
        return
    for file, returned, count in odd:
        if not taken.get(count):
            why = (
                f"an item has {count} parts here, and {taken[wanted]} loops of the program "
                f"take {wanted}"
            )
            yield Clue("rules.strong", file, returned.lineno, 1.0 / len(odd) ** 0.5, why)


def _parts_taken(loop: ast.For | ast.AsyncFor) -> int:
    """Return how many names a loop takes of an item, 1 where it takes it whole.

    Of ``enumerate`` and ``tqdm(enumerate(…))`` the item is the second part.
    """
    target = loop.target
    counted = "enumerate(" in ast.unparse(loop.iter)
    if counted and isinstance(target, ast.Tuple) and len(target.elts) == 2:
        target = target.elts[1]
    return len(target.elts) if isinstance(target, (ast.Tuple, ast.List)) else 1


def _returned(file: str, function: ast.FunctionDef) -> Iterator[tuple[str, ast.Return, int]]:
    for node in own_nodes(function):
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
            yield file, node, len(node.value.elts)
