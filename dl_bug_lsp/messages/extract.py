"""Reads a cause's message by all tables of families, and by its form where none knows it.

What a message of no known family shows by its form: quoted names, paths, shapes, numbers. Some
messages print places themselves: `in "conf.yaml", line 25, column 3`, `config.json:17`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from dl_bug_lsp.messages.facts import Fact, FactKind, MessageFacts, Role
from dl_bug_lsp.messages.families import Family, read_value
from dl_bug_lsp.tracebacks.failures import Cause

_NOISE = re.compile(r"\x1b\[[0-9;]{0,20}m|\{\{function_node [^{}\n]{0,400}\}\}\s?")
_LISTING = re.compile(r"\Aat \d{1,6}:\d{1,6}:\n(?:.*\n){1,400}?[ \t]*\^[ \t]*\n")
"""The source of a kernel that Triton's compiler prints before it says what is wrong with it."""
_JAVA = re.compile(
    r"^[ \t]*(?:at [\w.$/<>]{3,300}\([^()\n]{0,200}\)|\.\.\. \d{1,5} more)[ \t]*\n?", re.M
)
"""Frames of a Java stack within a message: the names of its classes are not what it says."""
_QUOTED = re.compile(r"[`'\"‘“]([\w./-]{1,80})[`'\"’”]")
_SENTENCE = 4
"""Words from which on a key is taken for a sentence."""
_HEAD, _TAIL = 16_000, 6_000
_MAX_FACTS = 400
_MAX_CANDIDATES = 200


def readable(text: str) -> str:
    """Return what of a message is looked at: of one longer than 22,000 characters both ends."""
    return text[:_HEAD] + "\n" + text[-_TAIL:] if len(text) > _HEAD + _TAIL else text


def extract_facts(cause: Cause) -> MessageFacts:
    """Return the typed facts of an exception's message; of its notes (PEP 678) too.

    Of a message longer than 22,000 characters its beginning and its end are read. Never raises.
    """
    text = _text(cause)
    site = _site(cause)
    name: str | None = None
    part_name: str | None = None
    placed: list[tuple[int, Fact]] = []
    for framework, family in _candidates(text):
        if (name is not None and not family.part) or not _fits(family, cause.class_name, site):
            continue
        facts = family.read(text)
        if facts is None:
            continue
        placed += facts
        if family.part:
            part_name = part_name or f"{framework}.{family.name}"
        else:
            name = f"{framework}.{family.name}"
    name = name or part_name
    ordered = _ordered(placed if name else generic_facts(text))
    return MessageFacts(name, (*ordered, *_keys_in_sentences(ordered)))


def _keys_in_sentences(facts: tuple[Fact, ...]) -> list[Fact]:
    """Return the keys that are quoted in the text of a `KeyError` which is a whole sentence."""
    return [
        Fact(FactKind.KEY, Role.ACTUAL, key, key)
        for fact in facts
        if fact.kind is FactKind.KEY and len(str(fact.value).split()) >= _SENTENCE
        for key in dict.fromkeys(_QUOTED.findall(str(fact.value)))
    ]


@lru_cache(maxsize=1)
def tables() -> tuple[tuple[str, Family], ...]:
    """Return all families in the order of trial, each with its framework."""
    from dl_bug_lsp.messages.tables import TABLES

    return tuple((framework, family) for framework, rows in TABLES for family in rows)


@lru_cache(maxsize=1)
def _index() -> tuple[tuple[str, int], ...]:
    """Return the families' places in ``tables()`` by words that must stand in the message."""
    return tuple(
        (needle, place) for place, (_, family) in enumerate(tables()) for needle in family.needles
    )


def _candidates(text: str) -> list[tuple[str, Family]]:
    """Return the families whose words stand in a message, in the order of trial."""
    folded = " ".join(text.lower().split())
    places = {place for needle, place in _index() if needle in folded}
    rows = tables()
    return [rows[place] for place in sorted(places)[:_MAX_CANDIDATES]]


def _fits(family: Family, class_name: str, site: str) -> bool:
    if family.classes and class_name not in family.classes:
        return False
    return not family.where or family.where in site


def _site(cause: Cause) -> str:
    """Return the raise site's file, with slashes, and its function."""
    if not cause.frames:
        return ""
    frame = cause.frames[-1]
    return f"{frame.file}:{frame.function}".replace("\\", "/")


