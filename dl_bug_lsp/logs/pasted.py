"""What web pages, chats and terminals do to the lines of a traceback, undone before any reader.

HTML entities, quotation marks and colons of other scripts, text that continues behind a progress
bar, lines cut at the width of a screen, and tracebacks printed as one line (a string's repr, an
escaped field, the HTML of a page).
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from dl_bug_lsp.logs.log import LogLine

_ENTITY = re.compile(r"&(?:lt|gt|quot|amp|#39|#x27|nbsp);")
_CLASS = r"(?:[A-Za-z_]\w{0,60}\.){0,8}[A-Z]\w{0,80}(?:Error|Exception|Interrupt|Warning|Exit)"
_WIDE_COLON = re.compile(rf"^(\W{{0,20}}{_CLASS})\uff1a\s*|(call last\))\uff1a\s*$")
_CURLY_FRAME = re.compile(r"\bFile [“”](?P<file>[^“”\n]{1,1000})[“”][,，] ?line")
_BEHIND_BAR = re.compile(r"[^\s,;:)\]|]")
"""What is never a part of a progress bar behind its closing bracket."""
_EDITOR_LINK = re.compile(r"\[([^\]\n]{1,1000})\]\((?:vscode-notebook-cell:|file:)[^)\s]{0,2000}\)")
"""A place that an editor's notebook shows as a link: its text is what was printed."""
_EDITOR_ANCHOR = re.compile(r"<a href='vscode-notebook-cell:[^'\n]{0,2000}'>(\d{1,6})</a>")
"""A line's number that such an editor shows as a link."""
_GLUED = re.compile(r"^\s*-{20,}\w[\w.]{1,80}\s*Traceback \(most recent call last\)")
_BUILD_TIME = re.compile(r"(?:#\d{1,4} )?\d{1,6}\.\d{1,4}(?: |$)")
_HEADER = "Traceback (most recent call last):"
_BEGIN = re.compile(r"\s+(?=File \"[^\"\n]{1,1000}\", line \d)")
_PLACE = re.compile(
    r"(?P<place>File \"[^\"\n]{1,1000}\", line \d{1,9}(?:, in (?:<\w{1,60}>|\w{1,200}))?)\s*"
)
_RAISED = re.compile(rf"(?:^|\s){_CLASS}(?::\s|\s*$)")
_FRAME = re.compile(r"^\s*File \"[^\"\n]{1,4096}\", line \d{1,9}(?P<in>, in \S.*)?$")
_BEGUN = re.compile(r"^\s*File \"[^\"\n]{1,4096}(?:\"(?P<rest>[^\"\n]{0,24}))?$")
_REST = ", line 0, in "
_GOES_ON = re.compile(r"^\d*(?:,(?: (?:i(?:n)?)?)?|, in .*)$")
_NARROWEST_SCREEN, _WIDEST_SCREEN, _LEAST_CUTS = 60, 250, 2
_CUT_WORD = re.compile(r"[a-z]{2}[a-z]")
_NEW_LINE = re.compile(r"\s*File \"|Traceback \(most|\[|\s*[│|╭╰]|\d{4}-\d\d-\d\d")
"""What begins a line of its own even below one as wide as the screen."""
_MOST_PARTS = 4
_NARROWEST = 30
_FAR = 400


def repaired_lines(lines: list[LogLine]) -> list[LogLine]:
    """Return ``lines`` as they were before they were pasted; each keeps its number."""
    lines = [part for line in _without_build_times(lines) for part in _parts(line)]
    if any("Traceback (most" in line.text for line in lines):
        return _unwrapped(_single_spaced(lines))
    return lines


def without_screen_edge(lines: list[LogLine]) -> list[LogLine]:
    """Join lines that a terminal cut at its width, where words are cut in two there.

    ``lines`` still have the prefixes that loggers and launchers print.

    Only what is certain: the width is that of the longest lines, and at two of them or more a word
    goes on in the next line, each time another one (lines of one loop begin alike).
    """
    width = max((len(line.text) for line in lines), default=0)
    if not _NARROWEST_SCREEN <= width <= _WIDEST_SCREEN:
        return lines
    full = [(line.text, below.text) for line, below in pairwise(lines) if len(line.text) == width]
    begun = [below.split(" ", 1)[0] for text, below in full if _CUT_WORD.match(text[-2:] + below)]
    if len(begun) < _LEAST_CUTS or len(set(begun)) < len(begun):
        return lines
    out: list[LogLine] = []
    for at, line in enumerate(lines):
        joins = at > 0 and len(lines[at - 1].text) == width and line.text.strip()
        if joins and not _NEW_LINE.match(line.text):
            out[-1] = replace(out[-1], text=out[-1].text + line.text)
        else:
            out.append(line)
    return out


