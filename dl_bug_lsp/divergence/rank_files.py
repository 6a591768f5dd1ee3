"""Files of one process each, as one text: stacks of py-spy, flight records, plain logs.

Everything becomes lines as `faulthandler` or a logger would print them, with the prefix of a rank,
so that one reader reads all. Formats: ``py-spy dump`` and ``py-spy dump --json``
(https://github.com/benfred/py-spy); PyTorch's flight recorder
(https://docs.pytorch.org/tutorials/unstable/flight_recorder_tutorial.html), as JSON or as a pickle.

Pickles (PyTorch's flight recorder writes its record as one) are read without unpickling: their
opcodes (see `pickletools`) are interpreted one by one. Those for containers, numbers and strings
are known, any other refuses the whole; no name is looked up and nothing is called.
"""

from __future__ import annotations

import json
import pickletools
import re
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any

# ---------------------------------------------------------------------- pickles of plain data
MOST_OPCODES = 4_000_000
_MARK = object()
_CONSTANTS = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False}
_VALUES = frozenset((
    "BININT", "BININT1", "BININT2", "LONG1", "LONG4", "INT", "LONG", "BINFLOAT", "FLOAT",
    "BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8", "UNICODE", "BINBYTES", "SHORT_BINBYTES",
))  # fmt: skip
_SKIPPED = frozenset(("PROTO", "FRAME"))


class NotPlainError(ValueError):
    """The pickle holds something else than plain data, or is broken."""


def read_plain(data: bytes) -> Any:
    """Return the dicts, lists, tuples, numbers and strings of a pickle; raises `NotPlainError`."""
    stack: list[Any] = []
    memo: dict[int, Any] = {}
    try:
        for count, (opcode, argument, _) in enumerate(pickletools.genops(data)):
            if count > MOST_OPCODES:
                raise NotPlainError("too long")
            if opcode.name == "STOP":
                (value,) = stack
                if value is _MARK:
                    break
                return value
            _step(opcode.name, argument, stack, memo)
    except NotPlainError:
        raise
    except Exception as error:
        raise NotPlainError(str(error)) from None
    raise NotPlainError("no end")


def _step(name: str, argument: Any, stack: list[Any], memo: dict[int, Any]) -> None:
    if name in _VALUES:
        stack.append(argument)
    elif name in _CONSTANTS:
        stack.append(_CONSTANTS[name])
    elif name == "MARK":
        stack.append(_MARK)
    elif name in ("EMPTY_DICT", "EMPTY_LIST", "EMPTY_TUPLE"):
        stack.append({} if name == "EMPTY_DICT" else [] if name == "EMPTY_LIST" else ())
    elif name in ("TUPLE1", "TUPLE2", "TUPLE3"):
        size = int(name[-1])
        stack[-size:] = [tuple(_popped(stack[-size:], size))]
    elif name in ("TUPLE", "LIST", "DICT"):
        items = _to_mark(stack)
        stack.append(
            tuple(items) if name == "TUPLE" else items if name == "LIST" else _pairs(items)
        )
    elif name in ("APPEND", "APPENDS"):
        items = _to_mark(stack) if name == "APPENDS" else _popped([stack.pop()], 1)
        stack[-1].extend(items) if type(stack[-1]) is list else _refuse(name)
    elif name in ("SETITEM", "SETITEMS"):
        items = _to_mark(stack) if name == "SETITEMS" else _popped([stack.pop(), stack.pop()], 2)
        if name == "SETITEM":
            items.reverse()
        stack[-1].update(_pairs(items)) if type(stack[-1]) is dict else _refuse(name)
    elif name in ("MEMOIZE", "BINPUT", "LONG_BINPUT", "PUT"):
        memo[len(memo) if name == "MEMOIZE" else argument] = _popped(stack[-1:], 1)[0]
    elif name in ("BINGET", "LONG_BINGET", "GET"):
        stack.append(memo[argument])
    elif name not in _SKIPPED:
        _refuse(name)


def _to_mark(stack: list[Any]) -> list[Any]:
    items: list[Any] = []
    while (item := stack.pop()) is not _MARK:
        items.append(item)
    items.reverse()
    return items


