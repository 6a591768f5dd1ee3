"""Logs inside JSON: lines of containers and loggers, notebooks, error files of torchrun.

Lines may be JSON objects (docker, structured loggers and collectors), or the whole text one
document (a notebook with its outputs, an error file). Tracebacks stand in any field, as text or
taken apart into classes, messages and frames.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from dl_bug_lsp.logs.log import LogLine, Process

_TEXT_KEYS = ("log", "message", "msg", "textPayload", "event", "text", "@message", "line", "body")
_TRACE_KEYS = (
    "exc_info", "exc_text", "exception", "traceback", "stack_trace", "stacktrace", "stack_info",
    "error.stack_trace", "stack",
)  # fmt: skip
_NEST_KEYS = ("jsonPayload", "record", "error", "exception", "fields", "record_exception")
_TRACED = re.compile(r"^(?:\s|[\w.]{1,200}(?:Error|Exception|Interrupt|Exit)\b)")
_ERROR_KEYS = (
    "error", "err", "exc", "exception", "error.message", "exception.message", "errorMessage",
)  # fmt: skip
"""Fields beside the message that say in words what was wrong."""
_BAD = frozenset(("error", "err", "critical", "crit", "fatal", "panic", "dpanic", "severe"))
_NAMED = re.compile(r"[\w.]{1,200}(?:Error|Exception|Interrupt|Exit)(?:: |$)")
_MAX_LINE = 4_000_000
HEADER = "Traceback (most recent call last):"


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
    for stack in _stacks(record) if depth == 0 else ():
        if not any(HEADER in part or stack.strip() in part for part in parts):
            parts.append(stack)
    level = _level(record)
    _add_errors(record, parts, is_bad=isinstance(level, str) and level.lower() in _BAD)
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


def _level(record: dict[str, Any]) -> Any:
    keys = ("levelname", "level", "severity", "log.level", "severityText", "lvl")
    return next((record[key] for key in keys if record.get(key)), None)


def _add_errors(record: dict[str, Any], parts: list[str], *, is_bad: bool) -> None:
    """Add what a record says of its error beside its message, unless a stack says it.

    An exception gets a line of its own, other words go on with the message.
    """
    for key in _ERROR_KEYS:
        value = record.get(key)
        if not isinstance(value, str) or not value.strip() or len(value) > _LONGEST_ERROR:
            continue
        if any(value.strip() in part or HEADER in part for part in parts):
            continue
        if _NAMED.match(value) or (is_bad and not parts):
            parts.append(value)
        elif is_bad and "\n" not in parts[0]:
            parts[0] = f"{parts[0]}: {value}"


_LONGEST_ERROR = 4_000


# ---------------------------------------------------------------------- stacks in fields
_DEEPEST = 4
_TYPE_KEYS = ("exc_type", "errorType", "type", "kind", "class")
_VALUE_KEYS = ("exc_value", "errorMessage", "value", "message")
_FRAME_KEYS = ("frames", "stackTrace", "stacktrace", "stack", "traceback")
_FILE_KEYS = ("abs_path", "filename", "file", "path")
_LINE_KEYS = ("lineno", "line_number", "line")
_FUNCTION_KEYS = ("function", "name", "func", "method")
_SOURCE_KEYS = ("context_line", "line", "code", "source")
_CLASS = re.compile(r"[A-Za-z_][\w.]{0,200}$")
_CHAINS = {
    True: "The above exception was the direct cause of the following exception:",
    False: "During handling of the above exception, another exception occurred:",
}


def _stacks(node: Any, depth: int = 0) -> Iterator[str]:
    """Yield the tracebacks in the fields of a record, those taken apart written out again."""
    if isinstance(node, str):
        if HEADER in node:
            yield node
    elif isinstance(node, dict) and depth < _DEEPEST:
        written = written_out(node)
        if written is not None:
            yield written
            return
        for value in node.values():
            yield from _stacks(value, depth + 1)
    elif isinstance(node, list) and depth < _DEEPEST:
        chain = _chain(node)
        if chain is not None:
            yield chain
            return
        for value in node:
            yield from _stacks(value, depth + 1)


def _chain(nodes: Sequence[Any]) -> str | None:
    """Return exceptions that were logged as a list, the cause first; None for any other list.

    Of structlog and rich, which say of each whether it is the cause of the one before, the last is
    the first cause; Sentry begins with it.
    """
    written = [written_out(node) if isinstance(node, dict) else None for node in nodes]
    stacks = [text for text in written if text is not None]
    if not stacks or len(stacks) < len(nodes):
        return None
    links = [_CHAINS[node.get("is_cause") is not False] for node in nodes[1:]]
    if all("exc_type" in node for node in nodes):
        stacks.reverse()
        links.reverse()
    out = stacks[0]
    for link, text in zip(links, stacks[1:], strict=True):
        out += f"\n\n{link}\n\n{text}"
    return out


def written_out(node: dict[str, Any]) -> str | None:
    """Return the traceback of an exception that was logged as class, message and frames, if any.

    So do structlog, rich, Sentry and AWS Lambda.
    """
    type_ = _first(node, _TYPE_KEYS, str)
    frames = next((node[k] for k in _FRAME_KEYS if isinstance(node.get(k), (list, dict))), None)
    if isinstance(frames, dict):
        frames = frames.get("frames")
    if type_ is None or not _CLASS.match(type_) or not isinstance(frames, list):
        return None
    lines = [line for frame in frames for line in _frame_lines(frame)]
    if not lines:
        return None
    message = _first(node, _VALUE_KEYS, str)
    return "\n".join((HEADER, *lines, f"{type_}: {message}" if message else type_))


def _frame_lines(frame: Any) -> list[str]:
    """Return the lines of a frame that was logged by itself; none where it is something else."""
    if isinstance(frame, str):
        body = frame.strip()
        head, _, source = body.partition("\n")
        if not body.startswith('File "'):
            return []
        return [
            f"  {head}",
            *(f"    {line.strip()}" for line in source.split("\n") if line.strip()),
        ]
    if not isinstance(frame, dict):
        return []
    file, line = _first(frame, _FILE_KEYS, str), _first(frame, _LINE_KEYS, int)
    if file is None or line is None:
        return []
    function = _first(frame, _FUNCTION_KEYS, str)
    source = _first(frame, _SOURCE_KEYS, str)
    head = f'  File "{file}", line {line}' + (f", in {function}" if function else "")
    return [head, f"    {source.strip()}"] if source else [head]


def _first(node: dict[str, Any], keys: Sequence[str], type_: type) -> Any:
    """Return the value of the first of ``keys`` that has one of a type that is not empty."""
    values = (node.get(key) for key in keys)
    return next((v for v in values if isinstance(v, type_) and v and v is not True), None)


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
_STACK_WORDS = ("raceback", "py_callstack", '"frames"', '"stackTrace"')


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
    if not any(word in stripped for word in _STACK_WORDS):
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
            if (written := written_out(node)) is not None:
                out.append(written)
                continue
            stack.extend(reversed(list(node.values())))
        elif isinstance(node, list):
            if (chain := _chain(node)) is not None:
                out.append(chain)
            elif node and all(isinstance(item, str) for item in node):
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
