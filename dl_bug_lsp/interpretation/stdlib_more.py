"""More of the standard library: pure functions, heaps, queues, patterns, dates, temporary files.

Sources: Python's documentation of ``heapq``, ``bisect``, ``statistics``, ``queue``, ``re``,
``datetime``, ``textwrap``, ``hashlib``, ``tempfile`` and ``threading``.
"""

from __future__ import annotations

import bisect
import datetime
import json
import re
import statistics
import textwrap
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.model_helpers import listed, nothing, thing, with_origins
from dl_bug_lsp.interpretation.models import MODELS, Call, state_of
from dl_bug_lsp.interpretation.operators import MAX_ITEMS, MAX_TEXT, NotPlain, lifted, plain
from dl_bug_lsp.interpretation.values import (
    Lazy,
    LibraryObject,
    Raised,
    Value,
    merged,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

# --- functions that depend on nothing but what they are given -------------------------------------

PURE: dict[str, Callable[..., object]] = {
    **{f"bisect.{n}": getattr(bisect, n) for n in ("bisect", "bisect_left", "bisect_right")},
    **{f"textwrap.{n}": getattr(textwrap, n) for n in ("dedent", "indent", "shorten", "wrap")},
    "textwrap.fill": textwrap.fill,
}
OF_NUMBERS = ("mean", "fmean", "stdev", "pstdev", "variance", "pvariance", "median")
MOST_NUMBERS = 2_000


def _pure(_: Interpreter, call: Call) -> Value:
    try:
        given = [plain(arg) for arg in call.args]
        named = {name: plain(value) for name, value in call.keywords.items()}
    except NotPlain:
        return call.unknown()
    if any(isinstance(g, str) and len(g) > MAX_TEXT for g in given):
        return call.unknown()
    return lifted(PURE[call.name](*given, **named), *call.args)


MODELS.function(*PURE)(_pure)


@MODELS.function(*(f"statistics.{name}" for name in OF_NUMBERS))
def _statistic(interpreter: Interpreter, call: Call) -> Value:
    items = listed(interpreter, call.given(0, "data"))
    if items is None:
        return arrays.number("float64", *call.args)
    if not items:
        raise Raised("value", f"{call.name} requires at least one data point", *call.args)
    try:
        numbers = [plain(item) for item in items[: MOST_NUMBERS + 1]]
        if len(numbers) > MOST_NUMBERS or call.keywords or len(call.args) > 1:
            return arrays.number("float64", *call.args)
        function = getattr(statistics, call.name.rpartition(".")[2])
        return lifted(function(numbers), *call.args, *items[:24])
    except NotPlain:
        return arrays.number("float64", *call.args)
    except statistics.StatisticsError as error:
        raise Raised("value", str(error), *call.args) from None


@MODELS.function("json.dumps", "orjson.dumps", "ujson.dumps")
def _dumped(_: Interpreter, call: Call) -> Value:
    options = {"indent", "sort_keys", "ensure_ascii"}
    if call.name != "json.dumps" or len(call.args) != 1 or call.keywords.keys() - options:
        return call.unknown()
    try:
        data = plain(call.args[0])
        named = {name: plain(value) for name, value in call.keywords.items()}
        text = json.dumps(data, **named)
    except (NotPlain, TypeError, ValueError):
        return call.unknown()
    return lifted(text, *call.args) if len(text) <= MAX_TEXT else call.unknown()


HASHES = ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "blake2b", "blake2s")


@MODELS.function(*(f"hashlib.{name}" for name in HASHES))
def _hash(_: Interpreter, call: Call) -> Value:
    return thing("hashlib.HASH", call)


MODELS.method("HASH", "update")(nothing)
MODELS.function("gc.collect")(lambda _, call: arrays.number("int64"))


# --- heaps and queues -----------------------------------------------------------------------------


def _smallest(items: list[Value]) -> int | None:
    """Return the place of the smallest item, None where that is not known."""
    try:
        keys = [plain(item) for item in items]
        return min(range(len(keys)), key=keys.__getitem__)
    except (NotPlain, TypeError):
        return None


@MODELS.function("heapq.heappush", "heapq.heappop", "heapq.heapify", "heapq.heappushpop")
@MODELS.function("heapq.heapreplace")
def _heap(_: Interpreter, call: Call) -> Value:
    """Keep a heap's list with its smallest item first; the order of the rest is not followed."""
    name = call.name.rpartition(".")[2]
    heap = call.given(0, "heap")
    if heap is None or not isinstance(heap.data, list):
        return call.unknown()
    items = heap.data
    if name in ("heappush", "heappushpop") and len(call.args) > 1 and len(items) < MAX_ITEMS:
        items.append(call.args[1])
    taken: Value = Value(None)
    if name in ("heappop", "heappushpop", "heapreplace"):
        if not items:
            raise Raised("index", "index out of range", heap)
        at = _smallest(items)
        taken = items.pop(at or 0)
        taken = unknown(taken) if at is None else taken
    if name == "heapreplace" and len(call.args) > 1:
        items.append(call.args[1])
    first = _smallest(items) if items else None
    if first:
        items.insert(0, items.pop(first))
    return taken


