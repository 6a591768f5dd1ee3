"""Makes text from logs safe to show, and safe to hand to others.

What could steer a terminal or hide is spelled out. `redacted` takes out the user's name and home
folder, secrets and addresses. Only what looks like a secret is taken out; code that handles one
(``token = tokens[0]``) stays.
"""

from __future__ import annotations

import re
import unicodedata

_TURNING = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_HIDDEN = re.compile(
    "[\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]"
)
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def escape(text: str, *, keep_newlines: bool = False) -> str:
    r"""Return ``text`` with control, format, private and surrogate characters written as ``\x1b``.

    Bidirectional overrides and zero-width characters are format characters, so they show as well.
    Spaces of any width become a blank, a tab becomes four; line breaks are kept only where asked.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown(char, keep_newlines) for char in text.replace("\r\n", "\n"))


def _shown(char: str, keep_newlines: bool) -> str:
    if char.isprintable():
        return char
    if char == "\n" and keep_newlines:
        return char
    if char == "\t":
        return "    "
    if unicodedata.category(char) == "Zs":
        return " "
    return char.encode("unicode_escape").decode("ascii")


def one_line(text: str, longest: int = 400) -> str:
    """Return the first line of ``text`` that says something, escaped and bounded."""
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return shorten(escape(first), longest)


def shorten(text: str, longest: int) -> str:
    """Cut the middle out of a text of more than ``longest`` characters."""
    if len(text) <= longest:
        return text
    head = (longest - 1) * 2 // 3
    return f"{text[:head]}…{text[len(text) - (longest - 1 - head) :]}"


_SENTENCE_END = re.compile(r"[.!?](?=\s+[^\sa-z])")


def whole_sentences(text: str, longest: int) -> str:
    """Cut a text at the end of the last sentence that fits, in code nowhere; else like `shorten`.

    What stands in the middle of a sentence may turn its sense around.
    """
    if len(text) <= longest:
        return text
    ends = [
        match.end()
        for match in _SENTENCE_END.finditer(text, 0, longest)
        if text.count("`", 0, match.end()) % 2 == 0
    ]
    return text[: ends[-1]] if ends else shorten(text, longest)


def well_formed(text: str) -> str:
    """Replace lone surrogates, which no strict reader of UTF-8 or JSON accepts."""
    if text.isascii():
        return text
    return "".join(REPLACEMENT if "\ud800" <= char <= "\udfff" else char for char in text)


def in_order(text: str) -> str:
    r"""Return a well-formed text with what turns around the order in which it is shown spelled out.

    Editors show what stands in a report's JSON: ``\u202e`` is written as six letters there.
    """
    if text.isascii():
        return text
    return _TURNING.sub(lambda m: m[0].encode("unicode_escape").decode("ascii"), well_formed(text))


def ascii_json(text: str) -> str:
    r"""Return a JSON text in which ``\u`` escapes stand for what is not seen or turns it around."""
    return _HIDDEN.sub(_utf16, text)


def _utf16(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


REMOVED = "[removed]"

_WHOLE = re.compile(
    r"\b(?:hf|sk|pk|rk|npm|pypi|dop|gh[pousr]|github_pat|glpat|xox[abprs]|wandb)[-_][A-Za-z0-9_-]{16,}"
    r"|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"
    r"|\bAIza[0-9A-Za-z_-]{35}"
    r"|\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{5,}"
    r"|(?<![\w/+=])[A-Za-z0-9+/]{64,}={0,2}(?![\w/+=])"
    r"|\b[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,4}\.[A-Za-z]{2,}\b"
)
"""Keys by their prefix, JSON web tokens, long base64, addresses of mail."""
_IN_ADDRESS = re.compile(r"(://)[^/\s:@`]{1,200}:[^/\s@`]{1,200}@")
_BEARER = re.compile(r"(\b(?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{12,}", re.IGNORECASE)
_NAMED = re.compile(
    r"((?<![A-Za-z])(?:(?:api|access|secret|private|auth|account)[_-]?key|secret|credentials?"
    r"|(?:[a-z]{1,20}[_-])?token|passwd|password|passphrase|pwd)"
    r"[\"']?\s{0,4}[:=]\s{0,4})(?:([\"'])([^\"'\n`]{6,200})|()([^\s\"'`,;]{6,200}))",
    re.IGNORECASE,
)
_CODE = re.compile(r"[A-Za-z_]\w*(?:[.(\[]|$)|\$\{|<|None\b|True\b|False\b")
"""How a value begins that is an expression or a placeholder and no secret."""
_HOMES = re.compile(r"((?:/home/|/Users/|\b[A-Za-z]:[\\/]Users[\\/]))[^/\\\s:\"'`<>|]+")


def redacted(text: str, home: str = "") -> str:
    """Return a line without secrets; ``home``, a folder's path, becomes ``~``.

    The names of other users' home folders become ``user``. Line breaks and fences stay.
    """
    if len(home) > 1:
        text = re.sub(rf"{re.escape(home)}(?![\w.-])", "~", text)
    text = _HOMES.sub(r"\1user", text)
    text = _IN_ADDRESS.sub(rf"\1{REMOVED}@", text)
    text = _WHOLE.sub(REMOVED, text)
    text = _BEARER.sub(rf"\1{REMOVED}", text)
    return _NAMED.sub(_without_value, text)


def _without_value(match: re.Match[str]) -> str:
    name = match[1]
    quote, value = (match[2], match[3]) if match[2] else ("", match[5])
    if value == REMOVED or not _is_secret(name.lower(), quote, value):
        return match[0]
    return f"{name}{quote}{REMOVED}"


def _is_secret(name: str, quote: str, value: str) -> bool:
    if quote:
        return True
    has_digit = any(char.isdigit() for char in value)
    has_letter = any(char.isalpha() for char in value)
    if "pass" in name or "pwd" in name or "secret" in name:
        return _CODE.match(value) is None or (has_digit and value.isalnum())
    return has_digit and has_letter and not re.search(r"[.(\[]", value)
