"""What is known of a tensor without running anything: its dimensions and who made them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from dl_bug_lsp.provenance.engine import Node

MOST_MAKERS = 6


@dataclass(frozen=True, slots=True, eq=False)
class Dim:
    """One dimension: its size where known, and the expressions that decided it, nearest first.

    ``loose`` says that an operation computed it (a convolution's height) rather than that an
    argument states it.
    """

    size: int | None
    makers: tuple[Node, ...] = ()
    loose: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Tensor:
    """The dimensions of a tensor or array; ``is_open`` when unknown ones stand before them."""

    dims: tuple[Dim, ...]
    is_open: bool = False

    def dim(self, axis: int) -> Dim | None:
        """Return the dimension of an axis, None where it is not known."""
        if axis < 0:
            return self.dims[axis] if -axis <= len(self.dims) else None
        if self.is_open or axis >= len(self.dims):
            return None
        return self.dims[axis]

    def at(self, axis: int) -> int | None:
        """Return the index in ``dims`` of an axis, None where it is not known."""
        if axis < 0:
            return len(self.dims) + axis if -axis <= len(self.dims) else None
        return axis if not self.is_open and axis < len(self.dims) else None


@dataclass(frozen=True, slots=True, eq=False)
class Many:
    """A tuple, list or mapping of results, by position."""

    items: tuple[Result, ...]


Result: TypeAlias = "Tensor | Many | None"


@dataclass(frozen=True, slots=True, eq=False)
class Check:
    """Two dimensions that an operation wants to be the same: of the value given, and wanted."""

    node: Node
    given: Dim
    wanted: Dim
    what: str


def joined(size: int | None, node: Node, *sources: Dim | None) -> Dim:
    """Return a dimension that an operation computes from others."""
    makers = [node]
    for source in sources:
        makers.extend(source.makers if source is not None else ())
    return Dim(size, tuple(dict.fromkeys(makers))[:MOST_MAKERS], loose=True)


def product(dims: tuple[Dim, ...], node: Node, extra: int | None = 1) -> Dim:
    """Return the dimension that flattening several gives."""
    total = extra
    for dim in dims:
        total = total * dim.size if total is not None and dim.size is not None else None
    return joined(total, node, *dims)
