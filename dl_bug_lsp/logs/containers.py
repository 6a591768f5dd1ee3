"""Logs inside JSON: lines of containers and loggers, notebooks, error files of torchrun.

Lines may be JSON objects (docker, structured loggers and collectors), or the whole text one
document (a notebook with its outputs, an error file).
"""

from __future__ import annotations

import json
import re
from typing import Any

from dl_bug_lsp.logs.log import LogLine, Process

_TEXT_KEYS = ("log", "message", "msg", "textPayload", "event", "text", "@message", "line", "body")
_TRACE_KEYS = (
    "exc_info", "exc_text", "exception", "traceback", "stack_trace", "stacktrace", "stack_info",
    "error.stack_trace", "stack",
)  # fmt: skip
_NEST_KEYS = ("jsonPayload", "record", "error", "exception", "fields", "record_exception")
_TRACED = re.compile(r"^(?:\s|[\w.]{1,200}(?:Error|Exception|Interrupt|Exit)\b)")
_MAX_LINE = 4_000_000


def unwrap_json_lines(lines: list[LogLine]) -> list[LogLine]:
    """Replace each line that is a JSON object with a text by the lines of that text.

    Docker splits long lines at 16 KiB: an object whose ``log`` has no line break at its end is
    continued by the next one. Numbers stay those of the JSON line.
    """
    out: list[LogLine] = []
    open_part: LogLine | None = None
    for line in lines:
        record = _object(line.text)
        text = None if record is None else _text_of(record)
        if record is None or text is None:
            if open_part is not None and line.text.strip():
                out.append(open_part)
                open_part = None
            if open_part is None:
                out.append(line)
            continue
        process = _process_of(record) or line.process
        if open_part is not None:
            text = open_part.text + text
        number = open_part.number if open_part is not None else line.number
        open_part = None
        whole = "log" not in record or "stream" not in record or text.endswith("\n")
        if not whole and len(text) >= 8192:
            open_part = LogLine(number, text, process)
            continue
        body = text.removesuffix("\n")
        out.extend(LogLine(number, part, process) for part in body.split("\n"))
    if open_part is not None:
        out.append(open_part)
    return out


def _object(text: str) -> dict[str, Any] | None:
    stripped = text.strip()
    if not stripped.startswith("{") or not stripped.endswith("}") or len(stripped) > _MAX_LINE:
        return None
    try:
        document = json.loads(stripped)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def _text_of(record: dict[str, Any], depth: int = 0) -> str | None:
    parts: list[str] = [record[key] for key in _TEXT_KEYS if isinstance(record.get(key), str)][:1]
    for key in _TRACE_KEYS:
        value = record.get(key)
        if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
            value = "\n".join(item.rstrip("\n") for item in value)
        if isinstance(value, str) and value.strip() and value not in parts:
            parts.append(value)
    if depth < 3:
        for key in _NEST_KEYS:
            inner = record.get(key)
            text = _text_of(inner, depth + 1) if isinstance(inner, dict) else None
            if text is not None and text not in parts:
                parts.append(text)
    level = record.get("levelname") or record.get("level") or record.get("severity")
    if not parts:
        return None
    first = parts[0]
    if isinstance(level, str) and level.isalpha() and "log" not in record and 'File "' not in first:
        traced = bool(_TRACED.match(first)) or "Traceback (most recent call last)" in first
        parts[0] = first if traced else f"{level.upper()}: {first}"
    return (
        "\n".join(part.removesuffix("\n") for part in parts[:-1])
        + ("\n" if len(parts) > 1 else "")
        + parts[-1]
    )


def _process_of(record: dict[str, Any]) -> Process | None:
    for key in ("rank", "global_rank", "RANK", "process_rank"):
        value = record.get(key)
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1_000_000:
            host = record.get("hostname") or record.get("host")
            return Process(value, host if isinstance(host, str) else None)
    for parent in ("kubernetes", "resource", "labels"):
        inner = record.get(parent)
        name = inner.get("pod_name") if isinstance(inner, dict) else None
        if isinstance(name, str):
            return Process(None, None, name)
    return None


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
