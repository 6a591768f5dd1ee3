"""Code that usually holds the cause where a message is a well-known one.

The catalogue of the failures that forums repeat most (``taxonomy/common_errors.toml``) says of each
what the code with the cause looks like: a call without an option, a state that is saved from a
wrapper, a step that comes before another, a setting.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property

from dl_bug_lsp.cancellation import checkpoint
from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.syntax import calls_in, near_files
from dl_bug_lsp.evidence.followed_run import follow
from dl_bug_lsp.evidence.interpreted_values import explained, origins_of, places_of
from dl_bug_lsp.interpretation.values import Origin
from dl_bug_lsp.provenance.stack import header_expressions, unparsed
from dl_bug_lsp.taxonomy.advising import known_patterns
from dl_bug_lsp.taxonomy.categories import KnownPattern

MOST_FILES = 30
MOST_HITS = 12
"""Places that one row names at most: what so many lines look like says nothing about one."""
LONGEST_SHOWN = 70
BESIDE = 0.7
"""What a place counts that no value on the way to the failure comes from."""
USUAL_BESIDE_SHOWN = 0.5
"""What is left of a usual place where the followed run shows another to be the cause."""
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
ABSENT = "(?!.*"
"""How the pattern of a row begins that says what is not written."""


@dataclass(frozen=True)
class Piece:
    """A statement, or a decorator of one, and where it stands.

    ``text`` is its source (of a compound statement the line before the colon), ``around`` the same
    of the compound statements around it, ``owner`` the function, class or module that it belongs
    to, itself where it is a definition, and ``order`` its place among the file's pieces.
    """

    node: ast.stmt | ast.expr
    text: str
    around: str
    owner: ast.AST
    order: int


class Pieces:
    """The statements of one file."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree

    @cached_property
    def all(self) -> tuple[Piece, ...]:
        """All pieces in the order of the file."""
        pieces: list[Piece] = []
        waiting: list[tuple[ast.stmt, str, ast.AST]] = [
            (statement, "", self.tree) for statement in reversed(self.tree.body)
        ]
        while waiting:
            statement, around, owner = waiting.pop()
            defines = isinstance(statement, DEFINITIONS)
            own: ast.AST = statement if defines else owner
            for decorator in getattr(statement, "decorator_list", ()):
                text = f"@{unparsed(decorator)}"
                pieces.append(Piece(decorator, text, around, own, len(pieces)))
            text = header(statement)
            pieces.append(Piece(statement, text, around, own, len(pieces)))
            inner = f"{around}\n{text}" if text else around
            decorators = [f"@{unparsed(d)}" for d in getattr(statement, "decorator_list", ())]
            inner = "\n".join([inner, *decorators])
            waiting.extend((child, inner, own) for child in reversed(_inside(statement)))
        return tuple(pieces)

    @cached_property
    def bodies(self) -> dict[int, tuple[Piece, ...]]:
        """The pieces of each function, class and module, those of what it defines included."""
        within: dict[int, list[Piece]] = {id(self.tree): list(self.all)}
        for at, piece in enumerate(self.all):
            if isinstance(piece.node, DEFINITIONS):
                last = piece.node.end_lineno or piece.node.lineno
                within[id(piece.node)] = [
                    other for other in self.all[at + 1 :] if other.node.lineno <= last
                ]
        return {owner: tuple(pieces) for owner, pieces in within.items()}

    def body(self, piece: Piece) -> tuple[Piece, ...]:
        """Return the pieces of the function, class or module that a piece belongs to."""
        return self.bodies.get(id(piece.owner), ())


