"""Parallel code: statements and elements of one form, and the one that deviates from the others.

Code that was written alike is meant alike: where all but one of several siblings agree, the one
that does not is suspect (Engler et al., "Bugs as deviant behavior", SOSP 2001), as is a copy in
which one name was not changed with the others (Li et al., CP-Miner, OSDI 2004). Only syntax is
looked at; what a deviation means for a failure is asked elsewhere.
"""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations

from dl_bug_lsp.evidence.domain_rules.syntax import source
from dl_bug_lsp.evidence.repairs.repair_context import FUNCTIONS, Block, blocks_of

SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr)
DISPLAYS = (ast.List, ast.Tuple, ast.Set)
APART = 4
"""How many places apart two siblings may stand that are compared as a pair."""
MOST_SIBLINGS, MOST_LEAVES = 60, 40
MOST_COLUMNS = 16
MOST_TEXT = 80
WORD = re.compile(r"\d+|[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


@dataclass(frozen=True, slots=True)
class Deviation:
    """One of several parallel pieces of code that is not like the others.

    ``kind``: "lacks" (the sibling has ``extra``, which this one has not), "breaks" (a relation
    between its parts does not hold) or "renaming" (one name was not changed with the others).
    ``of`` others agree; ``old`` becomes ``new`` where one edit makes it agree too. ``role`` is that
    of an argument that is lacking; ``why`` half a sentence.
    """

    kind: str
    node: ast.AST
    sibling: ast.AST
    leaf: ast.AST
    of: int
    why: str
    old: str = ""
    new: str = ""
    extra: ast.expr | None = None
    role: str = ""

    @property
    def line(self) -> int:
        """The 1-based line of what deviates."""
        return int(getattr(self.leaf, "lineno", 0) or getattr(self.node, "lineno", 0))


@dataclass(frozen=True, slots=True)
class Leaf:
    """A name, attribute, keyword or constant inside a piece of code."""

    node: ast.AST
    value: str | int | float | bool | None
    defines: bool = False


def families(body: Block) -> Iterator[tuple[list[ast.AST], bool]]:
    """Yield lists of siblings, and whether they stand in one order.

    Siblings are the simple statements of a block, those of all branches of an ``if``, the elements
    of a list or tuple, the arguments of a call, and the items of a dict.
    """
    yield from _statements(body)
    for statement in body:
        if isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
            continue
        for block in blocks_of(statement):
            yield from families(block)
        if isinstance(statement, ast.If):
            chain = _branches(statement)
            if len(chain) > 1:
                rows = [s for block in chain for s in block if isinstance(s, SIMPLE)]
                yield list(rows[:MOST_SIBLINGS]), False
        yield from _inside(statement)


def _statements(body: Block) -> Iterator[tuple[list[ast.AST], bool]]:
    simple: list[ast.AST] = [s for s in body if isinstance(s, SIMPLE) and not _is_text(s)]
    if len(simple) > 1:
        yield simple[:MOST_SIBLINGS], True


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _branches(statement: ast.If) -> list[Block]:
    found = [statement.body]
    while len(statement.orelse) == 1 and isinstance(statement.orelse[0], ast.If):
        statement = statement.orelse[0]
        found.append(statement.body)
    return [*found, statement.orelse] if statement.orelse else found


def _inside(statement: ast.stmt) -> Iterator[tuple[list[ast.AST], bool]]:
    """Yield the elements of displays and the arguments of calls that a statement holds itself."""
    queue: list[ast.AST] = [
        n for n in ast.iter_child_nodes(statement) if not isinstance(n, ast.stmt)
    ]
    while queue:
        node = queue.pop()
        if isinstance(node, ast.stmt):
            continue
        if isinstance(node, DISPLAYS) and len(node.elts) > 1:
            yield list(node.elts[:MOST_SIBLINGS]), True
        elif isinstance(node, ast.Call):
            if len(node.args) > 1:
                yield list(node.args[:MOST_SIBLINGS]), True
            if len(node.keywords) > 1:
                given: list[ast.AST] = [k for k in node.keywords if k.arg is not None]
                yield given[:MOST_SIBLINGS], False
        elif isinstance(node, ast.Dict) and len(node.keys) > 1:
            items = zip(node.keys, node.values, strict=True)
            pairs: list[ast.AST] = [
                ast.copy_location(ast.Tuple(elts=[k, v], ctx=ast.Load()), k)
                for k, v in items
                if k is not None
            ]
            yield pairs[:MOST_SIBLINGS], False
        queue.extend(ast.iter_child_nodes(node))


def deviations(body: Block, known: frozenset[str]) -> Iterator[Deviation]:
    """Yield what deviates from its siblings among the statements of a function or module.

    ``known`` are the names that the file writes: only they are suggested.
    """
    for siblings, ordered in families(body):
        yield from _relations(siblings, ordered, known)
        yield from _pairs(siblings, known)


def written_names(tree: ast.AST) -> frozenset[str]:
    """Return the names, attributes, keywords and short texts that code writes."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, (ast.arg, ast.keyword)):
            found.add(node.arg or "")
        elif isinstance(node, ast.alias):
            found.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value[:MOST_TEXT])
    return frozenset(found)


# Forms and leaves


def form_of(node: ast.AST) -> tuple[str, list[Leaf]]:
    """Return what a piece of code is without its names and constants, and these, in order."""
    parts: list[str] = []
    found: list[Leaf] = []
    _collect(node, parts, found)
    return "".join(parts), found


def _collect(node: ast.AST, parts: list[str], found: list[Leaf]) -> None:
    if len(found) > MOST_LEAVES:
        return
    if isinstance(node, ast.Name):
        parts.append("N")
        found.append(Leaf(node, node.id, not isinstance(node.ctx, ast.Load)))
        return
    if isinstance(node, ast.Constant):
        parts.append(type(node.value).__name__)
        plain = isinstance(node.value, (str, int, float, bool)) or node.value is None
        found.append(Leaf(node, node.value if plain else None))  # type: ignore[arg-type]
        return
    if parts and isinstance(node, DISPLAYS) and _is_data(node.elts):
        # Numbers of a list are data, one as good as another.
        parts.append("D")
        found.append(Leaf(node, None))
        return
    parts.append(f"({type(node).__name__}")
    for name, value in ast.iter_fields(node):
        if name in ("ctx", "type_comment", "kind"):
            continue
        if isinstance(value, ast.AST):
            _collect(value, parts, found)
        elif isinstance(value, list):
            parts.append("[")
            for item in value:
                if isinstance(item, ast.AST):
                    _collect(item, parts, found)
            parts.append("]")
        elif name == "attr" and isinstance(value, str):
            parts.append("A")
            context = getattr(node, "ctx", None)
            found.append(Leaf(node, value, not isinstance(context, ast.Load)))
        elif name == "arg" and isinstance(value, str):
            parts.append("K")
            found.append(Leaf(node, value, True))
    parts.append(")")


def _is_data(elements: list[ast.expr]) -> bool:
    return len(elements) > 2 and all(isinstance(e, ast.Constant) for e in elements)


# Relations between the parts of three siblings or more


@dataclass(slots=True)
class Column:
    """One varying part of the siblings: a number, a name, or one word of the names."""

    leaves: list[Leaf]
    values: list[str | int]
    spans: list[tuple[int, int]] = field(default_factory=list)

    @property
    def numbers(self) -> list[int] | None:
        """The values where all are numbers."""
        whole = [v for v in self.values if isinstance(v, int)]
        return whole if len(whole) == len(self.values) else None

    @property
    def defines(self) -> bool:
        """Whether the part gives a name to what the sibling makes."""
        return self.leaves[0].defines


def _relations(
    siblings: Sequence[ast.AST], ordered: bool, known: frozenset[str]
) -> Iterator[Deviation]:
    groups: dict[str, list[tuple[int, ast.AST, list[Leaf]]]] = defaultdict(list)
    for at, node in enumerate(siblings):
        form, leaves = form_of(node)
        if 2 <= len(leaves) <= MOST_LEAVES:
            groups[form].append((at, node, leaves))
    for rows in groups.values():
        for run in _alike(rows):
            if len(run) >= 3:
                yield from _odd_row(run, ordered, known)


def _alike(
    rows: list[tuple[int, ast.AST, list[Leaf]]],
) -> Iterator[list[tuple[int, ast.AST, list[Leaf]]]]:
    """Yield the rows that call the same things or share half of their names, together."""
    known: dict[int, list[tuple[int, ast.AST, list[Leaf]]]] = {}
    for row in rows:
        for group in known.values():
            first = group[0][2]
            same = sum(_like(a.value, b.value) for a, b in zip(first, row[2], strict=True))
            if 2 * same >= len(first):
                group.append(row)
                break
        else:
            known[len(known)] = [row]
    yield from known.values()


def _like(a: object, b: object) -> bool:
    """Whether two leaves are the same, but for numbers in their names."""
    if isinstance(a, str) and isinstance(b, str):
        return WORD.sub("", a) == WORD.sub("", b) and _stem(a) == _stem(b)
    return type(a) is type(b) and a == b


def _stem(name: str) -> str:
    return re.sub(r"\d+", "#", name)


def _odd_row(
    rows: list[tuple[int, ast.AST, list[Leaf]]], ordered: bool, known: frozenset[str]
) -> Iterator[Deviation]:
    columns = _columns([leaves for _, _, leaves in rows])[:MOST_COLUMNS]
    broken: dict[int, list[tuple[Column, Column | None, str, str | int]]] = defaultdict(list)
    for one, other in combinations(columns, 2):
        for at, odd, kept, wanted, told in _related(one, other):
            broken[at].append((odd, kept, told, wanted))
    if ordered:
        for column in columns:
            for at, wanted, told in _progression(column):
                broken[at].append((column, None, told, wanted))
    if len(broken) != 1:
        # Several that deviate, each in its way: nothing is usual here.
        return
    ((at, found),) = broken.items()
    blamed = Counter(id(odd) for odd, _, _, _ in found)
    odd, related, told, wanted = max(found, key=lambda f: blamed[id(f[0])])
    if at in (0, len(rows) - 1) and len(rows) < 4 and related is not None and related.numbers:
        # The first and the last of a series are often others on purpose.
        return
    leaf = odd.leaves[at]
    old = str(leaf.value)
    first, last = odd.spans[at]
    new = f"{old[:first]}{wanted}{old[last:]}"
    repeats = odd.values.count(odd.values[at]) > 1
    named = isinstance(leaf.value, str)
    if (named and new not in known) or (not named and wanted < 0):  # type: ignore[operator]
        return
    if not repeats and (odd.numbers is None or len(rows) < 4):
        # What only this row has it has on purpose; that of another row may be left over from it.
        return
    beside = rows[at - 1 if at else 1][1]
    why = f"{told} in {len(rows) - 1} like it (`{source(beside)}`) and not here"
    yield Deviation("breaks", rows[at][1], beside, leaf.node, len(rows) - 1, why, old, new)


def _columns(rows: list[list[Leaf]]) -> list[Column]:
    """Return what varies from row to row, names in words where all have as many."""
    found: list[Column] = []
    for leaves in zip(*rows, strict=True):
        if all(type(leaf.value) is int for leaf in leaves):
            texts = [str(leaf.value) for leaf in leaves]
            spans = [(0, len(text)) for text in texts]
            found.append(Column(list(leaves), [int(t) for t in texts], spans))
        elif all(isinstance(leaf.value, str) for leaf in leaves):
            found.extend(_words([*leaves]))
    return [c for c in found if len(set(c.values)) > 1]


def _words(leaves: list[Leaf]) -> Iterator[Column]:
    names = [str(leaf.value) for leaf in leaves]
    matches = [list(WORD.finditer(name)) for name in names]
    count = len(matches[0])
    if any(len(m) != count for m in matches) or not 0 < count <= 6:
        yield Column(leaves, list(names), [(0, len(n)) for n in names])
        return
    for at in range(count):
        texts = [m[at].group() for m in matches]
        digits = all(text.isdigit() for text in texts)
        values: list[str | int] = [int(t) if digits else t.lower() for t in texts]
        yield Column(leaves, values, [m[at].span() for m in matches])


def _related(one: Column, other: Column) -> Iterator[tuple[int, Column, Column, str | int, str]]:
    """Yield the one row in which two parts are not related as in all others, and which is odd."""
    a, b = one.numbers, other.numbers
    count = len(one.values)
    if a is not None and b is not None:
        shifts = Counter(y - x for x, y in zip(a, b, strict=True))
        shift, often = shifts.most_common(1)[0]
        if often != count - 1:
            return
        at = next(i for i in range(count) if b[i] - a[i] != shift)
        holding = [i for i in range(count) if i != at]
        if len({a[i] for i in holding}) < len(holding):
            return
        told = "two numbers are the same" if not shift else f"two numbers differ by {abs(shift)}"
        if _blamed(one, other, at) is other:
            yield at, other, one, a[at] + shift, told
        else:
            yield at, one, other, b[at] - shift, told
        return
    if (a is None) != (b is None):
        return
    differ = [i for i in range(count) if one.values[i] != other.values[i]]
    if len(differ) != 1:
        return
    at = differ[0]
    holding = [i for i in range(count) if i != at]
    if len({one.values[i] for i in holding}) < len(holding):
        return
    odd = _blamed(one, other, at)
    kept = one if odd is other else other
    yield at, odd, kept, _cased(odd, kept, at), "two names are the same"


def _blamed(one: Column, other: Column, at: int) -> Column:
    """Return the part that repeats what another row has, else the one that is no definition."""
    repeats = [c.values.count(c.values[at]) > 1 for c in (one, other)]
    if repeats[0] != repeats[1]:
        return one if repeats[0] else other
    return one if other.defines and not one.defines else other


def _cased(odd: Column, kept: Column, at: int) -> str:
    """Return the word of a row that fits, written as the odd part writes its words."""
    name, (first, last) = str(kept.leaves[at].value), kept.spans[at]
    word, old = name[first:last], str(odd.leaves[at].value)
    if old.islower():
        return word.lower()
    return word.upper() if old.isupper() else word


def _progression(column: Column) -> Iterator[tuple[int, int, str]]:
    """Yield the one number, neither first nor last, that leaves a row of equal steps or factors."""
    numbers = column.numbers
    if numbers is None or len(numbers) < 5 or len(set(numbers)) < len(numbers) - 1:
        return
    for at in range(1, len(numbers) - 1):
        rest = [(i, n) for i, n in enumerate(numbers) if i != at]
        step = Fraction(rest[-1][1] - rest[0][1], rest[-1][0] - rest[0][0])
        if step and all(n == rest[0][1] + step * (i - rest[0][0]) for i, n in rest):
            wanted = rest[0][1] + step * at
            if wanted.denominator == 1 and wanted != numbers[at]:
                yield at, int(wanted), f"the numbers grow by {step}"
            return
        if min(n for _, n in rest) <= 0 or not at > 1:
            continue
        factor = Fraction(rest[1][1], rest[0][1])
        if factor not in (0, 1) and all(n == rest[0][1] * factor**i for i, n in rest):
            wanted = rest[0][1] * factor**at
            if wanted.denominator == 1 and wanted != numbers[at]:
                yield at, int(wanted), f"the numbers grow by the factor {factor}"
            return


# Pairs: what one of two siblings has more, and names that were not changed in a copy


@dataclass(slots=True)
class Comparison:
    """The leaves of two pieces of code, in pairs, and the one thing that the second has more."""

    pairs: list[tuple[Leaf, Leaf]] = field(default_factory=list)
    extra: ast.expr | None = None
    wrapped: ast.expr | None = None
    role: str = ""


def compared(a: ast.AST, b: ast.AST) -> Comparison | None:
    """Compare two pieces of code; None where they differ by more than leaves and one thing."""
    state = Comparison()
    return state if _compare(a, b, state) else None


def _compare(a: ast.AST, b: ast.AST, state: Comparison) -> bool:
    if len(state.pairs) > MOST_LEAVES:
        return False
    mark, extra = len(state.pairs), state.extra
    if type(a) is type(b):
        if _same_kind(a, b, state):
            return True
        del state.pairs[mark:]
        state.extra, state.role, state.wrapped = extra, "", None
    if state.extra is not None or not isinstance(b, ast.expr) or not isinstance(a, ast.expr):
        return False
    for inner in _wrapped_in(b):
        state.extra, state.wrapped = b, inner
        if _compare(a, inner, state):
            return True
        del state.pairs[mark:]
        state.extra = state.wrapped = None
    return False


def _wrapped_in(expr: ast.expr) -> list[ast.expr]:
    """Return what an expression would be without its outermost call, subscript or attribute."""
    if isinstance(expr, ast.Call):
        inner = [expr.func.value] if isinstance(expr.func, ast.Attribute) else []
        # A call with many arguments makes something else of the first.
        few = len(expr.args) + len(expr.keywords) <= 2
        return [*inner, *(expr.args[:1] if few else ())]
    if isinstance(expr, (ast.Attribute, ast.Subscript, ast.Await)):
        return [expr.value]
    if isinstance(expr, ast.UnaryOp):
        return [expr.operand]
    if isinstance(expr, ast.BinOp):
        return [expr.left, expr.right]
    return []


def _same_kind(a: ast.AST, b: ast.AST, state: Comparison) -> bool:
    if isinstance(a, ast.Constant) and isinstance(b, ast.Constant):
        if type(a.value) is not type(b.value):
            return False
        plain = isinstance(a.value, (str, int, float)) or a.value is None
        if not plain:
            return a.value == b.value
    if isinstance(a, ast.Call) and isinstance(b, ast.Call):
        return _same_call(a, b, state)
    if isinstance(a, ast.keyword) and isinstance(b, ast.keyword):
        state.pairs.append((Leaf(a, a.arg, True), Leaf(b, b.arg, True)))
        return _compare(a.value, b.value, state)
    if isinstance(a, (ast.Name, ast.Constant)):
        state.pairs.append((_leaf(a), _leaf(b)))
        return True
    for name in a._fields:
        one, other = getattr(a, name, None), getattr(b, name, None)
        if name in ("ctx", "type_comment", "kind"):
            continue
        if name == "attr":
            continue
        if isinstance(one, list) and isinstance(other, list):
            if len(one) != len(other):
                return False
            if not all(_compare(x, y, state) for x, y in zip(one, other, strict=True)
                       if isinstance(x, ast.AST) and isinstance(y, ast.AST)):  # fmt: skip
                return False
        elif isinstance(one, ast.AST) and isinstance(other, ast.AST):
            if not _compare(one, other, state):
                return False
        elif one != other:
            return False
    if isinstance(a, ast.Attribute):
        state.pairs.append((_leaf(a), _leaf(b)))
    return True


def _leaf(node: ast.AST) -> Leaf:
    defines = not isinstance(getattr(node, "ctx", None), (ast.Load, type(None)))
    value = getattr(node, "id", getattr(node, "attr", getattr(node, "value", None)))
    return Leaf(node, value, defines)


def _same_call(a: ast.Call, b: ast.Call, state: Comparison) -> bool:
    if not _compare(a.func, b.func, state):
        return False
    words = {k.arg: k.value for k in a.keywords}
    others = {k.arg: k.value for k in b.keywords}
    if None in words or None in others or not words.keys() <= others.keys():
        return False
    more = [k for k in others if k not in words]
    longer = len(b.args) - len(a.args)
    if len(more) + longer > (state.extra is None) or longer < 0:
        return False
    if longer:
        state.extra, state.role = b.args[-1], f"argument {len(b.args) - 1}"
    for word in more:
        state.extra, state.role = others[word], f"argument {word}"
    for x, y in zip(a.args, b.args, strict=False):
        if not _compare(x, y, state):
            return False
    return all(_compare(value, others[word], state) for word, value in words.items())


def _pairs(siblings: Sequence[ast.AST], known: frozenset[str]) -> Iterator[Deviation]:
    lacking: dict[int, list[tuple[ast.AST, Comparison]]] = defaultdict(list)
    slips: dict[int, list[Deviation]] = defaultdict(list)
    equal: Counter[int] = Counter()
    for at, node in enumerate(siblings):
        for other in siblings[max(0, at - APART) : at + APART + 1]:
            found = compared(node, other) if other is not node else None
            if found is None:
                continue
            if found.extra is None:
                equal[at] += 1
                for slip in _not_renamed(node, other, found, known):
                    slips[id(slip.leaf)].append(slip)
            elif _only_renamed(found):
                lacking[at].append((other, found))
    for at, beside in lacking.items():
        node, extra = siblings[at], beside[0][1].extra
        alone = len(beside) < 2 and (
            not isinstance(node, ast.stmt) or isinstance(extra, (ast.BinOp, ast.UnaryOp))
        )
        same = len({_kind_of_extra(found) for _, found in beside}) == 1
        if not equal[at] and same and not alone:
            yield _lacks(node, beside)
    # What several siblings have in common is common to all of them on purpose.
    yield from (found[0] for found in slips.values() if len(found) == 1)


def _only_renamed(found: Comparison) -> bool:
    """Whether one change of a word, made in two places or more, tells two siblings apart.

    What one of them has more has to be about what is renamed.
    """
    changed: Counter[tuple[str, str]] = Counter()
    for x, y in found.pairs:
        if x.value == y.value:
            continue
        one, other = WORD.findall(str(x.value)), WORD.findall(str(y.value))
        if type(x.value) is not type(y.value) or len(one) != len(other):
            return False
        changed.update((p.lower(), q.lower()) for p, q in zip(one, other, strict=True) if p != q)
    targets = [(x.value, y.value) for x, y in found.pairs if x.defines]
    if len(changed) != 1 or max(changed.values()) < 2:
        return False
    if targets and all(x == y for x, y in targets):
        # `x = f(x)` after `x = g(x)`: one thing after the other.
        return False
    if found.wrapped is None:
        return True
    ((_, new),) = changed
    words = (WORD.findall(str(leaf.value)) for leaf in form_of(found.wrapped)[1])
    return any(new == word.lower() for some in words for word in some)


def _kind_of_extra(found: Comparison) -> str:
    extra = found.extra
    if isinstance(extra, ast.Call) and not found.role:
        return source(extra.func).rpartition(".")[2]
    return f"{type(extra).__name__} {found.role}"


def _lacks(node: ast.AST, beside: list[tuple[ast.AST, Comparison]]) -> Deviation:
    other, found = beside[0]
    extra = found.extra
    assert extra is not None
    back = {str(y.value): str(x.value) for x, y in found.pairs if isinstance(y.value, str)}
    shown = source(extra)
    if found.role:
        word = found.role.removeprefix("argument ")
        shown = shown if word.isdigit() else f"{word}={shown}"
        why = f"`{shown}` is handed over in `{source(other)}` beside it and not here"
        return Deviation("lacks", node, other, node, len(beside), why, "", _renamed(shown, back),
                         extra, found.role)  # fmt: skip
    inner = source(found.wrapped) if found.wrapped is not None else ""
    new = _renamed(shown, back)
    old = _renamed(inner, back)
    what = shown.replace(inner, "…", 1) if inner else shown
    why = f"`{source(other)}` beside it has `{what}`, which is lacking here"
    return Deviation("lacks", node, other, node, len(beside), why, old, new, extra)


def _renamed(text: str, names: dict[str, str]) -> str:
    """Return a text with the names of one sibling exchanged for those of the other."""
    return re.sub(r"\w+", lambda match: names.get(match[0], match[0]), text)


def _not_renamed(
    a: ast.AST, b: ast.AST, found: Comparison, known: frozenset[str]
) -> Iterator[Deviation]:
    """Yield a name of the later piece that was not changed, though it was in all other places.

    The name that it would have has to be there.
    """
    if getattr(b, "lineno", 0) < getattr(a, "lineno", 0):
        return
    words: list[tuple[str, str, Leaf, tuple[int, int]]] = []
    for x, y in found.pairs:
        if not isinstance(x.value, str) or not isinstance(y.value, str):
            continue
        one, other = list(WORD.finditer(x.value)), list(WORD.finditer(y.value))
        if len(one) == len(other):
            words += [
                (p.group().lower(), q.group().lower(), y, q.span())
                for p, q in zip(one, other, strict=True)
            ]
    changed = Counter((p, q) for p, q, _, _ in words if p != q)
    for (old, new), often in changed.items() if len(changed) == 1 else ():
        kept = [(leaf, span) for p, q, leaf, span in words if p == q == old]
        if often < 2 or len(kept) != 1:
            continue
        leaf, (first, last) = kept[0]
        text = str(leaf.value)
        fresh = f"{text[:first]}{new}{text[last:]}"
        if fresh not in known or leaf.defines:
            continue
        why = f"`{old}` of `{source(a)}` became `{new}` in {often} other places of this copy"
        yield Deviation("renaming", b, a, leaf.node, often, why, text, fresh)
