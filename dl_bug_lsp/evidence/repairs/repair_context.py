"""What the repairs ask about a failure, the code around it, and common libraries.

Classes, members and called functions of the workspace; where the counterpart of something missing
stands elsewhere; members of common classes and parameters of common calls.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from importlib import resources
from typing import Protocol

from dl_bug_lsp.evidence.case import Case
from dl_bug_lsp.evidence.domain_rules.syntax import near_files
from dl_bug_lsp.evidence.word_index import parts_of
from dl_bug_lsp.messages import FactKind, Role
from dl_bug_lsp.provenance import objects
from dl_bug_lsp.provenance.nodes import Class, Function, Instance, Library
from dl_bug_lsp.provenance.scopes import Scope

At = tuple[str, int]
VOCABULARY_FILES = 30
MOST_MEMBERS = 400


class Written(Protocol):
    """Something that stands at a line of a file."""

    @property
    def file(self) -> str:
        """The file."""

    @property
    def line(self) -> int:
        """The 1-based line."""


class RepairContext:
    """A case, with what the workspace's words say for one spelling or the other."""

    def __init__(self, case: Case) -> None:
        self.case = case

    def support(self, text: str, spots: Iterable[Written]) -> float:
        """Return on how many other lines a name stands as it is, at most 4."""
        own = {(spot.file, spot.line) for spot in spots}
        lines = {(w.file, w.line) for w in self.case.words.with_text((text,))} - own
        return float(min(len(lines), 4))

    def wellformed(self, text: str) -> float:
        """Return which share of a name's parts (of three letters or more) is written elsewhere."""
        parts = [part for part in parts_of(text) if len(part) >= 3]
        if not parts:
            return 1.0
        known = self._parts
        return sum(p in vocabulary() or known.get(p, 0) > 1 for p in parts) / len(parts)

    @cached_property
    def _parts(self) -> dict[str, int]:
        """In how many different words of the files near the failure a part stands."""
        near = set(near_files(self.case)[:VOCABULARY_FILES])
        found: dict[str, int] = {}
        for file in self.case.words.files:
            if file.file not in near:
                continue
            for text in file.sketches:
                for part in set(parts_of(text)):
                    found[part] = found.get(part, 0) + 1
        return found


def class_named(case: Case, name: str) -> Scope | None:
    """Return the workspace class that the message means: one on the stack first."""
    for site in reversed(case.sites):
        owner = site.context.scope.owner
        for cls in objects.lineage(case.engine, owner) if owner is not None else ():
            if cls.name.rpartition(".")[2] == name:
                return cls
    near = (cls for cls in classes_near(case) if cls.name.rpartition(".")[2] == name)
    return next(near, None)


def classes_near(case: Case) -> Iterator[Scope]:
    """Yield the classes of the files of the stack and of those beside them."""
    for file in near_files(case):
        module = case.engine.program.module(file)
        for scope in module.walk() if module is not None else ():
            if scope.is_class:
                yield scope


def members_of(case: Case, cls: Scope) -> dict[str, list[At]]:
    """Return the attributes and methods of a workspace class and its bases, with their lines."""
    found: dict[str, list[At]] = {}
    for one in objects.lineage(case.engine, cls):
        for name, bindings in one.attributes.items():
            lines = [(m.file, b.line) for m, b in bindings if not b.mutates]
            found.setdefault(name, []).extend(lines)
        for name, method in one.functions.items():
            found.setdefault(name, []).append((method.file, method.line))
        for name, bound in one.bindings.items():
            found.setdefault(name, []).append((one.file, bound[0].line))
        for statement in getattr(one.node, "body", []):
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                found.setdefault(statement.target.id, []).append((one.file, statement.lineno))
        if len(found) > MOST_MEMBERS:
            break
    return {name: spots for name, spots in found.items() if spots}


def library_bases(case: Case, cls: Scope) -> list[str]:
    """Return the dotted names of the library classes that a class derives from."""
    found: list[str] = []
    for one in objects.lineage(case.engine, cls):
        context = case.engine.open_context(one.parent or one)
        for base in getattr(one.node, "bases", []):
            values = case.engine.node(base, context).values
            found.extend(v.name for v in values if isinstance(v, Library))
            if isinstance(base, ast.Name) and base.id == one.name and one.parent is not None:
                # `class Dataset(Dataset)`: the name meant the imported class until here.
                module, attribute = one.parent.imports.get(base.id, ("", None))
                found.extend([f"{module}.{attribute}"] if module and attribute else ())
    return found


def method_names(case: Case, cls: Scope) -> frozenset[str]:
    """Return the members that a class has of its library bases."""
    found: frozenset[str] = frozenset()
    for dotted in library_bases(case, cls):
        found |= members(dotted.rpartition(".")[2])
    return found


def functions_called(case: Case) -> list[Scope]:
    """Return the workspace functions that the message's call may mean, the raise site's first."""
    wanted = {str(f.value) for f in case.facts.of(FactKind.FUNCTION, Role.OWNER)}
    found: dict[int, Scope] = {}
    for scope in _at_raise_site(case):
        short = scope.name.rpartition(".")[2]
        owner = scope.owner.name if scope.owner is not None else ""
        names = {short, f"{owner.rpartition('.')[2]}.{short}", scope.name, owner}
        if not wanted or names & wanted or any(w.endswith(f".{short}") for w in wanted):
            found.setdefault(id(scope), scope)
    return list(found.values())