def _popped(items: list[Any], size: int) -> list[Any]:
    if len(items) != size or any(item is _MARK for item in items):
        _refuse("order")
    return items


def _pairs(items: list[Any]) -> dict[Any, Any]:
    if len(items) % 2 or not all(isinstance(key, (str, int, tuple)) for key in items[::2]):
        _refuse("keys")
    return dict(zip(items[::2], items[1::2], strict=True))


def _refuse(what: str) -> None:
    raise NotPlainError(f"not plain data ({what})")


# ---------------------------------------------------------------------- flight records
_LARGEST = 64_000_000
_LONGEST_LINE = 4096
_MOST_ENTRIES = 20_000
_MOST_FRAMES = 500
_MOST_RANKS = 4096
_NAMED_RANK = re.compile(r"(?:rank|worker|proc|process|task)[._-]?(\d{1,5})|(\d{1,5})", re.I)
_SPY_PROCESS = re.compile(r"^Process (\d+): (.*)$")
_SPY_THREAD = re.compile(
    r'^Thread (?P<id>0x[0-9A-Fa-f]+|\d+)(?: \((?P<state>[\w+ ]+)\))?(?:: "(?P<name>[^"]*)")?$'
)
_SPY_FRAME = re.compile(r"^ {4}(?P<function>\S.*?) \((?P<file>[^()]+):(?P<line>\d+)\)$")
_OUR_PREFIX = re.compile(rb"(?m)^\[(?:default|rank) ?:? ?\d+\]")


def transcript(data: bytes) -> bytes | None:
    """Return what a stack dump or a flight record says as lines of a log; None for other data."""
    if len(data) > _LARGEST or not data:
        return None
    if data[:1] == b"\x80":
        try:
            return _flight_record(read_plain(data))
        except NotPlainError:
            return None
    head = data.lstrip()[:1]
    if head in (b"{", b"["):
        if b"entries" not in data and b'"frames"' not in data:
            return None
        try:
            document = json.loads(data)
        except (ValueError, RecursionError):
            return None
        return _spy_document(document) if head == b"[" else _flight_record(document)
    if b"Process " in data and b"Thread " in data and b"Python v" in data:
        return _spy_text(data.decode("utf-8", "replace"))
    return None


def joined(files: Sequence[tuple[str, bytes]]) -> bytes:
    """Return several processes' files as one text; the rank is the number in a file's name.

    Where names tell none, the files are numbered as they come.
    """
    ranks = ranks_of([name for name, _ in files])
    parts = []
    for rank, (_, data) in zip(ranks, files, strict=True):
        text = transcript(data)
        text = data if text is None else text
        if _OUR_PREFIX.search(text):
            parts.append(text.rstrip(b"\n"))
            continue
        prefix = b"[rank%d]: " % rank
        parts.append(b"\n".join(prefix + line for line in text.rstrip(b"\n").split(b"\n")))
    return b"\n".join((*parts, b""))


def ranks_of(names: Sequence[str]) -> list[int]:
    """Return the rank that each file's name tells, else its place."""
    ranks: list[int] = []
    for name in names:
        words = PurePath(name)
        # torchrun's --log-dir has a folder a rank: attempt_0/1/stderr.log.
        match = None
        for part in (words.stem if words.suffix != "" else words.name, words.parent.name):
            every = list(_NAMED_RANK.finditer(part))
            match = next((m for m in every if m[1]), every[-1] if every else None)
            if match is not None:
                break
        if match is None:
            return list(range(len(names)))
        ranks.append(int(match[1] or match[2]))
    return ranks if len(set(ranks)) == len(ranks) else list(range(len(names)))


def _lines(lines: Iterator[str]) -> bytes | None:
    text = "\n".join(lines)
    return (text + "\n").encode("utf-8", "replace") if text else None


