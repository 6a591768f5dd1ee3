"""Text for others: without the user's name and home folder, secrets and addresses.

Only what looks like a secret is taken out; code that handles one (``token = tokens[0]``) stays.
"""

from __future__ import annotations

import re

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
