"""The list of dialects: one line each, in the order in which they are asked."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from dl_bug_lsp.tracebacks.cpython import TRIGGER as CPYTHON
from dl_bug_lsp.tracebacks.cpython import read_cpython
from dl_bug_lsp.tracebacks.stream import Block, Stream


class Dialect(NamedTuple):
    """A dialect's name, a search that finds its first lines, and its reader."""

    name: str
    trigger: re.Pattern[str]
    read: Callable[[Stream, int], Block | None]


DIALECTS = (Dialect("cpython", CPYTHON, read_cpython),)