def _spy_text(text: str) -> bytes | None:
    """Rewrite `py-spy dump`, which already has the innermost frame first."""

    def lines() -> Iterator[str]:
        for raw in text.splitlines():
            if len(raw) > _LONGEST_LINE:
                continue
            if process := _SPY_PROCESS.match(raw):
                yield f"[py-spy] stacks of process {process[1]}: {process[2]}"
            elif thread := _SPY_THREAD.match(raw):
                yield _thread(thread["id"], thread["name"])
            elif frame := _SPY_FRAME.match(raw):
                yield _frame(frame["file"], frame["line"], frame["function"])

    return _lines(lines())


def _spy_document(document: Any) -> bytes | None:
    """Rewrite `py-spy dump --json`: a list of threads."""

    def lines() -> Iterator[str]:
        pid = None
        for thread in document[:1000]:
            if not isinstance(thread, dict) or not isinstance(thread.get("frames"), list):
                continue
            if thread.get("pid") != pid:
                pid = thread.get("pid")
                yield f"[py-spy] stacks of process {pid}"
            yield _thread(thread.get("thread_id"), thread.get("thread_name"))
            for frame in thread["frames"][:_MOST_FRAMES]:
                if isinstance(frame, dict):
                    yield _frame(frame.get("filename"), frame.get("line"), frame.get("name"))

    return _lines(lines()) if isinstance(document, list) else None


def _thread(identity: object, name: object) -> str:
    known = str(identity)
    number = int(known, 16 if known.startswith("0x") else 10) if known[:12].isalnum() else 0
    called = f" [{_one_line(name)}]" if isinstance(name, str) and name else ""
    return f"Thread 0x{number & (1 << 64) - 1:016x}{called} (most recent call first):"


def _frame(file: object, line: object, function: object) -> str:
    return f'  File "{_one_line(file)}", line {_one_line(line)} in {_one_line(function)}'


def _one_line(value: object) -> str:
    return " ".join(str(value).split())[:1000]


def _flight_record(document: Any) -> bytes | None:
    """Write each collective of a flight record, in the order in which they were begun."""
    if not isinstance(document, dict) or not isinstance(document.get("entries"), list):
        return None

    def lines() -> Iterator[str]:
        groups = document.get("pg_config")
        ranks = _members(groups) if isinstance(groups, dict) else ()
        yield f"[flight recorder] ranks {' '.join(map(str, ranks)) or 'unknown'}"
        entries = [e for e in document["entries"] if isinstance(e, dict)]
        for entry in entries[-_MOST_ENTRIES:]:
            group = entry.get("process_group")
            named = "/".join(map(_one_line, group)) if isinstance(group, (list, tuple)) else "-"
            yield (
                f"[flight recorder] {_one_line(entry.get('profiling_name', '?'))}"
                f" seq={_one_line(entry.get('collective_seq_id', '?'))}"
                f" p2p={bool(entry.get('is_p2p', False))}"
                f" state={_one_line(entry.get('state', '?'))}"
                f" retired={bool(entry.get('retired', False))}"
                f" group={named.replace(' ', '_')}"
                f" sizes={_plain(entry.get('input_sizes'))}"
                f" dtypes={_plain(entry.get('input_dtypes'))}"
            )
            frames = entry.get("frames")
            for frame in frames[:_MOST_FRAMES] if isinstance(frames, list) else ():
                if isinstance(frame, dict):
                    yield _frame(frame.get("filename"), frame.get("line"), frame.get("name"))

    return _lines(lines())


def _members(groups: dict[Any, Any]) -> tuple[int, ...]:
    """Return the ranks of the largest group."""
    best: tuple[int, ...] = ()
    for group in list(groups.values())[:1000]:
        text = str(group.get("ranks", ""))[:100_000] if isinstance(group, dict) else ""
        ranks = tuple(int(n) for n in re.findall(r"\d{1,5}", text)[:_MOST_RANKS])
        best = max(best, ranks, key=len)
    return best


def _plain(value: object) -> str:
    """Return sizes or dtypes in few words, nested at most twice."""
    if isinstance(value, (list, tuple)):
        parts = [
            "[" + ",".join(_one_line(n) for n in v[:16]) + "]"
            if isinstance(v, (list, tuple))
            else _one_line(v)
            for v in value[:16]
        ]
        return "[" + ",".join(parts).replace(" ", "") + "]"
    return "?"
