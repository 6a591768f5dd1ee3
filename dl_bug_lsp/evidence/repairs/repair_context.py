"""What the repairs ask about a failure: classes, members, called functions, support of names."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Protocol

from dl_bug_lsp.evidence.case import Case
from dl_bug_lsp.evidence.domain_rules.syntax import near_files
from dl_bug_lsp.evidence.nearness import parts_of
from dl_bug_lsp.evidence.repairs import library
from dl_bug_lsp.messages import FactKind, Role
from dl_bug_lsp.provenance import objects
from dl_bug_lsp.provenance.scopes import Scope
from dl_bug_lsp.provenance.values import Class, Function, Instance, Library

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
        return sum(p in library.vocabulary() or known.get(p, 0) > 1 for p in parts) / len(parts)

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
    for file in near_files(case):
        module = case.engine.program.module(file)
        for scope in module.walk() if module is not None else ():
            if scope.is_class and scope.name.rpartition(".")[2] == name:
                return scope
    return None


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
    return found


def method_names(case: Case, cls: Scope) -> frozenset[str]:
    """Return the members that a class has of its library bases."""
    found: frozenset[str] = frozenset()
    for dotted in library_bases(case, cls):
        found |= library.members(dotted.rpartition(".")[2])
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
