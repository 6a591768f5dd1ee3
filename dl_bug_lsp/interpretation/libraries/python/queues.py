"""Heaps, queues, threads and locks of Python's standard library.

Source: Python's documentation of ``heapq``, ``queue``, ``multiprocessing`` and ``threading``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.model_helpers import nothing, thing
from dl_bug_lsp.interpretation.models import MODELS, Call, state_of
from dl_bug_lsp.interpretation.operators import MAX_ITEMS, NotPlain, plain
from dl_bug_lsp.interpretation.values import (
    Raised,
    Value,
    merged,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter


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
    data = call.held
    is_stack = data is not None and data.short == "LifoQueue"
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
del _name
