"""Small programs in one text file each, with what must hold written into their comments.

A file holds cases: ``=== name`` starts one, ``--- path`` a file of it. What follows ``#:`` in a
line is a mark, several with ``;`` between:

- ``is 7 | 8``: the argument of ``probe(...)`` on that line stands for these constants, ``is
  unknown`` for none;
- ``raise``: a slice starts here; ``reached 5``: among the first five lines of that slice;
  ``unreached``: not in it;
- ``frame 1``: a stack frame, outermost first; ``frame 1 name`` with its function;
- ``clue kind other.kind``: the evidence has clues of these kinds on that line; ``silent kind``:
  none of them there.

Lines before a case's first file: ``path:3: mark`` marks files without comments, ``error: ...`` is
the last line of the traceback (more of it follow as ``error: ...``), ``inside: file function`` a
library's frame below the marked ones, ``silent: kind`` a kind that the program gives nowhere,
``log: text`` a line of the log before the traceback, ``script: path`` the program that was run.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from pathlib import Path

from dl_bug_lsp.provenance.engine import Engine, Node
from dl_bug_lsp.provenance.nodes import Context
from dl_bug_lsp.provenance.slices import Step, backward_slice
from dl_bug_lsp.provenance.stack import Site, StackPlace, statement_at, walk_stack
from dl_bug_lsp.workspace import Workspace

MARK = re.compile(r"\s*#:(?P<marks>.*)$")
OUTSIDE = re.compile(r"(?P<file>\S+):(?P<line>\d+): (?P<mark>.+)$")
HEAD = re.compile(r"(?P<word>error|inside|silent|log|script): (?P<rest>.*)$")


@dataclass(frozen=True)
class Mark:
    """One expectation at a 1-based line."""

    file: str
    line: int
    word: str
    rest: str


@dataclass
class Program:
    """A case: its files without marks, the marks, and what stands in its head by word."""

    name: str
    files: dict[str, str] = field(default_factory=dict)
    marks: list[Mark] = field(default_factory=list)
    head: dict[str, list[str]] = field(default_factory=dict)

    def write(self, root: Path) -> Workspace:
        """Write the files below ``root`` and open them."""
        for name, text in self.files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return Workspace(root, cache=False)

    def engine(self, root: Path) -> Engine:
        """Write the files, and return an engine that knows how the program was started."""
        engine = Engine(self.write(root))
        scripts = self.head.get("script", []) or [place.file for place in self.places()]
        engine.started(self.head.get("log", []), tuple(dict.fromkeys(scripts)))
        return engine

    def of(self, word: str) -> list[Mark]:
        """Return the marks of a word in the order of the text."""
        return [m for m in self.marks if m.word == word]

    def places(self) -> tuple[StackPlace, ...]:
        """Return the places of the ``frame`` marks, outermost first."""
        found = sorted(self.of("frame"), key=lambda m: int(m.rest.partition(" ")[0]))
        return tuple(
            StackPlace(m.file, m.line, m.rest.partition(" ")[2] or None, None) for m in found
        )

    def traceback(self, engine: Engine) -> str:
        """Return the traceback that CPython would print for the ``frame`` marks."""
        lines = [*self.head.get("log", []), "Traceback (most recent call last):"]
        for place in self.places():
            scope = engine.program.scope_at(place.file, place.line)
            function = scope.name.rpartition(".")[2] if scope is not None else ""
            lines.append(
                f'  File "/home/me/job/{place.file}", line {place.line}, '
                f"in {place.function or function or '<module>'}"
            )
            lines.append(f"    {engine.workspace.source_line(place.file, place.line).strip()}")
        for inside in self.head.get("inside", []):
            file, _, function = inside.partition(" ")
            folder = "/opt/venv/lib/python3.11/site-packages"
            lines.extend(
                (f'  File "{folder}/{file}", line 117, in {function}', "    return inner()")
            )
        return "\n".join([*lines, *self.head["error"]]) + "\n"


def programs(file: Path) -> list[Program]:
    """Return the cases of a file."""
    found: list[Program] = []
    name = None
    for raw in file.read_text(encoding="utf-8").splitlines():
        if raw.startswith("=== "):
            found.append(Program(raw[4:].strip()))
            name = None
        elif raw.startswith("--- "):
            name = raw[4:].strip()
            found[-1].files[name] = ""
        elif name is not None:
            program = found[-1]
            line = program.files[name].count("\n") + 1
            marked = MARK.search(raw)
            for mark in marked["marks"].split(";") if marked else ():
                word, _, rest = mark.strip().partition(" ")
                program.marks.append(Mark(name, line, word, rest))
            program.files[name] += (MARK.sub("", raw)) + "\n"
        elif head := HEAD.match(raw):
            found[-1].head.setdefault(head["word"], []).append(head["rest"])
        elif outside := OUTSIDE.match(raw):
            word, _, rest = outside["mark"].partition(" ")
            found[-1].marks.append(Mark(outside["file"], int(outside["line"]), word, rest))
    return found


def open_node(engine: Engine, expr: ast.expr, file: str, line: int) -> Node:
    """Return the node of an expression with no caller known."""
    scope = engine.program.scope_at(file, line)
    assert scope is not None, f"{file} does not parse"
    return engine.node(expr, engine.open_context(scope))


def probed(engine: Engine, mark: Mark, context: Context | None = None) -> Node:
    """Return the node of what ``probe(...)`` is given on a mark's line."""
    tree = engine.workspace.tree(mark.file)
    assert tree is not None, f"{mark.file} does not parse"
    for node in ast.walk(tree):
        is_probe = isinstance(node, ast.Call) and getattr(node.func, "id", "") == "probe"
        if is_probe and node.lineno == mark.line:  # type: ignore[attr-defined]
            argument = node.args[0]  # type: ignore[attr-defined]
            if context is not None:
                return engine.node(argument, context)
            return open_node(engine, argument, mark.file, mark.line)
    raise AssertionError(f"no probe(...) at {mark.file}:{mark.line}")


def sites(engine: Engine, program: Program) -> list[Site]:
    """Walk the program's stack."""
    return walk_stack(engine, program.places())


def slice_of(engine: Engine, program: Program, conditions: bool = False) -> list[Step]:
    """Return the slice of the innermost frame, or of the line marked ``raise``."""
    if program.of("frame"):
        nodes = list(sites(engine, program)[-1].nodes)
        return backward_slice(nodes, conditions=conditions)
    (mark,) = program.of("raise")
    statement = statement_at(engine, mark.file, mark.line)
    assert statement is not None
    heads = [n for n in ast.iter_child_nodes(statement) if isinstance(n, ast.expr)]
    starts = [open_node(engine, e, mark.file, mark.line) for e in heads]
    return backward_slice(starts, conditions=conditions)


def lines_of(steps: list[Step]) -> list[tuple[str, int]]:
    """Return the lines of a slice, each once, nearest first."""
    return list(dict.fromkeys((s.node.file, s.node.line) for s in steps))