@MODELS.function("heapq.nsmallest", "heapq.nlargest")
def _several(interpreter: Interpreter, call: Call) -> Value:
    count, items = call.given(0, "n"), call.given(1, "iterable")
    if count is None or items is None:
        return call.unknown()
    backwards = {"reverse": Value(True)} if call.name.endswith("nlargest") else {}
    key = call.given(2, "key")
    keys = {"key": key} if key is not None and key.data is not None else {}
    model = MODELS.functions["builtins.sorted"]
    inner_call = Call("builtins.sorted", (items,), {**backwards, **keys}, call.place)
    output = interpreter.apply(model, inner_call)
    number = arrays.size(count)
    if not isinstance(output.data, list) or number is None:
        return call.unknown()
    return Value(output.data[: max(number, 0)], merged(*call.args))


QUEUES = ("Queue", "SimpleQueue", "LifoQueue", "JoinableQueue")


@MODELS.function(
    *(f"queue.{name}" for name in QUEUES), *(f"multiprocessing.{name}" for name in QUEUES)
)
def _queue(_: Interpreter, call: Call) -> Value:
    return thing(call.name, call, items=Value([]))


def _queued(call: Call) -> list[Value] | None:
    held = (state_of(call.receiver) or {}).get("items")
    return held.data if held is not None and isinstance(held.data, list) else None


def _put(_: Interpreter, call: Call) -> Value:
    items, item = _queued(call), call.given(0, "item", "obj")
    if items is not None and item is not None and len(items) < MAX_ITEMS:
        items.append(item)
    return Value(None)


def _got(_: Interpreter, call: Call) -> Value:
    items = _queued(call)
    if not items:
        return call.unknown()
    data = None if call.receiver is None else call.receiver.data
    is_stack = isinstance(data, LibraryObject) and data.short == "LifoQueue"
    return items.pop() if is_stack else items.pop(0)


def _measured(_: Interpreter, call: Call) -> Value:
    items = _queued(call)
    if items is None:
        return call.unknown()
    return Value(len(items) if call.name == "qsize" else not items)


for _name in QUEUES:
    MODELS.method(_name, "put", "put_nowait")(_put)
    MODELS.method(_name, "get", "get_nowait")(_got)
    MODELS.method(_name, "qsize", "empty")(_measured)
    MODELS.method(_name, "task_done", "join", "close", "join_thread")(nothing)
for _name in ("Thread", "Process"):
    MODELS.method(_name, "join", "close", "terminate")(nothing)
MODELS.method("instance", "join")(nothing)
for _name in ("Lock", "RLock", "Semaphore", "Condition"):
    MODELS.method(_name, "release", "notify", "notify_all")(nothing)
    MODELS.method(_name, "acquire")(lambda _, call: Value(True))
MODELS.method("Event", "set", "clear")(nothing)


# --- patterns -------------------------------------------------------------------------------------

MOST_TEXT = 2_000
METHODS = ("findall", "split", "sub", "match", "search", "fullmatch", "finditer")
QUANTIFIED_GROUP = re.compile(r"\)[*+{?]")


