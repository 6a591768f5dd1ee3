"""Columns that a table lacks: a header with another name, a table that was not worked on.

A column is missing: either the program asks for a name that there never was, or one file was
written with another name than the rest, or the table has not gone through what makes the column.
What else knows the name decides.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.data.data_files import NOT_A_NUMBER
from dl_bug_lsp.evidence.followed_run import follow
from dl_bug_lsp.evidence.repairs.spelling import similarity
from dl_bug_lsp.evidence.word_index import Word, parts_of
from dl_bug_lsp.messages import FactKind
from dl_bug_lsp.messages.facts import Role
from dl_bug_lsp.provenance.scopes import called_name
from dl_bug_lsp.workspace.contents import Table

CATEGORIES = {"key_not_found", "illegal_argument", "attribute_not_found", "corrupt_data"}
TABLES = (".csv", ".tsv", ".tab", ".psv", ".txt", ".data")
MOST_TABLES = 12
MOST_KEYS = 6
OF_COLUMNS = frozenset(
    ("string", "keyword", "attribute", "dict_key", "subscript", "config_key", "config_value")
)
"""Roles in which a program names a column."""
NEAR = 0.7
LEAST_COMMON = 2
SUPPORTED = 2
"""Lines beside the failing one on which a name that is meant stands."""
LIKE, ALONE, ELSEWHERE = 1.0, 0.8, 0.6
"""How sure a header is the odd one: another table has the same columns but for this name, which is
like the one wanted or stands in its place; the name is used throughout the program; another name
stands in another place."""
ACQUITTED = 0.2
"""What other evidence counts against a line that only writes the name that everything else has."""
OF_NAMES = ("interpretation.", "repair.", "config.", "names.", "classics.")


@dataclass(frozen=True, slots=True)
class OddHeader:
    """A header that has ``name`` where the program and other files have ``key``."""

    file: str
    line: int
    key: str
    name: str
    score: float
    why: str


_FOUND: WeakKeyDictionary[Case, tuple[OddHeader, ...]] = WeakKeyDictionary()
_CLEARED: WeakKeyDictionary[Case, frozenset[tuple[str, int]]] = WeakKeyDictionary()


def find(case: Case) -> Iterator[Clue]:
    """Yield the headers that lack the missing column and have another name for it."""
    for odd in odd_headers(case):
        yield Clue("data_files.header", odd.file, odd.line, odd.score, odd.why)
    if not odd_headers(case):
        yield from _not_made(case)


def clue_factor(case: Case, clue: Clue) -> float:
    """Return a clue's factor: less where its line writes the name that is right."""
    if not clue.kind.startswith(OF_NAMES):
        return 1.0
    if case not in _CLEARED:
        keys = {odd.key for odd in odd_headers(case)} or set(_makers(case))
        _CLEARED[case] = frozenset((w.file, w.line) for w in _words(case, keys))
    return ACQUITTED if (clue.file, clue.line) in _CLEARED[case] else 1.0


def odd_headers(case: Case) -> tuple[OddHeader, ...]:
    """Return the headers that call a missing column of the message otherwise than all else."""
    if case not in _FOUND:
        _FOUND[case] = tuple(_odd_headers(case))
    return _FOUND[case]


def _keys(case: Case) -> list[str]:
    """Return the missing columns of the message, none where there are many."""
    facts = case.facts.of(FactKind.KEY, Role.ACTUAL)
    keys = sorted({fact.value for fact in facts if isinstance(fact.value, str)})
    return keys if case.category.id in CATEGORIES and len(keys) <= MOST_KEYS else []


def _odd_headers(case: Case) -> Iterator[OddHeader]:
    keys = _keys(case)
    if not keys and not NOT_A_NUMBER.search(case.message):
        return
    files = [f for f in case.workspace.files() if f.endswith(TABLES)][:MOST_TABLES]
    tables = [t for f in files if (t := case.workspace.table(f)) is not None and t.header_line]
    if not keys:
        yield from _unlike_its_kind(case, tables)
    raised = follow(case).raised
    asked = {f for places in raised.available.values() for f, _ in places} if raised else set()
    read = [t for t in tables if t.file in asked] or tables
    for key in keys:
        for table in read:
            odd = _odd_header(case, table, tables, key)
            if odd is not None:
                yield odd


def _unlike_its_kind(case: Case, tables: list[Table]) -> Iterator[OddHeader]:
    """Yield a header with another name for one column of the tables beside it.

    Tables that are put together have no values in a column that one of them has not (pandas,
    ``concat``).
    """
    for table in tables:
        own = {column.name for column in table.columns}
        folder = table.file.rpartition("/")[0]
        beside = [
            {column.name for column in other.columns}
            for other in tables
            if other is not table and other.file.rpartition("/")[0] == folder
        ]
        like = [names for names in beside if len(names & own) >= max(len(own) - 1, LEAST_COMMON)]
        if not like or len(like) < len(beside) or any(names == own for names in like):
            continue
        lacking = set.intersection(*like) - own
        extra = own.difference(*like)
        if len(lacking) != 1 or len(extra) != 1 or not _words(case, lacking):
            continue
        (key,), (name,) = lacking, extra
        why = f"the header has `{name}` where the tables beside it have `{key}`"
        yield OddHeader(table.file, table.header_line or 1, key, name, LIKE, why)


