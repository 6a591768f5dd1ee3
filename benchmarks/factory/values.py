"""What the factory handles: programs, files that are mutated, mutations and their true lines."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar, cast

import libcst
from libcst.metadata import (
    ByteSpanPositionProvider,
    MetadataWrapper,
    ParentNodeProvider,
    PositionProvider,
)

_Node = TypeVar("_Node", bound=libcst.CSTNode)


@dataclass(frozen=True, slots=True)
class Edit:
    """A replacement of the characters ``start`` to ``end`` (0-based, end excluded) of a file."""

    file: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Mutation:
    """A small fault: edits of one program (offsets in the original files) and what they do.

    ``note`` is one plain sentence for a person, such as ``out_features 10 became 9``.
    """

    edits: tuple[Edit, ...]
    note: str


@dataclass(frozen=True)
class Target:
    """A file of a program that its user would edit, as operators see it.

    ``path`` is relative to the program's workspace, with ``/``.
    """

    path: str
    text: str

    @cached_property
    def wrapper(self) -> MetadataWrapper | None:
        """The concrete syntax tree with metadata; None where the file is no valid Python."""
        if not self.path.endswith((".py", ".pyw")):
            return None
        try:
            self.text.encode("utf-8")
            # Too deep nesting, which libcst's parser does not survive, is an error here.
            ast.parse(self.text)
            module = libcst.parse_module(self.text)
            if module.code != self.text:
                return None
            wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
            wrapper.resolve_many([ByteSpanPositionProvider, ParentNodeProvider])
        except (libcst.CSTLogicError, libcst.ParserSyntaxError, SyntaxError, ValueError):
            return None
        except (RecursionError, MemoryError):
            return None
        return wrapper

    @cached_property
    def positions(self) -> dict[libcst.CSTNode, libcst.metadata.CodeRange]:
        """Line (1-based) and column (0-based) of each node of `wrapper`."""
        return dict(self.wrapper.resolve(PositionProvider)) if self.wrapper else {}

    @cached_property
    def parents(self) -> dict[libcst.CSTNode, libcst.CSTNode]:
        """The parent of each node of `wrapper`."""
        return dict(self.wrapper.resolve(ParentNodeProvider)) if self.wrapper else {}

    @cached_property
    def _spans(self) -> dict[libcst.CSTNode, tuple[int, int]]:
        if self.wrapper is None:
            return {}
        spans = self.wrapper.resolve(ByteSpanPositionProvider)
        encoded = self.text.encode("utf-8")
        if len(encoded) == len(self.text):
            return {node: (s.start, s.start + s.length) for node, s in spans.items()}
        chars = [0] * (len(encoded) + 1)
        byte = 0
        for index, char in enumerate(self.text):
            width = len(char.encode("utf-8"))
            for offset in range(width):
                chars[byte + offset] = index
            byte += width
        chars[byte] = len(self.text)
        return {node: (chars[s.start], chars[s.start + s.length]) for node, s in spans.items()}

    def span(self, node: libcst.CSTNode) -> tuple[int, int]:
        """Return the character offsets of a node of `wrapper`: start, and end excluded."""
        return self._spans[node]

    @cached_property
    def _by_class(self) -> dict[type[libcst.CSTNode], list[libcst.CSTNode]]:
        found: dict[type[libcst.CSTNode], list[libcst.CSTNode]] = {}
        for node in sorted(self._spans, key=self._spans.__getitem__):
            found.setdefault(type(node), []).append(node)
        return found

    def of_class(self, kind: type[_Node]) -> list[_Node]:
        """Return the nodes of exactly this class, in the order of the text."""
        return cast("list[_Node]", self._by_class.get(kind, []))

    def nodes(self, *types: type[_Node]) -> Iterator[_Node]:
        """Yield the nodes of these classes in the order of the text."""
        groups = [
            cast("list[_Node]", nodes)
            for found, nodes in self._by_class.items()
            if issubclass(found, types)
        ]
        if len(groups) == 1:
            yield from groups[0]
        else:
            every = [node for group in groups for node in group]
            yield from sorted(every, key=self._spans.__getitem__)

    def replace(self, node: libcst.CSTNode, code: str) -> Edit:
        """Return the edit that puts ``code`` in the place of a node."""
        start, end = self.span(node)
        return Edit(self.path, start, end, code)


@dataclass(frozen=True, slots=True)
class Operator:
    """A kind of fault: one module of `factory.operators`, with an ``OPERATOR`` of this class.

    ``targets`` are the kinds of files it reads: ``python``, ``config``, ``data``, ``launch``,
    ``requirements``. ``source`` cites the literature that names the kind of fault. ``weight`` is
    how often the studies saw it, relative to the others. ``silent`` faults let the run end.
    ``mutate`` yields each place once, in the order of the text, and never raises.
    """

    id: str
    title: str
    source: str
    weight: float
    targets: tuple[str, ...]
    mutate: Callable[[Target], Iterator[Mutation]]
    silent: bool = False


@dataclass(frozen=True)
class Program:
    """A program that ends well: what is run, and which files its user would edit.

    ``command`` runs in the workspace's root; its first word is ``python``, ``torchrun``, ``bash``
    or ``pytest``. ``editable`` are glob patterns. ``repository`` and ``commit`` name a public
    checkout, None for a program of ours, whose files stand at ``folder``. ``inputs`` is a folder
    of small files of ours that are laid over the checkout. ``source`` groups programs that share
    code: figures and halves are told by source.
    """

    id: str
    source: str
    framework: str
    command: tuple[str, ...]
    editable: tuple[str, ...]
    repository: str | None = None
    commit: str | None = None
    folder: str | None = None
    inputs: str | None = None
    setup: str | None = None
    environment: dict[str, str] = field(default_factory=dict)
    python_path: tuple[str, ...] = ()
    installed: tuple[str, ...] = ()
    """Folders of the checkout that count as installed packages, so that logs show site-packages."""
    preload: tuple[str, ...] = ()
    """Modules that the fork server has imported before it runs the program."""
    metric: str | None = None
    """A regular expression whose only group is a number; its last match judges silent faults."""
    better: str = "lower"
    timeout_s: float = 60.0