def is_quick(pattern: str, text: str) -> bool:
    """Whether a pattern takes little time on a text: no group repeats, two repetitions at most."""
    if len(text) > MOST_TEXT or len(pattern) > MOST_TEXT or QUANTIFIED_GROUP.search(pattern):
        return False
    repeated = sum(pattern.count(mark) for mark in "*+{")
    return repeated <= (1 if len(text) > MOST_TEXT // 4 else 2) and "\\" + "1" not in pattern


@MODELS.function("re.compile")
def _compiled(_: Interpreter, call: Call) -> Value:
    pattern, flags = call.given(0, "pattern"), call.given(1, "flags")
    if pattern is None or not isinstance(pattern.data, str):
        return call.unknown()
    try:
        re.compile(pattern.data)
    except (re.error, RecursionError) as error:
        raise Raised("value", str(error), pattern) from None
    plain_flags = Value(None) if flags is None else flags
    return thing("re.Pattern", call, pattern=pattern, flags=plain_flags)


def _applied(call: Call, name: str, pattern: Value, args: tuple[Value, ...]) -> Value:
    """Return what a function of ``re`` gives for plain texts."""
    texts = [arg.data for arg in args]
    source = pattern.data
    count = 2 if name == "sub" else 1
    known = len(texts) == count and all(isinstance(t, str) for t in texts) and not call.keywords
    if not known or not isinstance(source, str) or not is_quick(source, str(texts[-1])):
        return unknown(pattern, *args)
    parts = (pattern, *args)
    matches = getattr(re, name)(source, *texts)
    if name in ("match", "search", "fullmatch"):
        return _match(call, matches, parts)
    if name == "finditer":
        return Value([_match(call, matche, parts) for matche in matches], merged(*parts))
    return with_origins(matches, merged(*parts))


def _match(call: Call, match: re.Match[str] | None, parts: tuple[Value, ...]) -> Value:
    origins = merged(*parts)
    if match is None:
        return Value(None, origins)
    groups = with_origins([match.group(0), *match.groups()], origins)
    named = with_origins(match.groupdict(), origins)
    span = with_origins(list(match.span()), origins)
    data = LibraryObject(
        "re.Match", (), {}, call.place, {"all": groups, "named": named, "at": span}
    )
    return Value(data, origins)


@MODELS.method("Pattern", *METHODS)
def _by_pattern(_: Interpreter, call: Call) -> Value:
    state = state_of(call.receiver) or {}
    flags = state.get("flags")
    if "pattern" not in state or flags is None or flags.data is not None:
        return call.unknown()
    return _applied(call, call.name, state["pattern"], call.args)


@MODELS.function("re.match", "re.search", "re.fullmatch", "re.finditer")
def _by_function(_: Interpreter, call: Call) -> Value:
    if len(call.args) != 2:
        return call.unknown()
    return _applied(call, call.name.rpartition(".")[2], call.args[0], call.args[1:])


@MODELS.method("Match", "group", "groups", "groupdict", "start", "end", "span", "__getitem__")
def _of_match(_: Interpreter, call: Call) -> Value:
    state = state_of(call.receiver) or {}
    groups, named, span = (state.get(name) for name in ("all", "named", "at"))
    if groups is None or named is None or span is None or not isinstance(groups.data, list):
        return call.unknown()
    if call.name == "groups":
        return Value(tuple(groups.data[1:]), groups.origins)
    if call.name == "groupdict":
        return named
    if call.name in ("start", "end", "span"):
        if call.args or not isinstance(span.data, list):
            return call.unknown()
        ends = {"start": span.data[0], "end": span.data[1]}
        return ends.get(call.name) or Value(tuple(span.data), span.origins)
    groups_asked = [_group(groups.data, named.data, key.data) for key in call.args or (Value(0),)]
    known = [item for item in groups_asked if item is not None]
    if len(known) != len(groups_asked):
        return call.unknown()
    return known[0] if len(known) == 1 else Value(tuple(known), groups.origins)


def _group(groups: list[Value], named: object, key: object) -> Value | None:
    if isinstance(key, str) and isinstance(named, dict):
        return named.get(key)
    return groups[key] if isinstance(key, int) and 0 <= key < len(groups) else None


# --- dates and temporary files --------------------------------------------------------------------

NOW = ("now", "today", "utcnow", "fromtimestamp")


@MODELS.function(*(f"datetime.datetime.{name}" for name in NOW), "datetime.date.today")
def _now(_: Interpreter, call: Call) -> Value:
    return thing("datetime.datetime", call)


@MODELS.method("datetime", "strftime", "isoformat", "ctime")
@MODELS.method("date", "strftime", "isoformat")
def _formatted(_: Interpreter, call: Call) -> Value:
    moment = _moment(call.receiver)
    try:
        given = [plain(arg) for arg in call.args]
    except NotPlain:
        return call.unknown()
    if moment is None or call.keywords:
        return call.unknown()
    return lifted(getattr(moment, call.name)(*given), *call.args)


def _moment(value: Value | None) -> datetime.datetime | None:
    """Return the date that an object was made with, None where it is not known."""
    data = None if value is None else value.data
    if not isinstance(data, LibraryObject) or not data.args:
        return None
    try:
        numbers = [plain(arg) for arg in data.args]
        named: Mapping[str, int] = {name: plain(v) for name, v in data.keywords.items()}
        return datetime.datetime(*numbers, **named)  # type: ignore[arg-type]
    except (NotPlain, TypeError, ValueError):
        return None


@MODELS.method("datetime", "timestamp")
@MODELS.method("timedelta", "total_seconds")
def _seconds(_: Interpreter, call: Call) -> Value:
    return arrays.number("float64", *([call.receiver] if call.receiver is not None else []))


@MODELS.function("itertools.accumulate")
def _accumulated(interpreter: Interpreter, call: Call) -> Value:
    items = listed(interpreter, call.given(0, "iterable"))
    if items is None or len(call.args) != 1 or call.keywords or not items:
        return call.unknown() if items is None or items else Value([])
    total, totals = items[0], [items[0]]
    for item in items[1:MAX_ITEMS]:
        try:
            total = lifted(plain(total) + plain(item), total, item)
        except (NotPlain, TypeError):
            return Value(Lazy(unknown(*items[:24]), Value(len(items))))
        totals.append(total)
    return Value(totals, merged(*call.args))


del _name
