"""Index records: the elements of one file as compact, readable data (JSON and term numbers)."""

from __future__ import annotations

import json
import sys
import zlib
from array import array
from dataclasses import dataclass
from typing import Any

from dl_bug_lsp.workspace.terms import Vocabulary
from dl_bug_lsp.workspace.values import ConfigEntry, FileElements, FunctionElement

_WIDTH = 4
_MOST_TERMS = 16_000_000


@dataclass(frozen=True, slots=True)
class FunctionRow:
    """A function or class: its lines, and its terms as a slice of the file's."""

    name: str
    line: int
    end_line: int
    is_class: bool
    first_term: int
    last_term: int


@dataclass(frozen=True, slots=True)
class Record:
    """``meta`` is a JSON object; ``terms`` are deflated little-endian 32-bit term numbers."""

    meta: str
    terms: bytes


def make_record(
    numbers: list[int],
    functions: list[FunctionRow],
    imports: list[str],
    entries: tuple[ConfigEntry, ...] = (),
    problem: tuple[str | None, int | None] = (None, None),
) -> Record:
    """Pack what one pass over a file found."""
    meta = {
        "functions": [
            (f.name, f.line, f.end_line, int(f.is_class), f.first_term, f.last_term)
            for f in functions
        ],
        "imports": list(dict.fromkeys(imports)),
        "entries": [(e.line, e.end_line, e.path, e.value, e.text, e.length) for e in entries],
        "problem": problem,
        "count": len(numbers),
    }
    packed = zlib.compress(_little_endian(array("I", numbers)).tobytes(), 1)
    return Record(json.dumps(meta, separators=(",", ":")), packed)


def elements_of(file: str, record: Record, vocabulary: Vocabulary) -> FileElements:
    """Unpack a record; raises ValueError, TypeError, LookupError or zlib.error on a damaged one."""
    meta: dict[str, Any] = json.loads(record.meta)
    terms = _terms(record.terms, int(meta["count"]), vocabulary)
    functions = tuple(
        FunctionElement(name, line, end, bool(is_class), terms[first:last])
        for name, line, end, is_class, first, last in meta["functions"]
    )
    entries = tuple(
        ConfigEntry(file, line, end, tuple(path), value, text, length)
        for line, end, path, value, text, length in meta["entries"]
    )
    problem, problem_line = meta["problem"]
    imports = tuple(meta["imports"])
    return FileElements(file, functions, imports, terms, entries, problem, problem_line)


def _terms(packed: bytes, count: int, vocabulary: Vocabulary) -> tuple[str, ...]:
    if not 0 <= count <= _MOST_TERMS:
        raise ValueError("a record of an impossible length")
    # A damaged or hostile cache must not make us inflate more than the record says it holds.
    numbers = array("I", zlib.decompressobj().decompress(packed, count * _WIDTH + 1))
    if len(numbers) != count:
        raise ValueError("a record of another length than it says")
    return tuple(map(vocabulary.terms.__getitem__, _little_endian(numbers)))


def _little_endian(numbers: array[int]) -> array[int]:
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