def header(statement: ast.stmt) -> str:
    """Return the source of a statement; of a compound one the line before the colon."""
    if not hasattr(statement, "body"):
        return unparsed(statement)
    if isinstance(statement, ast.ClassDef):
        bases = [*statement.bases, *(k.value for k in statement.keywords)]
        return f"class {statement.name}({', '.join(map(unparsed, bases))})"
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return f"def {statement.name}({unparsed(statement.args)})"
    if isinstance(statement, (ast.For, ast.AsyncFor)):
        return f"for {unparsed(statement.target)} in {unparsed(statement.iter)}"
    if isinstance(statement, (ast.While, ast.If)):
        word = "if" if isinstance(statement, ast.If) else "while"
        return f"{word} {unparsed(statement.test)}"
    if isinstance(statement, (ast.With, ast.AsyncWith)):
        return f"with {', '.join(map(unparsed, statement.items))}"
    return ""


def _inside(statement: ast.stmt) -> list[ast.stmt]:
    """Return the statements directly inside a compound one, in their order."""
    statements: list[ast.stmt] = list(getattr(statement, "body", ()))
    for handler in getattr(statement, "handlers", ()):
        statements.extend(handler.body)
    for case in getattr(statement, "cases", ()):
        statements.extend(case.body)
    statements.extend(getattr(statement, "orelse", ()))
    statements.extend(getattr(statement, "finalbody", ()))
    return [child for child in statements if isinstance(child, ast.stmt)]


def find(case: Case) -> Iterator[Clue]:
    """Yield the lines that look as the cause of such a failure usually does."""
    places = known_patterns(case.failure)
    if not places:
        return
    shown = explained(case)
    files: dict[str, Pieces] = {}
    for file in near_files(case)[:MOST_FILES]:
        tree = case.workspace.tree(file)
        if isinstance(tree, ast.Module):
            files[file] = Pieces(tree)
    near = {(step.node.file, step.node.line) for step in case.raise_slice}
    near.update((step.node.file, step.node.line) for steps in case.outer_slices for step in steps)
    near.update((place.file, place.line) for place in case.places)
    looped = _looped_over(case, files)
    made = _made_failing(case)
    for row in places:
        checkpoint()
        place = _filled(row, case)
        if place is None:
            continue
        if place.inside != row.inside:
            # What the message names may stand far from the stack.
            for file in case.workspace.python_files():
                text = case.workspace.text(file) if file not in files else None
                tree = case.workspace.tree(file) if _occurs(place.inside, text or "") else None
                if isinstance(tree, ast.Module):
                    files[file] = Pieces(tree)
        if place.program and not any(_holds(case, file, place.program) for file in files):
            continue
        if place.nowhere and any(_holds(case, file, place.nowhere) for file in files):
            continue
        if place.key:
            hits = list(_settings(case, place))
        else:
            hits = [h for f, pieces in files.items() for h in _matching(f, pieces, place)]
        on_way = [hit for hit in hits if _lines(hit) & near or _runs(hit, case)]
        chosen = on_way if place.way else on_way or hits
        chosen = [hit for hit in chosen if hit.target in looped or _lines(hit) & made] or chosen
        if len(chosen) > MOST_HITS:
            continue
        for hit in chosen:
            score = place.share * (1.0 if on_way or place.key else BESIDE) / len(chosen) ** 0.5
            if shown and (hit.file, hit.line) not in shown:
                score *= USUAL_BESIDE_SHOWN
            why = place.why.replace("{code}", _short(hit.text))
            yield Clue("classics.place", hit.file, hit.line, score, why)


@dataclass(frozen=True, slots=True)
class Hit:
    """A line, or lines, that look as a row says; ``text`` is shown to people.

    ``owner`` is the function whose other statements the row asks about, ``target`` the name that
    the result of a call is assigned to, empty for none.
    """

    file: str
    line: int
    end_line: int
    text: str
    owner: ast.AST | None = None
    target: str = ""


def _looped_over(case: Case, files: Mapping[str, Pieces]) -> set[str]:
    """Return the names over which the loops around the places of the stack go.

    Of several objects that look alike, as loaders for training and validation do, it is the one
    that the failing loop takes.
    """
    names: set[str] = set()
    for place in case.places:
        for piece in files[place.file].all if place.file in files else ():
            loop = piece.node
            if not isinstance(loop, (ast.For, ast.AsyncFor)):
                continue
            if loop.lineno < place.line <= (loop.end_lineno or loop.lineno):
                parts = [part for part in ast.walk(loop.iter) if isinstance(part, NAMES)]
                names.update(unparsed(part).rpartition(".")[2] for part in parts)
    return names


