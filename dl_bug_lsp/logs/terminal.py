"""What a terminal would have eaten: escape sequences, overprinting carriage returns, backspaces."""

from __future__ import annotations

import re

# ECMA-48: CSI (ESC [ or the C1 code), OSC and other strings up to BEL or ST, two-character escapes.
# An unfinished string sequence ends at the line's end, so that it never swallows what follows.
_ESCAPE = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"
    r"|\x9b[0-?]*[ -/]*[@-~]"
    r"|\x1b[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?"
    r"|\x1b[ -/]*[0-~]?"
)
# The visible remains of colours whose escape byte was lost on the way (a paste, a JSON escape).
_ORPHAN = re.compile(r"(?:\\x1b|\\u001b|\\033|\\e|\u241b)\[[0-9;]*m")
_CURSOR_UP = "\x1b["
_CONTROL = dict.fromkeys((*range(9), *range(14, 32), 127, 8203, 65279))
_BACKSPACE = "\b"


def strip_escapes(text: str) -> str:
    """Return ``text`` without escape sequences (also those that stand inside paths and numbers)."""
    if "\x1b" in text or "\x9b" in text:
        text = _ESCAPE.sub("", text)
    if "[" in text and ("\\x1b[" in text or "\\u001b[" in text or "\\033[" in text):
        text = _ORPHAN.sub("", text)
    return text


def strip_controls(line: str) -> str:
    """Return ``line`` with backspaces carried out and other control codes left out."""
    if _BACKSPACE in line:
        line = _rub_out(line)
    return line.translate(_CONTROL)


def _rub_out(line: str) -> str:
    kept: list[str] = []
    for char in line:
        if char != _BACKSPACE:
            kept.append(char)
        elif kept:
            kept.pop()
    return "".join(kept)


def visible_segments(line: str, is_telling: re.Pattern[str]) -> list[str]:
    """Return what stays of a line that carriage returns overprint: the last print that shows.

    Earlier prints are kept, in order, where ``is_telling`` finds something in them: a traceback
    that a progress bar ran over is worth more than the bar.
    """
    parts = [part for part in line.split("\r") if part.strip()]
    if not parts:
        return [""]
    telling = [part for part in parts[:-1] if is_telling.search(part)]
    return [*telling, parts[-1]]
