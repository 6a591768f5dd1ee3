"""Work that is handed to others: processes, threads, futures, joblib, Ray; wrapped PyTorch models.

What is handed over is done at once, in the order in which it is handed over.

Sources: Python's documentation of ``multiprocessing``, ``concurrent.futures``, ``threading`` and
``asyncio``; joblib's, Ray's, Accelerate's and Lightning Fabric's; PyTorch's of ``DataParallel`` and
``DistributedDataParallel``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation.model_helpers import first_argument, itself
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Lazy,
    LibraryObject,
    Origin,
    Value,
    merged,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

MAX_TASKS = 64
"""Tasks of one call that are followed; the others give what the last of them gave."""


def _object(name: str, call: Call, **state: Value) -> Value:
    data = LibraryObject(name, call.args, dict(call.keywords), call.place, dict(state))
    return Value(data, merged(*call.args, *call.keywords.values()))


def _given(call: Call, position: int, name: str) -> tuple[Value, ...]:
    value = call.given(position, name)
    if value is None or not isinstance(value.data, (list, tuple)):
        return ()
    return tuple(value.data)


# --- mapping a function over items ----------------------------------------------------------------


def _mapped(
    interpreter: Interpreter,
    function: Value,
    rows: Value,
    place: Origin,
    spread: bool = False,
    others: Sequence[Value] = (),
) -> Value:
    """Return the list of what a function gives for each item."""
    columns = [interpreter.iterate(item) for item in (rows, *others)]
    if any(isinstance(item, Lazy) for item in columns):
        firsts = [
            item.item if isinstance(item, Lazy) else item[0] if item else Value(UNKNOWN)
            for item in columns
        ]
        length = next(item.length for item in columns if isinstance(item, Lazy))
        return Value(Lazy(_applied(interpreter, function, firsts, place, spread), length))
    lists = [item for item in columns if isinstance(item, list)]
    tasks = list(zip(*lists, strict=False))
    results = [_applied(interpreter, function, task, place, spread) for task in tasks[:MAX_TASKS]]
    results.extend(results[-1:] * (len(tasks) - len(results)))
    return Value(results, rows.origins)


def _applied(
    interpreter: Interpreter, function: Value, task: Sequence[Value], place: Origin, spread: bool
) -> Value:
    given = tuple(task)
    if spread and len(given) == 1:
        items = interpreter.iterate(given[0])
        if isinstance(items, Lazy):
            return unknown(function, *given)
        given = tuple(items)
    return interpreter.call(function, given, {}, place)


POOLS = ("Pool", "ThreadPool", "ProcessPoolExecutor", "ThreadPoolExecutor", "Executor")


@MODELS.function("multiprocessing.get_context")
def _context(_: Interpreter, call: Call) -> Value:
    return _object("multiprocessing.context.BaseContext", call)


@MODELS.method("BaseContext", "Pool")
def _context_pool(_: Interpreter, call: Call) -> Value:
    return _object("multiprocessing.Pool", call)


@MODELS.method("BaseContext", "Process")
def _context_process(_: Interpreter, call: Call) -> Value:
    return _object("multiprocessing.Process", call)


def _map(interpreter: Interpreter, call: Call) -> Value:
    if len(call.args) < 2:
        return call.unknown()
    spread = call.name.startswith("starmap")
    others = () if spread or not _is_executor(call) else call.args[2:]
    return _mapped(interpreter, call.args[0], call.args[1], call.place, spread, others)


def _is_executor(call: Call) -> bool:
    data = call.held
    return data is not None and data.short.endswith("Executor")


def _submitted(interpreter: Interpreter, call: Call) -> Value:
    """Model ``submit(function, ...)`` and ``apply_async(function, args, kwds)``."""
    if not call.args:
        return call.unknown()
    if call.name == "submit":
        result = interpreter.call(call.args[0], call.args[1:], call.keywords, call.place)
        return _object("concurrent.futures.Future", call, given_back=result)
    named = call.given(2, "kwds")
    keywords = named.data if named is not None and isinstance(named.data, dict) else {}
    given = _given(call, 1, "args")
    result = interpreter.call(call.args[0], given, keywords, call.place)
    if call.name == "apply":
        return result
    return _object("multiprocessing.pool.AsyncResult", call, given_back=result)


for _pool in POOLS:
    MODELS.method(_pool, "map", "imap", "imap_unordered", "starmap")(_map)
    MODELS.method(_pool, "submit", "apply", "apply_async")(_submitted)
    MODELS.method(_pool, "__enter__")(itself)


@MODELS.method("Future", "result")
@MODELS.method("AsyncResult", "get")
def _result(_: Interpreter, call: Call) -> Value:
    return call.state.get("given_back", call.unknown())


@MODELS.function("concurrent.futures.as_completed", "asyncio.as_completed")
def _completed(_: Interpreter, call: Call) -> Value:
    futures = call.given(0, "fs")
    if futures is not None and isinstance(futures.data, dict):
        # The keys of a dictionary of futures are objects, which are not kept as keys.
        return call.unknown()
    return futures if futures is not None else call.unknown()


# --- threads and processes ------------------------------------------------------------------------


@MODELS.method("Thread", "start", "run")
@MODELS.method("Process", "start", "run")
def _started(interpreter: Interpreter, call: Call) -> Value:
    data = call.held
    if data is not None:
        target = data.keywords.get("target")
        given = data.keywords.get("args")
        named = data.keywords.get("kwargs")
        if target is not None and target.data is not None:
            args = given.data if given is not None and isinstance(given.data, (list, tuple)) else ()
            keywords = named.data if named is not None and isinstance(named.data, dict) else {}
            interpreter.call(target, tuple(args), keywords, call.place)
    return Value(None)


@MODELS.function("torch.multiprocessing.spawn", "torch.spawn", "xla.spawn")
def _spawned(interpreter: Interpreter, call: Call) -> Value:
    function = call.given(0, "fn")
    if function is not None:
        args = (Value(0), *_given(call, 1, "args"))
        interpreter.call(function, args, {}, call.place)
    return Value(None)


# What is awaited was followed when it was called.
MODELS.function("asyncio.run", "asyncio.create_task", "asyncio.wait_for", "asyncio.shield")(
    first_argument
)


@MODELS.function("asyncio.gather")
def _gathered(_: Interpreter, call: Call) -> Value:
    return Value(list(call.args))


@MODELS.function("asyncio.to_thread")
def _to_thread(interpreter: Interpreter, call: Call) -> Value:
    if not call.args:
        return call.unknown()
    return interpreter.call(call.args[0], call.args[1:], call.keywords, call.place)


@MODELS.method("instance", "start")
def _started_instance(interpreter: Interpreter, call: Call) -> Value:
    """Run the ``run`` of an object whose class derives from a thread or process."""
    receiver = call.receiver
    if receiver is None:
        return call.unknown()
    interpreter.call(interpreter.attribute(receiver, "run", call.place), (), {}, call.place)
    return Value(None)


# --- joblib and Ray -------------------------------------------------------------------------------


@MODELS.function("joblib.delayed", "joblib.parallel.delayed", "sklearn.utils.parallel.delayed")
def _delayed(_: Interpreter, call: Call) -> Value:
    return _object("joblib.delayed", call)


@MODELS.object("joblib.delayed")
@MODELS.method("RemoteFunction", "remote")
def _postponed(interpreter: Interpreter, call: Call) -> Value:
    """Give the result of a call at once that another process or thread would make."""
    data = call.held
    if data is None or not data.args:
        return call.unknown()
    return interpreter.call(data.args[0], call.args, call.keywords, call.place)


@MODELS.object("joblib.Parallel", "joblib.parallel.Parallel")
def _in_parallel(interpreter: Interpreter, call: Call) -> Value:
    return Value(interpreter.iterate(call.args[0]) if call.args else [])


@MODELS.function("ray.remote")
def _remote(_: Interpreter, call: Call) -> Value:
    if not call.args:
        return Value(LibraryObject("ray.options", (), dict(call.keywords), call.place))
    return _object("ray.RemoteFunction", call)


@MODELS.object("ray.options")
def _remote_with_options(_: Interpreter, call: Call) -> Value:
    return _object("ray.RemoteFunction", call)


MODELS.method("RemoteFunction", "options")(itself)
MODELS.function("ray.get", "ray.put")(first_argument)


# --- wrapped models -------------------------------------------------------------------------------

WRAPPERS = (
    "torch.nn.DataParallel",
    "torch.nn.parallel.DataParallel",
    "torch.nn.parallel.DistributedDataParallel",
    "torch.distributed.fsdp.FullyShardedDataParallel",
)


@MODELS.function(*WRAPPERS)
def _wrapped(_: Interpreter, call: Call) -> Value:
    module = call.given(0, "module")
    return _object(call.name, call, module=module if module is not None else call.unknown())


@MODELS.object(*WRAPPERS)
def _through(interpreter: Interpreter, call: Call) -> Value:
    module = call.state.get("module")
    if module is None:
        return call.unknown()
    return interpreter.call(module, call.args, call.keywords, call.place)


for _short in {name.rpartition(".")[2] for name in WRAPPERS}:
    MODELS.method(
        _short, "to", "cuda", "cpu", "train", "eval", "float", "half", "double", "requires_grad_"
    )(itself)


def _handed_back(_: Interpreter, call: Call) -> Value:
    """Model ``prepare`` and ``setup``, which give back what they get, wrapped."""
    if len(call.args) == 1:
        return call.args[0]
    return Value(tuple(call.args))


MODELS.method("Accelerator", "prepare_model", "prepare_data_loader", "prepare_optimizer")(
    _handed_back
)
MODELS.method("Fabric", "setup", "setup_dataloaders", "setup_module", "all_gather", "to_device")(
    _handed_back
)
MODELS.method("Fabric", "backward")(lambda _, call: Value(None))
