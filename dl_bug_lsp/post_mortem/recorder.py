"""Records the local variables of a process that an exception ends, in the process itself.

Nothing is done before an exception is printed, formatted, or followed by `sys.exit`. Objects are
described by their type and by what they hold; no method, property or ``repr`` of the program is
called. Each process writes one file ``frames-<process>.json``, which `records` reads.

Runs in the program's interpreter: the standard library alone, Python 3.9 and later.
"""

from __future__ import annotations

import atexit
import json
import math
import os
import re
import sys
import threading
import time
import traceback
import types
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path, PurePath
from typing import Any

VERSION = 1
MOST_RECORDS = 8
"""Exceptions that a process keeps; older ones are dropped."""
MOST_LOOKED_AT = 200
"""Exceptions after which a process records none any more: they do not end it."""
MOST_FRAMES = 60
MOST_NAMES = 120
"""Names of one frame."""
MOST_VALUES = 6_000
"""Described values of one exception, items of containers included."""
MOST_SECONDS = 2.0
MOST_ITEMS, MOST_KEYS, MOST_COLUMNS = 8, 60, 200
DEEPEST = 4
LONGEST_TEXT = 200
LONGEST_MESSAGE = 2_000
LARGEST_NUMBER = 2**62
LARGEST_ARRAY = 4_000_000
"""Elements of an array whose least and greatest one are looked for."""
INSTALLED = ("site-packages", "dist-packages", "lib/python")
_NAMES_OF_SECRETS = re.compile(
    r"pass(?:word|wd|phrase|code)?\b|pwd\b|secret|credential|token$|api_?key|access_?key"
    r"|private_?key|auth(?:orization)?$|cookie|signature$",
    re.IGNORECASE,
)
_SECRETS = re.compile(
    r"^(?:hf|sk|pk|ghp|gho|ghs|glpat|xox[abp]|npm|pypi|AKIA|ASIA|eyJ)[-_A-Za-z0-9]{12,}"
    r"|^[0-9a-f]{32,}$|^(?=\S*\d)(?=\S*[a-z])(?=\S*[A-Z])[A-Za-z0-9+/=]{32,}$"
    r"|://[^/\s:@]+:[^/\s@]+@|\bBearer\s+\S{8,}"
    r"|-----BEGIN"
)

Description = dict[str, Any]
"""A value as JSON. ``v`` is a plain value; else ``t`` names the type, with what is known of it."""


def start(folder: str, root: str) -> None:
    """Record in this process and its forks what ends them; ``root`` is the workspace."""
    recorder = Recorder(folder, root)
    recorder.hook()


class Recorder:
    """The records of one process."""

    def __init__(self, folder: str, root: str, most: int = MOST_RECORDS) -> None:
        """Keep the last ``most`` exceptions of this process in a file below ``folder``."""
        self._folder, self._most = folder, most
        self._root = os.path.realpath(root) + os.sep
        self._process = os.getpid()
        self._records: list[dict[str, Any]] = []
        self._looked_at = 0
        self._is_ended = False
        """Whether what ends the process was printed by way of us."""
        self._busy = threading.Lock()

    def hook(self) -> None:
        """Be told of every exception that is printed, formatted, or followed by an exit."""
        self._hook_printing()
        self._hook_formatting()
        self._hook_exit()
        atexit.register(self._at_exit)

    def _hook_printing(self) -> None:
        print_exception, print_of_thread = sys.excepthook, threading.excepthook

        def excepthook(kind: Any, error: Any, trace: Any) -> None:
            self._is_ended = True
            self.record(error)
            print_exception(kind, error, trace)

        def of_thread(given: Any) -> None:
            self.record(given.exc_value)
            print_of_thread(given)

        sys.excepthook = excepthook
        threading.excepthook = of_thread

    def _hook_formatting(self) -> None:
        # Processes of multiprocessing, workers of loaders, loggers and Hydra format what they
        # caught by this class (https://docs.python.org/3/library/traceback.html).
        initialize = traceback.TracebackException.__init__

        def init(this: Any, *args: Any, **keywords: Any) -> None:
            if keywords.get("_seen") is None:
                self.record(args[1] if len(args) > 1 else keywords.get("exc_value"))
            initialize(this, *args, **keywords)

        traceback.TracebackException.__init__ = init  # type: ignore[assignment, method-assign]

    def _hook_exit(self) -> None:
        leave = sys.exit

        def exit(status: Any = None, /) -> Any:
            error = sys.exc_info()[1]
            if error is not None and status not in (None, 0):
                self.record(error)
            leave(status)

        sys.exit = exit

    def _at_exit(self) -> None:
        # A program may replace the hook: what ended it is noted before the hook is called.
        if not self._is_ended:
            self.record(getattr(sys, "last_exc", None) or getattr(sys, "last_value", None))

    def record(self, error: object) -> None:
        """Describe the frames of an exception and write them down; raises nothing."""
        if not isinstance(error, Exception) or not self._busy.acquire(blocking=False):
            return
        try:
            with suppress(Exception):
                self._record(error)
        finally:
            self._busy.release()

    def _record(self, error: Exception) -> None:
        if self._process != os.getpid():
            self._process, self._records, self._looked_at = os.getpid(), [], 0
        if self._looked_at >= MOST_LOOKED_AT:
            return
        self._looked_at += 1
        describer = Describer(self._root)
        chain = [describer.exception(one, one.__traceback__) for one in _chain(error)]
        if not any("locals" in frame for one in chain for frame in one["frames"]):
            return
        record = {"exceptions": chain}
        if self._records[-1:] == [record]:
            # It is formatted more than once on its way.
            return
        self._records = [*self._records[1 - self._most :], record]
        document = {"version": VERSION, "process": os.getpid(), "records": self._records}
        file = Path(self._folder, f"frames-{os.getpid()}.json")
        new = file.with_suffix(".new")
        new.write_text(json.dumps(document), encoding="utf-8")
        new.replace(file)