def _without_build_times(lines: list[LogLine]) -> list[LogLine]:
    """Take the step and the seconds off the output of an image's build (BuildKit)."""
    build = any(mark in line.text for line in lines for mark in ("Dockerfile", "failed to solve"))
    if not build:
        return lines
    return [
        replace(line, text=line.text[m.end() :]) if (m := _BUILD_TIME.match(line.text)) else line
        for line in lines
    ]


def _single_spaced(lines: list[LogLine]) -> list[LogLine]:
    """Leave out the blank lines of tracebacks that have one after every line."""
    out: list[LogLine] = []
    at = 0
    while at < len(lines):
        out.append(lines[at])
        at += 1
        if not out[-1].text.rstrip().endswith(_HEADER) or not _is_spaced(lines, at):
            continue
        until = min(at + _FAR, len(lines) - 1)
        while at < until and _is_blank(lines[at]) and not _is_blank(lines[at + 1]):
            out.append(lines[at + 1])
            at += 2
            if _RAISED.match(out[-1].text.lstrip(_MARGIN)):
                break
    return out


_MARGIN = " \t>|│"
"""What stands before the lines of a quoted stack."""


def _is_spaced(lines: list[LogLine], at: int) -> bool:
    """Say whether a frame, its source and the next frame have a blank line before each."""
    blank = [_is_blank(line) for line in lines[at : at + 6]]
    if blank != [True, False, True, False, True, False]:
        return False
    return bool(_FRAME.match(lines[at + 1].text.lstrip(_MARGIN)))


def _is_blank(line: LogLine) -> bool:
    return not line.text.strip(_MARGIN)


def _parts(line: LogLine) -> Iterator[LogLine]:
    text = line.text
    if "&" in text and _ENTITY.search(text):
        text = html.unescape(text).replace("\xa0", " ")
    if not text.isascii():
        text = _plain(text)
    if "](vscode-" in text or "](file:" in text:
        text = _EDITOR_LINK.sub(r"\1", text)
    if "<a href='vscode-" in text:
        text = _EDITOR_ANCHOR.sub(r"\1", text)
    if "%|" in text and "]" in text:
        yield from (replace(line, text=part) for part in _behind_bar(text))
    elif _GLUED.search(text[:_FAR]) and (parts := _unglued(text)):
        yield from (replace(line, text=part) for part in parts)
    elif 'File "' in text and _HEADER in text:
        yield from (replace(line, text=part) for part in _on_one_line(text))
    else:
        yield line if text is line.text else replace(line, text=text)


def _unglued(text: str) -> list[str]:
    """Cut a notebook's header off the rule before it and the first place behind it."""
    rule, _, rest = text.partition("-" * 20)
    name, header, place = rest.lstrip("-").partition(_HEADER.removesuffix(":"))
    if not header or rule.strip() or not name.strip():
        return []
    lines = ["-" * 20, f"{name.rstrip()}    {header}"]
    return [*lines, place.strip()] if place.strip() else lines


def _plain(text: str) -> str:
    """Put the punctuation of code in the place of that of other scripts, where code is meant."""
    if "\uff1a" in text:
        text = _WIDE_COLON.sub(lambda m: f"{m[1]}: " if m[1] else f"{m[2]}:", text)
    if "File “" in text or "File ”" in text:
        text = _CURLY_FRAME.sub(lambda m: f'File "{m["file"]}", line', text)
    return text


def _behind_bar(text: str) -> list[str]:
    """Cut a failure's words off the progress bar behind which they were printed."""
    begin = text.find("%|")
    end = text.find("]", begin)
    if end < 0 or ("/s" not in text[begin:end] and "s/it" not in text[begin:end]):
        return [text]
    if _BEHIND_BAR.match(text, end + 1):
        return [text[: end + 1], text[end + 1 :]]
    return [text]


def _on_one_line(text: str) -> list[str]:
    """Give a traceback that lost its line breaks the lines that it had."""
    at = text.find(_HEADER) + len(_HEADER)
    head, body = text[:at], text[at:]
    pieces = _BEGIN.split(body)
    if len(pieces) < 2 or pieces[0].strip():
        return [text]
    out = [head]
    for number, piece in enumerate(pieces[1:], 2):
        place = _PLACE.match(piece)
        if place is None:
            return [text]
        out.append("  " + place["place"])
        rest = piece[place.end() :].strip()
        raised = _RAISED.search(rest) if number == len(pieces) else None
        source = rest[: raised.start()].strip() if raised else rest
        if source:
            out.append("    " + source)
        if raised:
            out.append(rest[raised.start() :].strip())
    return out