def _at_raise_site(case: Case) -> Iterator[Scope]:
    for start in case.starts:
        for call in (n for n in ast.walk(start.expr) if isinstance(n, ast.Call)):
            yield from targets(case, start.engine.node(call.func, start.context).values)


def targets(case: Case, values: Iterable[object]) -> Iterator[Scope]:
    """Yield the functions that calling one of some values runs (constructors for classes)."""
    for value in values:
        if isinstance(value, Function):
            yield value.scope
        elif isinstance(value, Class):
            init = objects.find_method(case.engine, value.scope, "__init__")
            if init is not None:
                yield init
        elif isinstance(value, Instance):
            method = objects.first_method(case.engine, value, ("forward", "__call__", "call"))
            if method is not None:
                yield method


FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
Block = list[ast.stmt]


def blocks_of(statement: ast.stmt) -> Iterator[Block]:
    """Yield the blocks of a compound statement."""
    for name in ("body", "orelse", "finalbody"):
        block = getattr(statement, name, None)
        if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
            yield block
    for handler in getattr(statement, "handlers", []):
        yield handler.body
    for case in getattr(statement, "cases", []):
        yield case.body


def way_to(body: Block, line: int) -> list[tuple[Block, int]]:
    """Return the blocks around a line with the statement's index in each, outermost first."""
    for index, statement in enumerate(body):
        if statement.lineno <= line <= (statement.end_lineno or statement.lineno):
            here = [(body, index)]
            if isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
                return here
            for block in blocks_of(statement):
                inner = way_to(block, line)
                if inner:
                    return [*here, *inner]
            return here
    return []


def body_of(scope: Scope) -> Block:
    """Return the statements of a function, class or module; none of a lambda."""
    body = getattr(scope.node, "body", [])
    return body if isinstance(body, list) else []


def names_read(node: ast.AST) -> list[str]:
    """Return the names and ``self`` attributes that code reads, in the order of the text."""
    found: list[tuple[int, int, str]] = []
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load):
            found.append((inner.lineno, inner.col_offset, inner.id))
        elif (
            isinstance(inner, ast.Attribute)
            and isinstance(inner.ctx, ast.Load)
            and isinstance(inner.value, ast.Name)
            and inner.value.id == "self"
        ):
            found.append((inner.lineno, inner.end_col_offset or 0, f"self.{inner.attr}"))
    return [name for _, _, name in sorted(found)]


def beside(order: Sequence[str], wanted: str, known: set[str]) -> list[tuple[str, int]]:
    """Return the known names before and after a wanted one in an order, each with its distance.

    The nearest on either side come first; a name counts once.
    """
    spots = [i for i, name in enumerate(order) if name == wanted]
    found: dict[str, int] = {}
    for spot in spots:
        for side in (range(spot - 1, -1, -1), range(spot + 1, len(order))):
            distance = 0
            seen: set[str] = set()
            for i in side:
                name = order[i]
                if name == wanted or name in seen or name not in known:
                    continue
                seen.add(name)
                distance += 1
                found[name] = min(found.get(name, 99), distance)
    return sorted(found.items(), key=lambda item: (item[1], order.index(item[0])))


def import_lines(tree: ast.Module) -> list[ast.stmt]:
    """Return the import statements at a module's top."""
    return [s for s in tree.body if isinstance(s, (ast.Import, ast.ImportFrom))]


BUILTIN_CLASSES: dict[str, type] = {
    one.__name__: one for one in (list, dict, str, tuple, set, int, float, bytes)
}


@lru_cache(maxsize=1)
def _tables() -> dict[str, dict[str, str]]:
    file = "library_names.json"
    text = resources.files("dl_bug_lsp.evidence.repairs").joinpath(file).read_text("utf-8")
    found: dict[str, dict[str, str]] = json.loads(text)
    return found


@lru_cache(maxsize=64)
def members(cls: str) -> frozenset[str]:
    """Return the public attributes of a common class by its short name; empty where unknown."""
    if cls in BUILTIN_CLASSES:
        return frozenset(n for n in dir(BUILTIN_CLASSES[cls]) if not n.startswith("_"))
    short = "Tensor" if cls == "Parameter" else cls
    return frozenset(_tables()["members"].get(short, "").split())


@lru_cache(maxsize=256)
def owners(attribute: str) -> frozenset[str]:
    """Return the common classes that have an attribute."""
    known = (*BUILTIN_CLASSES, *_tables()["members"])
    return frozenset(cls for cls in known if attribute in members(cls))


@lru_cache(maxsize=1)
def _by_short_name() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for dotted in _tables()["parameters"]:
        found.setdefault(dotted.rpartition(".")[2], []).append(dotted)
    return found


def parameters(dotted: str) -> tuple[str, ...]:
    """Return the parameters of a library's call in order; empty where unknown.

    ``dotted`` is the name as imports resolve it (``torch.nn.modules.linear.Linear`` is found by its
    first and last part).
    """
    table = _tables()["parameters"]
    if dotted in table:
        return tuple(table[dotted].split())
    top, _, _ = dotted.partition(".")
    for known in _by_short_name().get(dotted.rpartition(".")[2], ()):
        if known.partition(".")[0] == top or (top == "tensorflow" and known.startswith("keras")):
            return tuple(table[known].split())
    return ()


@lru_cache(maxsize=1)
def vocabulary() -> frozenset[str]:
    """Return the parts of the names that libraries use: what a rightly spelt part may be."""
    texts = (*_tables()["members"].values(), *_tables()["parameters"].values())
    return frozenset(p for text in texts for p in parts_of(text.replace(" ", "_")) if len(p) > 1)