def _odd_header(case: Case, table: Table, tables: list[Table], key: str) -> OddHeader | None:
    names = [column.name for column in table.columns]
    used = {word.text for word in _words(case, names)}
    unused = [name for name in names if name not in used]
    if key in names or not unused:
        return None
    having = [other for other in tables if other is not table and other.column(key) is not None]
    twins: list[tuple[float, str, Table]] = []
    for other in having:
        theirs = [column.name for column in other.columns]
        common = set(names) & set(theirs)
        if len(common) < max(LEAST_COMMON, (len(theirs) - 1) // 2):
            continue
        for name in (n for n in unused if n not in theirs):
            same = names.index(name) == theirs.index(key) or _is_like(name, key)
            twins.append((LIKE if same else ELSEWHERE, name, other))
    if twins:
        score, name, other = max(twins, key=lambda twin: twin[0])
        why = f"`{name}` stands in this header, and {other.file} has `{key}` among the same columns"
        return OddHeader(table.file, table.header_line or 1, key, name, score, why)
    near = [name for name in unused if _is_like(name, key)]
    odd = [name for name in near if _is_odd_writing(name, key, names)]
    if len(odd) == 1:
        why = f"`{odd[0]}` is not written as the other names of this header are; `{key}` would be"
        return OddHeader(table.file, table.header_line or 1, key, odd[0], LIKE, why)
    if len(near) != 1:
        return None
    places = {(place.file, place.line) for place in case.places}
    lines = {(word.file, word.line) for word in _words(case, (key,))}
    if having or len(lines - places) >= SUPPORTED:
        where = having[0].file if having else "the rest of the program"
        why = f"`{near[0]}` stands in this header, which nothing reads; {where} has `{key}`"
        return OddHeader(table.file, table.header_line or 1, key, near[0], ALONE, why)
    return None


def _words(case: Case, names: Collection[str]) -> list[Word]:
    """Return where the program and its settings, not the tables, write names of columns."""
    words = case.words.with_text(names)
    return [w for w in words if w.role in OF_COLUMNS and not w.file.endswith(TABLES)]


def _is_odd_writing(name: str, key: str, names: Collection[str]) -> bool:
    """Whether a name is a key with blanks, or in a case, that no other name of a header has."""
    others = {_writing(other) for other in names if other != name}
    same = _letters(name) == _letters(key)
    return same and len(names) > LEAST_COMMON and others == {_writing(key)} != {_writing(name)}


def _letters(name: str) -> str:
    """Return what is left of a name without case, blanks and marks."""
    return "".join(c for c in name.casefold() if c.isalnum())


def _writing(name: str) -> tuple[bool, bool, bool]:
    """Return how a name is written: with blanks or hidden marks around it, with capitals."""
    bare = name.strip(HIDDEN)
    return bare != name, not bare.islower(), bare.isupper()


HIDDEN = " \t\r\n\u00a0\u200b\u200c\u200d\u2060\ufeff"
"""Blanks and marks without width that stand around a name unseen (Unicode, "Space Separator")."""


def _is_like(name: str, key: str) -> bool:
    """Whether one of two names may be written for the other, or has all of its words."""
    mine, others = set(parts_of(name)), set(parts_of(key))
    short = min(len(name), len(key)) >= 3 and (key.startswith(name) or name.startswith(key))
    contains = bool(mine and others) and (mine <= others or others <= mine)
    return contains or short or similarity(name, key) >= NEAR


def _not_made(case: Case) -> Iterator[Clue]:
    """Yield where a table comes from that has not gone through what makes the missing columns."""
    raised, makers = follow(case).raised, _makers(case)
    if raised is None or not makers:
        return
    places = [(f, n) for f, n in sorted(raised.sides[-1].origins) if not f.endswith(TABLES)]
    chosen = [place for place in places if not place[0].endswith(CODE)] or places
    key, (file, line) = next(iter(makers.items()))
    more = f" and {len(makers) - 1} others are" if len(makers) > 1 else " is"
    why = f"`{key}`{more} made in {file}:{line}, which the table from here has not gone through"
    for at in chosen:
        yield Clue("data_files.not_made", *at, 1.0 / len(chosen) ** 0.5, why)


_MADE: WeakKeyDictionary[Case, dict[str, tuple[str, int]]] = WeakKeyDictionary()


def _makers(case: Case) -> dict[str, tuple[str, int]]:
    """Return for each missing column the first place that makes it; none where one has no place.

    What stands in a function of the stack may only come later.
    """
    if case not in _MADE:
        raised, keys = follow(case).raised, _keys(case)
        is_table = raised is not None and raised.what == "key" and bool(raised.available)
        found: dict[str, tuple[str, int]] = {}
        for file in case.code_files if keys and is_table else ():
            text = case.workspace.text(file) or ""
            tree = case.workspace.tree(file) if any(key in text for key in keys) else None
            for name, line in _columns_made(tree) if tree is not None else ():
                if name in keys and not _is_on_stack(case, file, line):
                    found.setdefault(name, (file, line))
        _MADE[case] = found if len(found) == len(keys) else {}
    return _MADE[case]


def _is_on_stack(case: Case, file: str, line: int) -> bool:
    """Whether a line stands in a function or module of the stack."""
    scope = case.engine.program.scope_at(file, line)
    return any(site.context.scope is scope for site in case.sites)


def _columns_made(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Yield the columns that a module gives to tables by their name, with the line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                index = target.slice if isinstance(target, ast.Subscript) else None
                if isinstance(index, ast.Constant) and isinstance(index.value, str):
                    yield index.value, target.lineno
        elif isinstance(node, ast.Call) and called_name(node) in MAKING:
            yield from ((k.arg, k.value.lineno) for k in node.keywords if k.arg is not None)
            for part in (*node.args, *(k.value for k in node.keywords)):
                for item in part.values if isinstance(part, ast.Dict) else ():
                    if isinstance(item, ast.Constant) and isinstance(item.value, str):
                        yield item.value, item.lineno


CODE = (".py", ".ipynb")
MAKING = frozenset(("agg", "aggregate", "assign", "rename", "insert", "with_columns"))
"""Methods that give a table columns whose names the call says."""
