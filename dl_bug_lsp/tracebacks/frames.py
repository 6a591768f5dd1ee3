"""Frame lines of the interpreter, and which files are a library's rather than the user's."""

from __future__ import annotations

import re

from dl_bug_lsp.tracebacks.failures import Frame

FRAME = re.compile(
    r'^(?P<mark>>?)(?P<indent>\s*)File "(?P<file>.+?)", line (?P<line>\d{1,9})'
    r"(?:,? in(?: |(?=<))(?P<function>.*?))?(?P<star> {1,2}\*{1,2})?(?:(?<=\S)|(?<= in ))\s*$"
)
"""One `File "…", line N, in f` line; AutoGraph appends `*` (the user's) or `**` to it."""

REPEATED = re.compile(r"^\s*\[Previous line repeated \d+ more times?\]\s*$")
_CARETS = re.compile(r"^\s*[\^~][\s^~]*$")
_VALUES = re.compile(r"^\s*(?:[│|]\s*)*[└│]")
_ELISION = re.compile(r"^\s*\.\.\.<\d+ lines>\.\.\.\s*$")
_LIBRARY = re.compile(
    r"[\\/](?:site|dist)-packages[\\/]"
    r"|[\\/](?:lib|lib64|Lib)[\\/]python\d(?:\.\d+)?[\\/]"
    r"|[\\/][Pp]ython(?:\d[\d.]*|[\\/]\d[\d.]*)[\\/][Ll]ib[\\/]"
    r"|[\\/](?:ana|mini)conda\d?[\\/](?:envs[\\/][^\\/]+[\\/])?[Ll]ib[\\/]"
    r"|^<frozen |^<string>$|^<__array_function__|^<decorator-gen|^<eval_with_key>|^<attrs generated"
    r"|__autograph_generated_file|^<unknown>$|\.pyx$|\.pxi$"
    r"|^(?:/(?:usr/)?(?:local/)?bin/|/opt/[\w.-]*venv[\w.-]*/bin/)"
    r"|[\\/](?:\.?venv|virtualenv|env)[\w.-]*[\\/](?:bin|Scripts)[\\/]"
    r"|^(?:lib[\\/]python\d|python[\\/]ray[\\/])"
)


def is_library_path(path: str) -> bool:
    """Say whether a printed path is an installed library's or the interpreter's own."""
    return bool(_LIBRARY.search(path))


def parse_frame(text: str) -> Frame | None:
    """Read one frame line, without its source."""
    match = FRAME.match(text)
    if not match or int(match["line"]) > 10_000_000:
        return None
    star = (match["star"] or "").strip()
    user = None if not star else star == "*"
    function = match["function"]
    return Frame(match["file"], int(match["line"]), function or None, marked_user=user)


def is_caret_line(text: str) -> bool:
    """Say whether a line holds only the marks that underline an expression (PEP 657)."""
    return bool(_CARETS.match(text))


def read_source(lines: list[str]) -> tuple[str | None, str | None]:
    """Return the source and the underlined expression from what is printed below a frame.

    From Python 3.13 on a statement's lines alternate with their carets; decorated tracebacks put
    values (``│ └ 3``) below the source.
    """
    source: list[str] = []
    marked: list[str] = []
    for text in lines:
        if is_caret_line(text):
            if source:
                marked.append(_underlined(source[-1], text))
        elif not _VALUES.match(text) and not _ELISION.match(text) and text.strip():
            source.append(text)
    if not source:
        return None, None
    indent = min(len(text) - len(text.lstrip()) for text in source)
    shown = "\n".join(text[indent:].rstrip() for text in source)
    expression = "\n".join(part for part in marked if part)
    return shown.strip(), expression or None


def _underlined(source: str, carets: str) -> str:
    begin = len(carets) - len(carets.lstrip())
    return source[begin : len(carets.rstrip())].strip()
