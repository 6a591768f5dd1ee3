"""Exception groups (PEP 654): a traceback for the group and one for each exception in it."""

from __future__ import annotations

import re
from dataclasses import replace

from dl_bug_lsp.logs.log import LogLine
from dl_bug_lsp.tracebacks.cpython import read_cpython
from dl_bug_lsp.tracebacks.exception_text import CHAINED
from dl_bug_lsp.tracebacks.failures import Cause, Relation
from dl_bug_lsp.tracebacks.stream import Block, Stream

TRIGGER = re.compile(r"^\s*\+ Exception Group Traceback \(most recent call last\):")
_MARGIN = re.compile(r"^(?P<indent> *)(?P<bar>[|+])(?P<rest>.*)$")
_MEMBER = re.compile(r"^(?:-*\+)?-{4,} (?P<number>\d+|\.\.\.) -{4,}$")
_GOES_ON = re.compile(r"^ *(?:\| |\+-+(?: (?:\d+|\.\.\.) -+)?$)")
_END = re.compile(r"^-{4,}$")
_MAX_LINES = 20_000
_MAX_DEPTH = 64


class _Part:
    """The lines of one exception of the tree, and its members."""

    def __init__(self, column: int) -> None:
        self.column = column
        self.lines: list[LogLine] = []
        self.members: list[_Part] = []


def read_exception_group(stream: Stream, index: int) -> Block | None:
    """Read a whole group; each leaf gives a chain that ends in its groups."""
    root, end = _tree(stream, index)
    chains = _chains(root, stream)
    if not chains:
        return Block([], index, end, "exception_group", weight=0)
    blocks = [
        Block(chain, index, end, "exception_group", evidence=_evidence(chain)) for chain in chains
    ]
    blocks[0].others = blocks[1:]
    return blocks[0]


def _evidence(chain: list[Cause]) -> str:
    return f"{chain[0].type}: {chain[0].message}".split("\n", 1)[0]


def _tree(stream: Stream, index: int) -> tuple[_Part, int]:
    """Cut the lines at the margins into the tree of exceptions."""
    path: list[_Part] = []
    first = _MARGIN.match(stream.text(index))
    root = _Part(len(first["indent"]) if first else 0)
    path.append(root)
    end = index
    while end < len(stream) and end - index < _MAX_LINES:
        line = stream.lines[end]
        match = _MARGIN.match(line.text)
        if not match:
            if not _goes_on(stream, end):
                break
            path[-1].lines.append(line)
            end += 1
            continue
        column, rest = len(match["indent"]), match["rest"]
        opening = _MEMBER.match(rest) if match["bar"] == "+" else None
        if opening:
            inside = column + (2 if rest.startswith("-+-") else 0)
            while len(path) > 1 and path[-1].column >= inside:
                path.pop()
            member = _Part(inside)
            if len(path) < _MAX_DEPTH:
                path[-1].members.append(member)
                path.append(member)
        elif not (match["bar"] == "+" and _END.match(rest)):
            while len(path) > 1 and path[-1].column > column:
                path.pop()
            path[-1].lines.append(replace(line, text=rest.removeprefix(" ")))
        end += 1
    return root, end


def _goes_on(stream: Stream, index: int) -> bool:
    """Say whether a line without a margin is a message's (3.11 prints those bare)."""
    return any(_GOES_ON.match(stream.text(at)) for at in range(index + 1, index + 20))


def _chains(root: _Part, stream: Stream) -> list[list[Cause]]:
    """Return one chain for each leaf: its own causes, then the groups that hold it."""
    out: list[list[Cause]] = []
    stack: list[tuple[_Part, tuple[Cause, ...]]] = [(root, ())]
    while stack:
        part, groups = stack.pop()
        own = _own_chain(Stream(part.lines, stream.process))
        if part.members and own:
            holders = (replace(own[-1], relation=Relation.GROUP_MEMBER), *groups)
            stack.extend((member, holders) for member in reversed(part.members))
        elif own:
            out.append([*own, *groups])
        if len(out) >= 256:
            break
    return out


def _own_chain(stream: Stream) -> list[Cause]:
    causes: list[Cause] = []
    relation, index = Relation.ROOT, 0
    while index < len(stream):
        text = stream.text(index)
        if chained := CHAINED.match(text):
            relation = Relation.DURING_HANDLING if chained["during"] else Relation.DIRECT_CAUSE
        block = read_cpython(stream, index) if 'File "' in text or "Traceback (" in text else None
        if block is None:
            index += 1
            continue
        causes.extend([replace(block.causes[0], relation=relation), *block.causes[1:]])
        index = max(block.end, index + 1)
    return causes