def _text(cause: Cause) -> str:
    text = readable("\n".join((cause.message, *cause.notes)))
    text = _LISTING.sub("", _NOISE.sub("", text), count=1)
    return _JAVA.sub("", text) if "\tat " in text or "\n at " in text else text


def _ordered(placed: list[tuple[int, Fact]]) -> tuple[Fact, ...]:
    """Return facts in the order of the message, each once."""
    placed.sort(key=lambda item: item[0])
    return tuple(dict.fromkeys(fact for _, fact in placed[:_MAX_FACTS]))


Found = list[tuple[int, Fact]]

_WORD = r"[A-Za-z_][\w-]{0,80}"
_FORMS: tuple[tuple[FactKind, re.Pattern[str]], ...] = (
    (
        FactKind.PATH,
        re.compile(
            r"(?<![\w/.:'\"`-])((?:[A-Za-z]:[\\/]|~?/|\.{1,2}/)[^\s'\"`<>|:,;()\[\]{}]{1,300}"
            r"|[\w.-]{1,80}/[\w./-]{1,200}\.\w{1,8}\b)"
        ),
    ),
    (FactKind.SHAPE, re.compile(r"torch\.Size\((\[[-\d,\s]{0,200}\])\)")),
    (FactKind.SHAPE, re.compile(r"(?<![\w\])])([\[(](?:-?\d|None)[-\dNone?,\s]{0,200}[\])])")),
    (FactKind.SHAPE, re.compile(r"(?<![\w.])(\d{1,9}(?:x\d{1,9}){1,8})(?![\w.])")),
    (
        FactKind.DTYPE,
        re.compile(
            r"(?<!\w)((?:torch\.|tf\.|np\.|numpy\.|jnp\.)?(?:bfloat16|float(?:16|32|64)|int(?:8|16|32|64)"
            r"|uint(?:8|16|32|64)|complex(?:64|128)|bool)|torch\.(?:cuda\.)?\w{1,12}Tensor)(?!\w)"
        ),
    ),
    (
        FactKind.DEVICE,
        re.compile(r"(?<![\w/.])((?:cuda|mps|xpu|tpu|hpu|xla)(?::\d{1,3})?)(?![\w.])"),
    ),
    (FactKind.NAME, re.compile(rf"(?<![\w./-])({_WORD}(?:\.{_WORD}){{1,10}})(?![\w/])")),
    (FactKind.NAME, re.compile(r"(?<![\w./-])([A-Za-z]\w{0,80}_\w{1,80})(?![\w./])")),
    (
        FactKind.NUMBER,
        re.compile(r"(?<![\w.])([-+]?\d{1,18}(?:\.\d{1,18})?(?:e[-+]?\d{1,3})?)(?![\w.]*\w)"),
    ),
)
_QUOTED_WORD = re.compile(
    r"(?<!\w)(?:'([^'\n]{1,200})'|\"([^\"\n]{1,200})\"|`([^`\n]{1,200})`|‘([^’\n]{1,200})’)(?!\w)"
)
_LOOKS_LIKE_PATH = re.compile(r"[^\s]{0,200}[/\\][^\s]{0,200}|[\w-]{1,80}\.[a-z]\w{1,5}")
_LIMIT = 60


def generic_facts(text: str) -> Found:
    """Return the facts that a message shows by its form alone, each with its place."""
    placed: Found = []
    taken = bytearray(len(text))
    for match in _limited(_QUOTED_WORD, text):
        group = match.lastindex or 0
        words = match[group]
        path = "://" not in words and _LOOKS_LIKE_PATH.fullmatch(words)
        kind = FactKind.PATH if path else FactKind.NAME
        _add(placed, kind, words, match.start(group))
        if kind is FactKind.PATH or words.isidentifier():
            _take(taken, match.span())
    for kind, form in _FORMS:
        for match in _limited(form, text):
            if not any(taken[match.start(1) : match.end(1)]):
                _add(placed, kind, match[1], match.start(1))
                _take(taken, match.span(1))
    return placed


def _limited(form: re.Pattern[str], text: str) -> list[re.Match[str]]:
    out = []
    for match in form.finditer(text):
        out.append(match)
        if len(out) == _LIMIT:
            break
    return out


def _add(placed: Found, kind: FactKind, words: str, place: int) -> None:
    value = read_value(kind, words)
    if value is not None:
        placed.append((place, Fact(kind, Role.OTHER, value, words)))


def _take(taken: bytearray, span: tuple[int, int]) -> None:
    start, end = span
    taken[start:end] = b"\x01" * (end - start)


# ---------------------------------------------------------------------- places
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
