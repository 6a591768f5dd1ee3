"""Two spellings of one thing: which of the two places is the odd one.

A lookup failed (a key, an attribute, a name, an argument). Where something of nearly that name
exists, two edits repair it: the name asked for, or the name given. The place whose spelling nothing
else in the program supports is more likely wrong.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass

from dl_bug_lsp.evidence.case import Case, Clue, Suggestion
from dl_bug_lsp.evidence.domain_rules.syntax import near_files
from dl_bug_lsp.evidence.followed_run import follow
from dl_bug_lsp.evidence.names import listed_names
from dl_bug_lsp.evidence.repairs import repair_context
from dl_bug_lsp.evidence.repairs.repair_context import (
    RepairContext,
    class_named,
    functions_called,
    members_of,
    method_names,
)
from dl_bug_lsp.evidence.word_index import near_texts, nearness, parts_of
from dl_bug_lsp.interpretation.values import Origin
from dl_bug_lsp.messages import FactKind, Role
from dl_bug_lsp.provenance.engine import Node
from dl_bug_lsp.provenance.names import BUILTINS
from dl_bug_lsp.provenance.nodes import Config, Mapping
from dl_bug_lsp.provenance.scopes import Scope, called_name
from dl_bug_lsp.provenance.slices import backward_slice

NEAR = 0.7
WORD = 3
"""Letters of the shortest key that may be a misspelt word."""
MOST = 3
KEY_STEPS = 40
COMBINATION = re.compile(
    r"invalid combination of arguments - got \(([^()]*(?:\([^()]*\)[^()]*)*)\)"
)
NAMED = re.compile(r"\b([a-z_]\w*)=")
CODE = (".py", ".ipynb")
OF_SETTINGS = 0.85
SEPARATORS = re.compile(r"[-_. /]")


@dataclass(frozen=True, slots=True)
class Spelling:
    """A name and where it is written."""

    text: str
    file: str
    line: int


def find(case: Case) -> Iterator[Clue]:
    """Yield the places of both spellings, scored by what supports the other one."""
    repairs = RepairContext(case)
    for key in _actual(case, FactKind.KEY):
        yield from _key(repairs, key)
    for name in _actual(case, FactKind.NAME):
        yield from _name(repairs, name)
    for attribute in _actual(case, FactKind.ATTRIBUTE):
        yield from _attribute(repairs, attribute)
    if case.facts.family and case.facts.family.endswith("call_keyword"):
        for argument in _actual(case, FactKind.ARGUMENT):
            yield from _keyword(repairs, argument)
    got = COMBINATION.search(case.message)
    if got is not None:
        rest = case.message[got.end() :]
        for argument in sorted(set(NAMED.findall(got[1]))):
            if not re.search(rf"\b{argument}\b", rest):
                yield from _keyword(repairs, argument)


def _actual(case: Case, kind: FactKind) -> list[str]:
    return sorted({str(f.value) for f in case.facts.of(kind, Role.ACTUAL) if f.value})


def similarity(a: str, b: str) -> float:
    """Return how easily one of two different names is written for the other, 0 to 1."""
    if a == b or not a or not b:
        return 0.0
    low, other = a.lower().strip("_"), b.lower().strip("_")
    if low.replace("_", "").replace("-", "") == other.replace("_", "").replace("-", ""):
        return 0.97
    near = nearness(a, b)
    if _one_slip(low, other) and min(len(low), len(other)) >= 3:
        return max(near, 0.93)
    if _abbreviates(low, other) or _abbreviates(other, low):
        return max(near, 0.75)
    return near


def _one_slip(a: str, b: str) -> bool:
    """Whether one letter was changed, left out, added, or two neighbours swapped."""
    if abs(len(a) - len(b)) > 1:
        return False
    start = 0
    while start < min(len(a), len(b)) and a[start] == b[start]:
        start += 1
    x, y = a[start:], b[start:]
    return x[1:] == y[1:] or x[1:] == y or x == y[1:] or (x[:2] == y[1::-1] and x[2:] == y[2:])


def _abbreviates(short: str, long: str) -> bool:
    """Whether a name is the initials or the consonants of another (``lr``, ``bs``, ``cfg``)."""
    parts = parts_of(long)
    if len(short) >= 2 and short == "".join(part[0] for part in parts):
        return True
    if len(short) < 3 or len(parts) != 1 or len(short) * 3 < len(long) or short[0] != long[0]:
        return False
    rest = iter(long)
    return all(letter in rest for letter in short) and not set(short[1:]) & set("aeiou")


def best(wanted: str, candidates: Iterable[str]) -> list[tuple[str, float]]:
    """Return the few names that are nearest, with their similarity, nearest first."""
    found = [(name, similarity(wanted, name)) for name in sorted(set(candidates))]
    near = sorted((f for f in found if f[1] >= NEAR), key=lambda f: (-f[1], f[0]))
    return [f for f in near if f[1] >= near[0][1] - 0.15][:MOST]


SLIP = 0.9
"""From here on one letter differs."""


def slips(
    wanted: str, candidates: Iterable[str], imported: Container[str]
) -> list[tuple[str, float]]:
    """Return what `best` returns, without imports: these are no short forms of a variable's name.

    An import of which a letter differs is returned.
    """
    if len(wanted) == 1:
        return []  # `X` and `x` are two names on purpose.
    near = best(wanted, candidates)
    return [(name, how) for name, how in near if how >= SLIP or name not in imported]


def _pair(
    repairs: RepairContext,
    asked: list[Spelling],
    given: list[Spelling],
    near: float,
    noun: str,
    styled: float = 0.0,
) -> Iterator[Clue]:
    """Yield both edits: what is asked for becomes what is given, or the other way round.

    ``styled`` is 1 where others beside the given one are written in its style.
    """
    if not asked or not given:
        return
    old, new = asked[0].text, given[0].text
    if old == new:
        return  # They differ in their types: a number and a text.
    if old.startswith(f"{new}."):
        return  # The table that the key would stand in.
    # A word of one or two letters stands everywhere and means something else each time.
    counted = min(len(old), len(new)) > 2
    for_given = repairs.support(new, given) * counted + repairs.wellformed(new) + styled
    for_asked = repairs.support(old, asked) * counted + repairs.wellformed(old)
    share = (0.5 + for_given) / (1.0 + for_given + for_asked)
    if not asked[0].file.endswith(CODE) and given[0].file.endswith(CODE):
        # A setting is written for one run, a table of the code for all.
        share = max(share, OF_SETTINGS)
    for spots, become, part in ((asked, new, share), (given, old, 1.0 - share)):
        for spot in spots[:MOST]:
            doubt = f"perhaps one of the two {noun} is misspelt"
            why = f"`{old}` is asked for and `{new}` is there; {doubt}"
            edit = Suggestion(spot.file, spot.line, spot.text, become)
            yield Clue("repair.spelling", spot.file, spot.line, near * part, why, edit)


def _key(repairs: RepairContext, key: str) -> Iterator[Clue]:
    """Find the nearest key of the table at hand, else of any table that the program writes."""
    case = repairs.case
    if _is_stored(case, key):
        # The name is right; what is asked here did not get it.
        return
    given: dict[str, list[Spelling]] = {}
    asked: list[Spelling] = []
    for start in case.starts:
        for expr in ast.walk(start.expr):
            if not isinstance(expr, ast.Subscript):
                continue
            index = start.engine.node(expr.slice, start.context)
            base = start.engine.node(expr.value, start.context)
            keys = list(_keys(case, base))
            told = {str(c.value) for c in index.constants}
            if told and key not in told and not (keys and _has_one_lookup(start.expr)):
                continue
            asked.extend(_written(index, key))
            for spelling in keys:
                given.setdefault(spelling.text, []).append(spelling)
    known = _followed_keys(case, key)
    if known is not None:
        asked = known[0] or asked
        given = {name: given.get(name) or spellings for name, spellings in known[1].items()}
    if not any(given.values()):
        listed = listed_names(case)
        near_ones = listed or near_texts(key, case.words.sketches)
        for word in case.words.with_text(near_ones):
            # Where the message lists the keys that are there, no others are meant.
            is_key = word.text in listed or word.role in ("dict_key", "config_key", "keyword")
            if is_key and (known is None or word.text in known[1]):
                given.setdefault(word.text, []).append(Spelling(word.text, word.file, word.line))
        if listed and not asked:
            written = case.words.with_text((key,))
            asked = [Spelling(key, word.file, word.line) for word in written][:MOST]
    if not asked:
        tables = {(s.file, s.line) for spellings in given.values() for s in spellings}
        asked = [
            Spelling(key, entry.file, entry.line)
            for entry in case.config_entries
            if entry.value == key and (entry.file, entry.line) not in tables
        ][:MOST]
    if not asked and case.places:
        asked = [Spelling(key, case.places[-1].file, case.places[-1].line)]
    if known is not None and not best(key, given):
        longer = [n for n in given if set(parts_of(key)) < set(parts_of(n))]
        for name in longer if len(longer) == 1 else ():
            yield from _pair(repairs, asked, given[name], NEAR, "keys")
    for name, near in best(key, given):
        styled = any(_style(n) == _style(name) != _style(key) for n in given if n != name)
        yield from _pair(repairs, asked, given[name], near, "keys", 2.0 * styled)
    if not best(key, given):
        initials = [n for n in given if len(n) == 1 and key.startswith(n)]
        if len(initials) == 1:
            yield from _pair(repairs, asked, given[initials[0]], NEAR, "keys")


def _is_stored(case: Case, key: str) -> bool:
    """Whether the program gives something a part under this key (``table["key"] = ...``)."""
    for file in near_files(case):
        tree = case.workspace.tree(file)
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
                stored = [node.slice.value] if isinstance(node.slice, ast.Constant) else []
            elif isinstance(node, ast.Call) and called_name(node) == "assign":
                stored = [keyword.arg for keyword in node.keywords]
            else:
                continue
            if key in stored:
                return True
    return False


def _followed_keys(case: Case, key: str) -> tuple[list[Spelling], dict[str, list[Spelling]]] | None:
    """Return where the key, and those that the table has, are written, by the followed run.

    None where following it did not end in the same failure.
    """
    raised = follow(case).raised
    if raised is None or not raised.sides or raised.sides[0].data != key or len(key) < WORD:
        return None
    if not raised.available:
        return None
    asked = _spellings(case, key, raised.sides[0].origins)
    given = {name: _spellings(case, name, places) for name, places in raised.available.items()}
    return asked, given


def _spellings(case: Case, name: str, places: Iterable[Origin]) -> list[Spelling]:
    """Return those of several places at which a name is written."""
    return [
        Spelling(name, file, line)
        for file, line in sorted(places)
        if name in case.workspace.source_line(file, line)
    ]


def _style(name: str) -> tuple[bool, bool, tuple[str, ...]]:
    """Return how a name is written: with capitals, with small letters, with which separators."""
    return name != name.lower(), name != name.upper(), tuple(SEPARATORS.findall(name))


def _has_one_lookup(expr: ast.expr) -> bool:
    return sum(isinstance(n, ast.Subscript) for n in ast.walk(expr)) == 1


def _written(index: Node, key: str) -> list[Spelling]:
    """Return where the text of an index is written: here, or where the value comes from."""
    found: dict[tuple[str, int], Spelling] = {}
    for step in backward_slice([index], KEY_STEPS):
        node = step.node
        constant = node.constant
        if step.decides and constant is not None and str(constant.value) == key and node.line > 0:
            found.setdefault((node.file, node.line), Spelling(key, node.file, node.line))
    return list(found.values())


MOST_UNPACKED = 8
"""Tables within one another whose keys are looked at; in a loop one may hold itself."""


def _keys(case: Case, base: Node, depth: int = 0) -> Iterator[Spelling]:
    """Yield the keys that a table is known to have."""
    for value in base.values:
        if isinstance(value, Mapping):
            for name, item in value.pairs:
                if name is None:
                    if depth < MOST_UNPACKED:
                        yield from _keys(case, item, depth + 1)
                elif name.constant is not None:
                    yield Spelling(str(name.constant.value), name.file, name.line)
        elif isinstance(value, Config):
            for entry in case.workspace.config_entries(value.file):
                if entry.path[:-1] == value.path and entry.key:
                    yield Spelling(entry.key, entry.file, entry.line)


def _name(repairs: RepairContext, name: str) -> Iterator[Clue]:
    """Find the nearest name in scope, or of the module that an import names."""
    case = repairs.case
    if not case.sites:
        return
    context = case.sites[-1].context
    given: dict[str, list[Spelling]] = {}
    scopes: list[Scope] = []
    scope: Scope | None = context.scope
    while scope is not None:
        scopes.append(scope)
        if not scope.is_class or scope is context.scope:
            for spelling in _bound(scope):
                given.setdefault(spelling.text, []).append(spelling)
        scope = scope.parent
    if name in given:
        return  # It is spelt as it is bound: it was bound too late, or not at all in this run.
    place = case.places[-1]
    asked = [Spelling(name, place.file, place.line)]
    statement = case.sites[-1].statement
    own = range(statement.lineno, (statement.end_lineno or 0) + 1) if statement else range(0)
    is_top = context.scope.parent is None

    def was_there(spelling: Spelling) -> bool:
        if spelling.file != place.file:
            return True
        return spelling.line not in own and not (is_top and spelling.line > place.line)

    bound = {o: [s for s in spots if was_there(s)] for o, spots in given.items()}
    bound = {other: spots for other, spots in bound.items() if spots}
    near = slips(name, bound, {other for scope in scopes for other in scope.imports})
    for other, how in near:
        yield from _pair(repairs, asked, bound[other], how, "names")
    builtin = best(name, BUILTINS) if not near else []
    for other, how in [one for one in builtin if one[1] > 0.9][:1]:
        edit = Suggestion(place.file, place.line, name, other)
        why = f"`{name}` is nearly `{other}`"
        yield Clue("repair.spelling", place.file, place.line, how, why, edit)


def _bound(scope: Scope) -> Iterator[Spelling]:
    for name, bindings in scope.bindings.items():
        if "." not in name:
            yield Spelling(name, scope.file, bindings[0].line)
    for parameter in scope.parameters():
        yield Spelling(parameter.arg, scope.file, parameter.lineno)
    for inner in (*scope.functions.values(), *scope.classes.values()):
        short = inner.name.rpartition(".")[2]
        if not short.startswith("<"):
            yield Spelling(short, inner.file, inner.line)
    for name in scope.imports:
        yield Spelling(name, scope.file, 1)


def _attribute(repairs: RepairContext, attribute: str) -> Iterator[Clue]:
    """Find the nearest member of the class that lacks the attribute."""
    case = repairs.case
    if not case.places:
        return
    place = case.places[-1]
    asked = [Spelling(attribute, place.file, place.line)]
    for owner in sorted({str(f.value) for f in case.facts.of(FactKind.CLASS, Role.OWNER)}):
        cls = class_named(case, owner.rpartition(".")[2])
        if cls is not None:
            given = members_of(case, cls)
            if (why := _private(attribute, cls.name.rpartition(".")[2], given)) is not None:
                yield Clue("repair.spelling", place.file, place.line, 1.0, why)
                continue
            lines = {name: [Spelling(name, *at) for at in spots] for name, spots in given.items()}
            for name, near in best(attribute, lines):
                yield from _pair(repairs, asked, lines[name], near, "attributes")
            if not best(attribute, lines):
                yield from _of_library(place.file, place.line, attribute, method_names(case, cls))
            continue
        names = repair_context.members(owner.rpartition(".")[2])
        if not repair_context.owners(attribute):
            yield from _of_library(place.file, place.line, attribute, names)
    for module in sorted({str(f.value) for f in case.facts.of(FactKind.MODULE, Role.OWNER)}):
        model = case.engine.program.imported(case.sites[-1].context.scope, module)
        if model is not None:
            at: dict[str, list[Spelling]] = {}
            for spelling in _bound(model):
                at.setdefault(spelling.text, []).append(spelling)
            for name, near in best(attribute, at):
                yield from _pair(repairs, asked, at[name], near, "names")


MANGLED = re.compile(r"_([A-Za-z]\w*?)(__\w*[A-Za-z0-9])")


def _private(attribute: str, owner: str, given: Container[str]) -> str | None:
    """Say what a name with two underscores means, None for other names.

    Within a class it gets the class's name in front (Python reference, "Private name mangling").
    """
    mangled = MANGLED.fullmatch(attribute)
    if mangled is not None:
        meant = f"within `{mangled[1]}` the name `{mangled[2]}` is `{attribute}`"
        return f"{meant}: names with two underscores belong to the class that sets them"
    if attribute.startswith("__") and not attribute.endswith("__") and attribute in given:
        return f"outside of `{owner}` its `{attribute}` has the name `_{owner}{attribute}`"
    return None


def _of_library(file: str, line: int, attribute: str, names: Iterable[str]) -> Iterator[Clue]:
    for name, near in best(attribute, names)[:1]:
        edit = Suggestion(file, line, attribute, name)
        why = f"`{attribute}` is nearly `{name}`, which the object has"
        yield Clue("repair.spelling", file, line, near, why, edit)


def _keyword(repairs: RepairContext, argument: str) -> Iterator[Clue]:
    """Find where an unexpected keyword is written, and the parameter that it may mean."""
    case = repairs.case
    asked = [Spelling(argument, *at) for at in keyword_places(case, argument)]
    given: dict[str, list[Spelling]] = {}
    for function in functions_called(case):
        for parameter in function.parameters():
            spelling = Spelling(parameter.arg, function.file, parameter.lineno)
            given.setdefault(parameter.arg, []).append(spelling)
    near = best(argument, given)
    closed = list(_closed_definition(case, argument))
    yield from closed
    for name, how in near:
        yield from _pair(repairs, asked, given[name], how, "arguments")
    for spot in asked[:MOST] if not near else ():
        why = f"`{argument}` is handed over here, and the call takes no such argument"
        edit = Suggestion(spot.file, spot.line, argument, "")
        share = (OF_OTHERS if closed else 1.0) / len(asked[:MOST])
        yield Clue("repair.keyword", spot.file, spot.line, share, why, edit)


FEW_OTHERS, MOSTLY = 2, 0.6
"""From how many functions of a kind on, and which part of them, one that is otherwise is odd."""
OF_OTHERS = 0.4
"""What the keyword counts that the other functions take."""


def _closed_definition(case: Case, argument: str) -> Iterator[Clue]:
    """Find the one definition of its kind that does not take what a table hands to all of them.

    ``cls(**settings)`` makes an object of whichever class the settings name, so that each takes
    the keywords of the others, by name or by ``**kwargs``.
    """
    calls = (
        call for site in case.sites[-1:] for node in site.nodes for call in ast.walk(node.expr)
    )
    is_table = any(
        isinstance(c, ast.Call) and any(k.arg is None for k in c.keywords) for c in calls
    )
    owners = {str(f.value) for f in case.facts.of(FactKind.FUNCTION)}
    if not is_table:
        return
    for file in case.code_files[:40]:
        module = case.engine.program.module(file)
        scopes = [s for s in module.walk() if _takes(s)] if module is not None else []
        for scope in scopes:
            if not any(scope.name == name or scope.name.endswith(f".{name}") for name in owners):
                continue
            short = scope.name.rpartition(".")[2]
            others = [o for o in scopes if o is not scope and o.name.rpartition(".")[2] == short]
            taking = sum(argument in _takes(o) or "**" in _takes(o) for o in others)
            if len(others) < FEW_OTHERS or taking < MOSTLY * len(others):
                continue
            line = max([scope.line, *(p.lineno for p in scope.parameters())])
            why = (
                f"`{scope.name}` takes neither `{argument}` nor `**kwargs`, as "
                f"{taking} of {len(others)} other `{short}` of this file do"
            )
            yield Clue("repair.definition", file, line, 1.0, why)


def _takes(scope: Scope) -> set[str]:
    """Return the parameters of a function by name, with ``**`` where it takes all others."""
    if not isinstance(scope.node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return set()
    arguments = scope.node.args
    named = {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    return named | ({"**"} if arguments.kwarg is not None else set())


def keyword_places(case: Case, argument: str) -> list[tuple[str, int]]:
    """Return where a keyword of the failing call is written: in the call, or in a ``**`` table."""
    found: dict[tuple[str, int], None] = {}
    for start in (node for site in reversed(case.sites[-2:]) for node in site.nodes):
        for call in (n for n in ast.walk(start.expr) if isinstance(n, ast.Call)):
            for keyword in call.keywords:
                if keyword.arg == argument:
                    line = _keyword_line(case, start.file, keyword)
                    found.setdefault((start.file, line))
                elif keyword.arg is None:
                    table = start.engine.node(keyword.value, start.context)
                    for spelling in _keys_within(case, table):
                        if spelling.text == argument:
                            found.setdefault((spelling.file, spelling.line))
        if found:
            break
    return list(found)


def _keyword_line(case: Case, file: str, one: ast.keyword) -> int:
    return getattr(one, "lineno", one.value.lineno)


def _keys_within(case: Case, table: Node) -> Iterator[Spelling]:
    """Yield the keys of a table, also of one that ``dict(...)`` makes of keywords."""
    yield from _keys(case, table)
    for step in backward_slice([table], KEY_STEPS):
        expr = step.node.expr
        if step.node.entry is not None:
            yield Spelling(step.node.entry.key, step.node.file, step.node.line)
        elif isinstance(expr, ast.Call) and getattr(expr.func, "id", "") == "dict":
            for keyword in expr.keywords:
                if keyword.arg is not None:
                    yield Spelling(keyword.arg, step.node.file, keyword.lineno)
        elif isinstance(expr, ast.Dict):
            for key in expr.keys:
                if isinstance(key, ast.Constant):
                    yield Spelling(str(key.value), step.node.file, key.lineno)
