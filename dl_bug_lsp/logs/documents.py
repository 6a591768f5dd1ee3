"""Texts that are one JSON document: a notebook with its outputs, an error file of torchrun."""

from __future__ import annotations

import json
from typing import Any

from dl_bug_lsp.logs.values import LogLine

_MAX_SIZE = 64_000_000
_MAX_NODES = 200_000


def lines_of_document(text: str) -> list[LogLine] | None:
    """Return the lines of the tracebacks in a JSON document, or None where ``text`` is none.

    Numbers are those of the lines on which the strings begin, as far as they can be found.
    """
    stripped = text.strip()
    if (
        len(stripped) > _MAX_SIZE
        or not stripped
        or stripped[0] not in "{["
        or stripped[-1] not in "}]"
    ):
        return None
    if "raceback" not in stripped and "py_callstack" not in stripped:
        return None
    try:
        document = json.loads(stripped)
    except (ValueError, RecursionError):
        return None
    if (
        isinstance(document, dict)
        and "\n" not in stripped
        and ("log" in document or "msg" in document)
    ):
        return None
    strings = _tracebacks(document)
    if not strings:
        return None
    out: list[LogLine] = []
    at = 0
    for string in strings:
        at, number = _found(text, string, at)
        out.extend(LogLine(number, line) for line in string.split("\n"))
        out.append(LogLine(number, ""))
    return out


def _tracebacks(document: Any) -> list[str]:
    """Collect, in order, strings with tracebacks, and lists of strings that make up one."""
    out: list[str] = []
    stack, seen = [document], 0
    while stack and seen < _MAX_NODES:
        node = stack.pop()
        seen += 1
        if isinstance(node, dict):
            if isinstance(node.get("traceback"), list) and node.get("output_type") == "error":
                out.append(_notebook_error(node))
                continue
            stack.extend(reversed(list(node.values())))
        elif isinstance(node, list):
            if node and all(isinstance(item, str) for item in node):
                joined = "\n".join(item.rstrip("\n") for item in node)
                if "Traceback (most recent" in joined:
                    out.append(joined)
            else:
                stack.extend(reversed(node))
        elif isinstance(node, str) and "Traceback (most recent" in node:
            out.append(node)
    return out


def _notebook_error(node: dict[str, Any]) -> str:
    parts = [str(part) for part in node["traceback"]]
    return "\n".join(parts) if parts else f"{node.get('ename')}: {node.get('evalue')}"


def _found(text: str, string: str, start: int) -> tuple[int, int]:
    """Return where in ``text`` a string's first words stand, and the number of that line."""
    words = json.dumps(string.split("\n", 1)[0])[1:-1][:60]
    at = text.find(words, start)
    if at < 0:
        at = text.find(words)
    if at < 0:
        return start, text.count("\n", 0, start) + 1
    return at + len(words), text.count("\n", 0, at) + 1