def _chain(error: BaseException) -> list[BaseException]:
    """Return an exception and those that it came of, in the order in which they are printed."""
    chain: list[BaseException] = []
    now: BaseException | None = error
    while now is not None and len(chain) < MOST_RECORDS:
        if any(now is one for one in chain):
            break
        chain.append(now)
        now = now.__cause__ or (None if now.__suppress_context__ else now.__context__)
    return chain[::-1]


class Describer:
    """Describes the frames and values of one exception, as far as its budget goes."""

    def __init__(self, root: str) -> None:
        """Describe the local variables of code below ``root``."""
        self._root = root
        self._left = MOST_VALUES
        self._until = time.perf_counter() + MOST_SECONDS
        self._within: list[int] = []

    def exception(self, error: BaseException, trace: types.TracebackType | None) -> dict[str, Any]:
        """Return the type, the message and the frames of an exception, the outermost first."""
        steps: list[types.TracebackType] = []
        while trace is not None:
            steps.append(trace)
            trace = trace.tb_next
        if len(steps) > MOST_FRAMES:
            steps = [*steps[: MOST_FRAMES // 2], *steps[-MOST_FRAMES // 2 :]]
        # The innermost frames come first: the budget may end.
        frames = [self._frame(step) for step in reversed(steps)]
        return {
            "type": type(error).__name__,
            "message": _message(error),
            "frames": frames[::-1],
        }

    def _frame(self, step: types.TracebackType) -> dict[str, Any]:
        frame, code = step.tb_frame, step.tb_frame.f_code
        entry: dict[str, Any] = {
            "file": code.co_filename,
            "line": step.tb_lineno,
            "function": code.co_name,
        }
        if self._is_own(code.co_filename):
            entry["file"] = os.path.realpath(code.co_filename)
            entry["locals"] = self._names(frame.f_locals)
            if frame.f_locals is not frame.f_globals and code.co_name != "<module>":
                used = {n: frame.f_globals[n] for n in code.co_names if n in frame.f_globals}
                entry["globals"] = self._names(used)
        return entry

    def _is_own(self, file: str) -> bool:
        path = os.path.realpath(file)
        inside = path[len(self._root) :].replace(os.sep, "/")
        return path.startswith(self._root) and not any(part in inside for part in INSTALLED)

    def _names(self, names: Mapping[str, Any]) -> dict[str, Description]:
        described: dict[str, Description] = {}
        for name, value in islice(list(names.items()), 10 * MOST_NAMES):
            is_data = not issubclass(type(value), _NOT_DATA)
            if is_data and not name.startswith("__") and len(described) <= MOST_NAMES:
                described[name] = self.value(value, name)
        return described

    def value(self, value: Any, name: str = "", depth: int = 0) -> Description:
        """Return what is known of a value; ``name`` is the one that it has where it was found."""
        self._left -= 1
        if self._left < 0 or time.perf_counter() > self._until:
            return {"t": _type_name(value), "cut": True}
        # By its type: a program's object may say what class it is by code of its own.
        kind = type(value)
        if value is None or issubclass(kind, (bool, int, float, str, bytes)):
            return _plain(value, name)
        if id(value) in self._within:
            return {"t": _type_name(value)}
        self._within.append(id(value))
        try:
            return self._made_of(value, depth)
        except Exception:
            return {"t": _type_name(value)}
        finally:
            self._within.pop()

    def _made_of(self, value: Any, depth: int) -> Description:
        packages = dict.fromkeys(base.__module__.partition(".")[0] for base in type(value).__mro__)
        for package in packages:
            library = _MADE_BY.get(package, package)
            describe, module = _OF_LIBRARIES.get(library), sys.modules.get(library)
            made = describe(module, value) if describe is not None and module is not None else None
            if made is not None:
                return {"t": _type_name(value), **made}
        if issubclass(type(value), dict):
            return self._table(value, depth)
        kind: Any
        for kind in (list, tuple, set, frozenset):
            if issubclass(type(value), kind):
                held = kind.__iter__(value)
                made = {"t": _type_name(value), "n": kind.__len__(value), "is": kind.__name__}
                if depth < DEEPEST:
                    made["items"] = [
                        self.value(item, depth=depth + 1) for item in islice(held, MOST_ITEMS)
                    ]
                return made
        if issubclass(type(value), PurePath) and type(value).__module__.startswith("pathlib"):
            return {"t": _type_name(value), "v": str(value)[:LONGEST_TEXT]}
        return self._object(value, depth)

    def _table(self, value: dict[Any, Any], depth: int) -> Description:
        made: Description = {"t": _type_name(value), "n": dict.__len__(value), "is": "dict"}
        if depth < DEEPEST:
            made["items"] = [
                [key, self.value(item, key if isinstance(key, str) else "", depth + 1)]
                for key, item in islice(list(dict.items(value)), MOST_KEYS)
                if key is None
                or isinstance(key, (bool, int, float))
                or (isinstance(key, str) and len(key) <= LONGEST_TEXT)
            ]
        return made

    def _object(self, value: Any, depth: int) -> Description:
        made: Description = {"t": _type_name(value)}
        try:
            held = object.__getattribute__(value, "__dict__")
        except AttributeError:
            return made
        if depth >= DEEPEST or not isinstance(held, dict):
            return made
        attributes = dict(_attributes(held))
        if not self._is_own(_file_of(type(value))):
            described = [
                [name, self.value(attributes[name], name, depth + 1) if name in attributes else {}]
                for name in _parameters(type(value))[:MOST_KEYS]
            ]
            # A layer keeps its weights under the names of switches (``bias=True``).
            made["given"] = [[n, {} if "shape" in d else d] for n, d in described]
            inner = held.get("_modules")
            if isinstance(inner, dict) and inner:
                made["modules"] = [
                    [name, self.value(module, depth=depth + 1)]
                    for name, module in islice(inner.items(), MOST_KEYS)
                ]
            if type(value).__name__ not in OPEN:
                return made
        made["attributes"] = {
            name: self.value(item, name, depth + 1)
            for name, item in islice(attributes.items(), MOST_KEYS)
            if not issubclass(type(item), _NOT_DATA)
        }
        return made


OPEN = ("Namespace", "SimpleNamespace")
"""Classes of libraries whose attributes are the program's own (``argparse.Namespace``)."""
_NOT_DATA = (
    *(types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.MethodType, type),
    types.GeneratorType,
)


def _attributes(held: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the attributes of an object; those of modules of PyTorch are kept in tables."""
    for table in ("_modules", "_parameters", "_buffers"):
        inner = held.get(table)
        if isinstance(inner, dict):
            yield from ((name, item) for name, item in inner.items() if isinstance(name, str))
    for name, item in held.items():
        if isinstance(name, str) and not name.startswith("_"):
            yield name, item


def _parameters(kind: type) -> list[str]:
    """Return the parameters of a class's constructor, as its code names them."""
    start: Any = vars(kind).get("__init__")
    for base in kind.__mro__:
        start = start or vars(base).get("__init__")
    # Of a constructor in a decorator the one below names the parameters.
    code = getattr(getattr(start, "__wrapped__", start), "__code__", None)
    if code is None:
        return []
    return list(code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount])


def _file_of(kind: type) -> str:
    module = sys.modules.get(kind.__module__)
    return getattr(module, "__file__", None) or ""


def _type_name(value: object) -> str:
    kind = type(value)
    module = kind.__module__
    return kind.__qualname__ if module == "builtins" else f"{module}.{kind.__qualname__}"


def _message(error: BaseException) -> str:
    # A class of the program or a library may compute its text; those of Python do not.
    if isinstance(type(error).__str__, types.WrapperDescriptorType):
        return str(error)[:LONGEST_MESSAGE]
    given = [item for item in error.args if isinstance(item, str)]
    return " ".join(given)[:LONGEST_MESSAGE]


def _plain(value: Any, name: str) -> Description:
    if isinstance(value, (str, bytes)):
        if isinstance(value, bytes):
            return {"t": "bytes", "n": bytes.__len__(value)}
        size = str.__len__(value)
        text = str.__str__(value)
        if _NAMES_OF_SECRETS.search(name) or _SECRETS.search(text[:4_000]):
            return {"t": "str", "hidden": True}
        if size > LONGEST_TEXT:
            return {"t": "str", "n": size, "begins": text[:LONGEST_TEXT]}
        return {"v": text}
    if isinstance(value, float):
        number = float.__float__(value)
        special = not math.isfinite(number)
        return {"t": "float", "is": repr(number)} if special else {"v": number}
    if isinstance(value, int) and not isinstance(value, bool):
        whole = int.__int__(value)
        return {"v": whole} if abs(whole) < LARGEST_NUMBER else {"t": "int"}
    return {"v": value}


# ---------------------------------------------------------------------- what libraries make
def _torch(torch: Any, value: Any) -> Description | None:
    if isinstance(value, (torch.dtype, torch.device)):
        return {"is": str(value)}
    if not isinstance(value, torch.Tensor):
        return None
    made: Description = {
        "shape": [int(size) for size in value.shape],
        "dtype": str(value.dtype).rpartition(".")[2],
        "device": value.device.type,
    }
    if value.requires_grad:
        made["grad"] = True
    # Devices may be in error, or asked while they work.
    if value.device.type == "cpu" and 0 < value.numel() <= LARGEST_ARRAY:
        with suppress(Exception):
            detached = value.detach()
            _bounds(made, detached.min().item(), detached.max().item())
    return made


def _numpy(numpy: Any, value: Any) -> Description | None:
    if isinstance(value, numpy.generic):
        held = value.item()
        return _plain(held, "") if isinstance(held, (bool, int, float, str)) else None
    if not isinstance(value, numpy.ndarray):
        return None
    made: Description = {"shape": list(value.shape), "dtype": str(value.dtype)[:40]}
    if value.dtype.kind in "iufb" and 0 < value.size <= LARGEST_ARRAY:
        with suppress(Exception):
            _bounds(made, value.min().item(), value.max().item())
    return made


def _jax(jax: Any, value: Any) -> Description | None:
    if not isinstance(value, jax.Array):
        return None
    return {"shape": [int(size) for size in value.shape], "dtype": str(value.dtype)}


def _tensorflow(tensorflow: Any, value: Any) -> Description | None:
    if not isinstance(value, (tensorflow.Tensor, tensorflow.Variable)):
        return None
    shape = value.shape
    sizes = None if shape.rank is None else [None if n is None else int(n) for n in shape]
    return {"shape": sizes, "dtype": value.dtype.name.removesuffix("_ref")}


def _keras(keras: Any, value: Any) -> Description | None:
    kind = getattr(keras, "KerasTensor", None)
    if kind is None or not isinstance(value, kind):
        return None
    return {"shape": [n if isinstance(n, int) else None for n in value.shape], "dtype": value.dtype}


def _pandas(pandas: Any, value: Any) -> Description | None:
    if isinstance(value, pandas.DataFrame):
        columns = [
            [name if isinstance(name, (str, int)) else str(name)[:LONGEST_TEXT], str(dtype)[:40]]
            for name, dtype in islice(zip(value.columns, value.dtypes), MOST_COLUMNS)
        ]
        return {"shape": list(value.shape), "columns": columns}
    if isinstance(value, (pandas.Series, pandas.Index)):
        made: Description = {"shape": [len(value)], "dtype": str(value.dtype)[:40]}
        if isinstance(value.name, (str, int)):
            made["name"] = value.name
        if getattr(value.dtype, "kind", "") in "iufb" and 0 < len(value) <= LARGEST_ARRAY:
            with suppress(Exception):
                _bounds(made, float(value.min()), float(value.max()))
        return made
    return None


def _bounds(made: Description, low: Any, high: Any) -> None:
    """Note the least and the greatest element, or that some are not finite."""
    if not all(isinstance(bound, (bool, int, float)) for bound in (low, high)):
        return
    if math.isfinite(low) and math.isfinite(high):
        made["low"], made["high"] = low, high
    else:
        made["nan" if math.isnan(low) or math.isnan(high) else "inf"] = True


_MADE_BY = {"jaxlib": "jax"}
"""Packages whose classes another one describes."""
_OF_LIBRARIES: dict[str, Callable[[Any, Any], Description | None]] = {
    "torch": _torch,
    "numpy": _numpy,
    "pandas": _pandas,
    "jax": _jax,
    "tensorflow": _tensorflow,
    "keras": _keras,
}