def _unwrapped(lines: list[LogLine]) -> list[LogLine]:
    """Join lines that a screen cut at its width: a frame's own line tells that width."""
    out: list[LogLine] = []
    at = width = 0
    until = -1
    while at < len(lines):
        line = lines[at]
        if joined := _frame_of(lines, at):
            text, count = joined
            width, until = len(line.text), at + _FAR
            out.append(replace(line, text=text))
            at += count
            continue
        text, count = line.text, 1
        while at <= until and len(lines[at + count - 1].text) == width and at + count < len(lines):
            if not lines[at + count].text.strip() or _FRAME.match(lines[at + count].text):
                break
            text += lines[at + count].text
            count += 1
        out.append(line if count == 1 else replace(line, text=text))
        at += count
        if until >= at and _RAISED.match(text):
            until = -1
    return out


def _frame_of(lines: list[LogLine], at: int) -> tuple[str, int] | None:
    """Return the frame that begins on a line and ends on one of the next, and how many it takes."""
    text = lines[at].text
    if 'File "' not in text or len(text) < _NARROWEST:
        return None
    whole, begun = _FRAME.match(text), _BEGUN.match(text)
    if whole is None and not (begun and _REST.startswith(re.sub(r"\d+", "0", begun["rest"] or ""))):
        return None
    if whole and (whole["in"] or at + 1 >= len(lines) or not _GOES_ON.match(lines[at + 1].text)):
        return None
    for count in range(2, _MOST_PARTS + 1):
        if at + count > len(lines) or len(lines[at + count - 1].text) > _FAR:
            return None
        text += lines[at + count - 1].text
        match = _FRAME.match(text)
        if match and match["in"]:
            return text, count
    return None


HEADER = "Traceback (most recent call last):"
FEED = "\\n"
_CLOSING = re.compile(r"(?<!\\)\"")
"""What closes a stack that a quotation mark opens, as in JSON and logfmt; fields may follow."""
QUOTES = (('\\"', '"'), ("\\'", "'"), ("\\t", "\t"), ("\\\\", "\\"))
HTML_FRAME = ("File &quot;", "File &#34;", "&gt;&gt;&gt;")


NOTEBOOK_STACK = '"stack": "'
"""How VS Code begins the stack in the JSON object of a cell's error."""


def _notebook_error(lines: list[LogLine]) -> list[LogLine]:
    """Take the escapes off a stack that was copied as a field of JSON with real line breaks."""
    out: list[LogLine] = []
    inside = False
    for line in lines:
        text = line.text
        if text.lstrip().startswith(NOTEBOOK_STACK):
            inside, text = True, text.lstrip()[len(NOTEBOOK_STACK) :]
        elif inside and text.strip() == "}":
            inside = False
            if out and out[-1].text.endswith('"'):
                out[-1] = replace(out[-1], text=out[-1].text[:-1])
        if inside:
            for written, meant in QUOTES:
                text = text.replace(written, meant)
        elif text.lstrip().startswith(('{"name": "', '"name": "', '"message": "')):
            # The stack below says the same with its frames.
            text = ""
        out.append(line if text is line.text else replace(line, text=text))
    return out


def unescaped(lines: list[LogLine]) -> list[LogLine]:
    """Return the lines with stacks of one line taken apart; all parts keep its number."""
    if any(line.text.lstrip().startswith(NOTEBOOK_STACK) for line in lines):
        lines = _notebook_error(lines)
    page = any(mark in line.text for line in lines for mark in HTML_FRAME)
    if not page and not any(HEADER + FEED in line.text for line in lines):
        return lines
    out: list[LogLine] = []
    for line in lines:
        text = html.unescape(line.text) if page else line.text
        if HEADER + FEED not in text:
            out.append(replace(line, text=text))
            continue
        before, _, rest = text.partition(HEADER)
        parts = rest.split(FEED)
        head = [before] if before.strip(" \"'b[({:=,") else []
        closed = _CLOSING.search(parts[-1]) if before.endswith('"') else None
        if closed is not None:
            parts[-1] = parts[-1][: closed.start()]
        for part in [*head, HEADER, *parts[1:]]:
            for written, meant in QUOTES:
                part = part.replace(written, meant)
            out.append(replace(line, text=part))
        if closed is None:
            # What closes the string or the record is no part of the exception's message.
            out[-1] = replace(out[-1], text=out[-1].text.rstrip("\"'}]), "))
    return out
