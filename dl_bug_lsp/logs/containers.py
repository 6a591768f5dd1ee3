"""Logs whose lines are JSON objects: docker's, and those of structured loggers and collectors."""

from __future__ import annotations

import json
import re
from typing import Any

from dl_bug_lsp.logs.values import LogLine, Process

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
        found = json.loads(stripped)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


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
