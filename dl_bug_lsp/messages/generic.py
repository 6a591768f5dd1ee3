"""What a message of no known family shows by its form: quoted names, paths, shapes, numbers."""

from __future__ import annotations

import re

from dl_bug_lsp.messages.readers import read_value
from dl_bug_lsp.messages.values import Fact, FactKind, Role

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
_QUOTED = re.compile(
    r"(?<!\w)(?:'([^'\n]{1,200})'|\"([^\"\n]{1,200})\"|`([^`\n]{1,200})`|‘([^’\n]{1,200})’)(?!\w)"
)
_LOOKS_LIKE_PATH = re.compile(r"[^\s]{0,200}[/\\][^\s]{0,200}|[\w-]{1,80}\.[a-z]\w{1,5}")
_LIMIT = 60


def generic_facts(text: str) -> Found:
    """Return the facts that a message shows by its form alone, each with its place."""
    found: Found = []
    taken = bytearray(len(text))
    for match in _limited(_QUOTED, text):
        group = match.lastindex or 0
        words = match[group]
        path = "://" not in words and _LOOKS_LIKE_PATH.fullmatch(words)
        kind = FactKind.PATH if path else FactKind.NAME
        _add(found, kind, words, match.start(group))
        if kind is FactKind.PATH or words.isidentifier():
            _take(taken, match.span())
    for kind, form in _FORMS:
        for match in _limited(form, text):
            if not any(taken[match.start(1) : match.end(1)]):
                _add(found, kind, match[1], match.start(1))
                _take(taken, match.span(1))
    return found


def _limited(form: re.Pattern[str], text: str) -> list[re.Match[str]]:
    out = []
    for match in form.finditer(text):
        out.append(match)
        if len(out) == _LIMIT:
            break
    return out


def _add(found: Found, kind: FactKind, words: str, place: int) -> None:
    value = read_value(kind, words)
    if value is not None:
        found.append((place, Fact(kind, Role.OTHER, value, words)))


def _take(taken: bytearray, span: tuple[int, int]) -> None:
    start, end = span
    taken[start:end] = b"\x01" * (end - start)
