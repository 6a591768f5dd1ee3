"""Places that a message itself prints: `in "conf.yaml", line 25, column 3`, `config.json:17`."""

from __future__ import annotations

import re
from dataclasses import dataclass

_FILE = r"[^\s\"'<>|:;,()\[\]{}`]{1,400}"
_SUFFIX = (
    r"\.(?:ya?ml|jsonl?|toml|ini|cfg|conf|py|ipynb|csv|tsv|txt|xml|sh|prototxt|gin|jsonnet|md)"
)
_PLACES = (
    re.compile(
        r"\"(?P<file>[^\"\n<>]{1,400})\", line (?P<line>\d{1,7})"
        r"(?:,? col(?:umn)?\.? (?P<column>\d{1,5}))?"
    ),
    re.compile(
        rf"(?P<file>{_FILE}{_SUFFIX}):(?P<line>\d{{1,7}})(?::(?P<column>\d{{1,5}}))?(?![\d.])"
    ),
    re.compile(
        rf"(?P<file>{_FILE}{_SUFFIX})['\"`]?[,)]? (?:\(?(?:at |on |in )?)line:? (?P<line>\d{{1,7}})"
        r"(?:,? col(?:umn)?\.?:? (?P<column>\d{1,5}))?"
    ),
    re.compile(
        rf"\bline:? (?P<line>\d{{1,7}})(?:,? col(?:umn)?\.?:? (?P<column>\d{{1,5}}))? (?:of|in) "
        rf"(?:file )?['\"`]?(?P<file>{_FILE}{_SUFFIX})"
    ),
)
_OFFSET = re.compile(
    r"line (?P<line>\d{1,7}) column (?P<column>\d{1,6}) \(char (?P<char>\d{1,9})\)"
)
_LONGEST = 20_000
_MOST = 8


@dataclass(frozen=True, slots=True)
class NamedPlace:
    """A line that a message names; ``line`` and ``column`` are as printed, 0 for no column."""

    file: str
    line: int
    column: int = 0


@dataclass(frozen=True, slots=True)
class TextOffset:
    """Where a parser stopped in a text that it does not name.

    Line and column are 1-based, the offset counts characters from 0.
    """

    line: int
    column: int
    offset: int


def named_places(message: str) -> tuple[NamedPlace, ...]:
    """Return the places that a message prints, in order; never raises.

    Of several the last one is where a parser gave up, those before it where it began.
    """
    places: dict[int, NamedPlace] = {}
    for pattern in _PLACES:
        for match in pattern.finditer(message[:_LONGEST]):
            line = int(match["line"])
            if line and not any(abs(at - match.start("file")) < 2 for at in places):
                place = NamedPlace(match["file"], line, int(match["column"] or 0))
                places[match.start("file")] = place
    ordered = [places[at] for at in sorted(places)]
    return tuple(dict.fromkeys(ordered))[-_MOST:]


TRACING_STARTED = re.compile(
    r"while tracing the function (?P<name>\w+) at [^\n]*?:(?P<line>\d+) for \w+"
)
"""How JAX says where tracing began: it names that function whatever is wrong inside it."""


def tracing_starts(message: str) -> frozenset[int]:
    """Return the lines at which a message says that tracing began."""
    return frozenset(int(match["line"]) for match in TRACING_STARTED.finditer(message))


def text_offset(message: str) -> TextOffset | None:
    """Return where a JSON parser says that it stopped (`line 18 column 28 (char 338)`), if it does.

    Line, column and offset together fit hardly any file but the one that was read.
    """
    match = _OFFSET.search(message[:_LONGEST])
    if match is None or match["line"] == "1":
        return None
    return TextOffset(int(match["line"]), int(match["column"]), int(match["char"]))