def _made_failing(case: Case) -> set[Origin]:
    """Return what made the values that fail where the followed run shows the failure, else none."""
    raised = follow(case).raised if case.places else None
    sides = raised.sides if raised is not None and raised.weight >= 1.0 else ()
    return {place for side in sides for place in places_of(origins_of(side), of_types=True)}


NAMES = (ast.Name, ast.Attribute)


def _target(piece: Piece, call: ast.Call) -> str:
    """Return the last part of the name that a statement gives the result of a call."""
    statement = piece.node
    if not isinstance(statement, ast.Assign) or statement.value is not call:
        return ""
    names = [target for target in statement.targets if isinstance(target, NAMES)]
    return unparsed(names[0]).rpartition(".")[2] if names else ""


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _occurs(pattern: str, text: str) -> bool:
    return _compiled(pattern).search(text) is not None


def _filled(place: KnownPattern, case: Case) -> KnownPattern | None:
    """Return a row with what the message says in its patterns, None where it does not say it."""
    if not place.message:
        return place
    match = _compiled(place.message).search(case.message)
    if match is None:
        return None
    said = re.escape(match[1]) if match.re.groups else ""
    texts = (place.text.replace("<1>", said), place.inside.replace("<1>", said))
    why = place.why.replace("<1>", match[1]) if match.re.groups else place.why
    return replace(place, text=texts[0], inside=texts[1], why=why)


def _holds(case: Case, file: str, pattern: str) -> bool:
    return any(_occurs(pattern, line) for line in case.workspace.lines(file))


def _lines(hit: Hit) -> set[tuple[str, int]]:
    return {(hit.file, line) for line in range(hit.line, hit.end_line + 1)}


def _runs(hit: Hit, case: Case) -> bool:
    """Whether the function that a row asks about is on the stack."""
    owner = hit.owner
    if not isinstance(owner, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    last = owner.end_lineno or owner.lineno
    return any(p.file == hit.file and owner.lineno <= p.line <= last for p in case.places)


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 3]}..."


def _settings(case: Case, place: KnownPattern) -> Iterator[Hit]:
    for entry in case.config_entries:
        path = ".".join(map(str, entry.path))
        if _occurs(place.key, path) and _reads(entry.text, place.text, place.but):
            yield Hit(entry.file, entry.line, entry.line, f"{entry.key}: {entry.text}")


def _matching(file: str, pieces: Pieces, place: KnownPattern) -> Iterator[Hit]:
    of_owner = bool(place.has or place.lacks or place.before or place.after)
    for piece in pieces.all:
        owner = piece.owner if of_owner else None
        if not place.call:
            if _reads(piece.text, place.text, place.but) and _stands(pieces, piece, place):
                line = _line_of(piece.node, piece.text, place.text)
                yield Hit(file, line, _last(piece.node), piece.text, owner)
            continue
        if not any(name in piece.text for name in place.call):
            continue
        for call in _calls(piece.node):
            callee = unparsed(call.func)
            named = any(callee == name or callee.endswith(f".{name}") for name in place.call)
            if not named or (place.without and _is_given(pieces, call, place.without)):
                continue
            shown = unparsed(call)
            if _reads(shown, place.text, place.but) and _stands(pieces, piece, place):
                line = _line_of(call, shown, place.text)
                last = call.end_lineno or call.lineno
                yield Hit(file, line, last, shown, owner, _target(piece, call))


def _is_given(pieces: Pieces, call: ast.Call, names: tuple[str, ...]) -> bool:
    """Whether a call has an argument of one of the names, or may have it."""
    for given in call.keywords:
        if given.arg in names:
            return True
        keys = _written_keys(pieces, given.value) if given.arg is None else set()
        if keys is None or keys & set(names):
            return True
    return False


def _written_keys(pieces: Pieces, mapping: ast.expr) -> set[str] | None:
    """Return the keys of a dictionary that a name is given once, None where they are not known."""
    assigned = [
        piece.node.value
        for piece in pieces.all
        if isinstance(piece.node, ast.Assign)
        and any(unparsed(target) == unparsed(mapping) for target in piece.node.targets)
    ]
    if len(assigned) != 1 or not isinstance(assigned[0], ast.Dict):
        return None
    keys = [key.value if isinstance(key, ast.Constant) else None for key in assigned[0].keys]
    if not all(isinstance(key, str) for key in keys):
        return None
    changed = f"{unparsed(mapping)}[", f"{unparsed(mapping)}.update"
    if any(piece.text.startswith(changed) for piece in pieces.all):
        return None
    return {str(key) for key in keys}


def _line_of(node: ast.stmt | ast.expr, shown: str, wanted: str) -> int:
    """Return the line of what a pattern matched, where a statement or call has several lines."""
    match = _compiled(wanted).search(shown)
    compound = isinstance(node, ast.stmt) and hasattr(node, "body")
    if match is None or not match[0] or compound or node.end_lineno == node.lineno:
        return node.lineno
    holds: list[tuple[int, int]] = []
    for part in ast.walk(node):
        if isinstance(part, ast.keyword):
            written = f"{part.arg}={unparsed(part.value)}"
        elif isinstance(part, ast.expr):
            written = unparsed(part)
        else:
            continue
        if match[0] in written:
            holds.append((len(written), part.lineno))
    return min(holds)[1] if holds else node.lineno


def _calls(node: ast.stmt | ast.expr) -> Iterator[ast.Call]:
    if isinstance(node, DEFINITIONS):
        # Their decorators are pieces of their own.
        return
    if isinstance(node, ast.stmt) and hasattr(node, "body"):
        for head in header_expressions(node):
            yield from calls_in(head)
    else:
        yield from calls_in(node)


def _last(node: ast.stmt | ast.expr) -> int:
    """Return the last line of a statement; of a loop, branch or block that of its header."""
    if isinstance(node, DEFINITIONS):
        return node.end_lineno or node.lineno
    body = getattr(node, "body", None)
    if isinstance(body, list) and body:
        return max(node.lineno, int(body[0].lineno) - 1)
    return node.end_lineno or node.lineno


MAPPING_GIVEN = re.compile(r"[(,] ?\*\*[\w(]")
"""A mapping whose entries a call gets as arguments, as `ast.unparse` writes it."""


def _reads(text: str, wanted: str, but: str) -> bool:
    """Whether a text looks as a row says; one that is to lack a word may hold it in a mapping."""
    if not text or not _occurs(wanted, text) or (but and _occurs(but, text)):
        return False
    return not (ABSENT in wanted and MAPPING_GIVEN.search(text))


def _stands(pieces: Pieces, piece: Piece, place: KnownPattern) -> bool:
    """Whether a piece stands where a row says, and among what it says."""
    if place.inside and not _occurs(place.inside, piece.around):
        return False
    if place.outside and _occurs(place.outside, piece.around):
        return False
    if not (place.has or place.lacks or place.before or place.after):
        return True
    others = [other for other in pieces.body(piece) if other is not piece]
    return (
        not (place.has and not any(_occurs(place.has, other.text) for other in others))
        and not (place.lacks and any(_occurs(place.lacks, other.text) for other in others))
        and not (place.before and not _any(place.before, others, after=piece.order))
        and not (place.after and not _any(place.after, others, before=piece.order))
    )


def _any(pattern: str, pieces: list[Piece], after: int = -1, before: int = 1 << 60) -> bool:
    return any(after < p.order < before and _occurs(pattern, p.text) for p in pieces)
