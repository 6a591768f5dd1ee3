"""The recorder of one process: its steps, when they are looked at closely, and its journal.

What a framework does is told to it by `torch_training` and `keras_training`; it knows none of them.
At its first error it writes one line to standard error, undoes all that was patched, and is over.

The journal holds one row a line. It is handed to the system every second, so that one that a kill
tears is readable up to its last whole line.

Seeds of random number generators are noted with the lines that set them; nothing is ever drawn.
"""

from __future__ import annotations

import functools
import json
import os
import platform
import random
import sys
import time
from contextlib import suppress
from threading import get_ident
from types import CodeType, FrameType
from typing import Any, Callable, Optional, Tuple

from dl_bug_lsp.monitoring.tables import JOURNAL, columns

# ---------------------------------------------------------------------- the journal of a process
LARGEST = 64 * 2**20
"""Bytes of a journal; beyond them nothing is recorded but the process' end."""
PAUSE = 1.0
"""Seconds for which rows may wait in memory."""
MOST_WAITING = 4_000
"""Rows that may wait in memory."""
_ENCODE = json.JSONEncoder(separators=(",", ":"), default=str).encode
_COLUMNS: dict[str, list[str]] = {}


class Journal:
    """Appends rows to ``folder/<process>.jsonl``, made when the first rows are written.

    Raises OSError from `flush` where they cannot be written; the rows are lost then.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._number: int | None = None
        self._written = 0
        self._flushed = time.perf_counter()
        self.waiting: list[list[object]] = []
        """Rows that are not written yet: a table's name, then the values of its columns."""

    def row(self, table: str, values: dict[str, object]) -> None:
        """Append a row by the names of its columns; those that are missing are not known."""
        names = _COLUMNS.get(table)
        if names is None:
            names = _COLUMNS[table] = [name for name, _ in columns(table)]
        self.waiting.append([table, *map(values.get, names)])

    @property
    def is_due(self) -> bool:
        """Whether it is time to write."""
        return time.perf_counter() - self._flushed > PAUSE or len(self.waiting) > MOST_WAITING

    @property
    def is_full(self) -> bool:
        """Whether nothing more should be recorded."""
        return self._written > LARGEST

    def flush(self) -> None:
        """Hand all rows to the system; raises OSError."""
        rows, self.waiting = self.waiting, []
        self._flushed = time.perf_counter()
        if not rows:
            return
        data = ("\n".join(map(_ENCODE, rows)) + "\n").encode("utf-8", "replace")
        if self._number is None:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
            flags |= getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
            path = os.path.join(self._folder, "%d%s" % (os.getpid(), JOURNAL))
            self._number = os.open(path, flags, 0o666)
        view = memoryview(data)
        while view:
            view = view[os.write(self._number, view) :]
        self._written += len(data)

    def close(self) -> None:
        """Write what waits and close the file; raises OSError."""
        self.flush()
        if self._number is not None:
            os.close(self._number)
            self._number = None

    def forked(self) -> None:
        """Let go of the parent's file and rows; the child's own are made when it has some."""
        if self._number is not None:
            os.close(self._number)
        self._number, self._written, self.waiting = None, 0, []


# ---------------------------------------------------------------------- lines of the workspace
Place = Tuple[str, Optional[int]]
"""A file relative to the workspace with ``/``, and a 1-based line; ("", None) where none is."""
NOWHERE: Place = ("", None)
_DEEPEST = 150
"""Frames that are looked at."""
_FOREIGN = ("site-packages", "dist-packages", ".dlbug")


class Places:
    """Finds the innermost frame of the workspace; installed packages below it do not count."""

    def __init__(self, root: str) -> None:
        self._root = os.path.join(os.path.realpath(root), "")
        self._names: dict[str, str] = {}
        self._ours = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

    def name(self, file: str) -> str:
        """Return a file's name in the workspace; empty for one that is not its own."""
        name = self._names.get(file)
        if name is None:
            name = self._names[file] = self._find(file)
        return name

    def _find(self, file: str) -> str:
        path = os.path.realpath(file)
        if not path.startswith(self._root) or path.startswith(self._ours):
            return ""
        name = path[len(self._root) :].replace(os.sep, "/")
        parts = name.split("/")
        if any(part in _FOREIGN for part in parts) or "lib/python" in name:
            return ""
        return name

    def of_caller(self, depth: int = 2, owner: object = None) -> Place:
        """Return the line of the workspace that led to the caller ``depth`` frames up.

        ``owner`` is an object under construction: its own constructors do not count.
        """
        frame: FrameType | None = sys._getframe(depth)
        for _ in range(_DEEPEST):
            if frame is None:
                break
            code = frame.f_code
            name = self.name(code.co_filename)
            if name and not (owner is not None and _constructs(frame, code, owner)):
                return name, frame.f_lineno
            frame = frame.f_back
        return NOWHERE


def _constructs(frame: FrameType, code: CodeType, owner: object) -> bool:
    if code.co_name not in ("__init__", "__new__", "__call__") or not code.co_argcount:
        return False
    return frame.f_locals.get(code.co_varnames[0]) is owner


# ---------------------------------------------------------------------- the recorder
SHARE = 0.025
"""Of a training's time that closely recorded steps may take; what every step costs comes on top."""
EACH_STEP = 8e-6
"""Seconds that recording costs in a step that is not looked at closely; measured, rounded up."""
AT_ONCE = 0.05
"""Seconds that the first steps of a training may cost before the share counts."""
DENSE = 200
"""Steps between which nothing is left out for the size of the journal; then one in a hundredth."""
ALL_STEPS = 500
"""Steps of which each has its row; of later ones sampled ones do, and one every so often."""
MOST_STATISTICS = 250_000
MOST_CALLS = 400
MOST_CYCLES = 60
LONGEST_CYCLE = 24
_RANK = ("RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "HOROVOD_RANK", "SLURM_PROCID")
_WORLD = ("WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_SIZE", "SLURM_NTASKS")


class Call:
    """A call site of a part of the loop."""

    __slots__ = ("count", "first", "kind", "last", "owner", "place", "retained")

    def __init__(self, kind: str, place: Place, owner: int, step: int) -> None:
        self.kind, self.place, self.owner = kind, place, owner
        self.count, self.first, self.last, self.retained = 0, step, step, False


class Recorder:
    """Records one process. All public methods may be called from the training's thread alone."""

    def __init__(self, folder: str, root: str, session: str, command: str) -> None:
        self.journal = Journal(folder)
        self.places = Places(root)
        self.root = os.path.realpath(root)
        self.share = share_of(os.environ.get("DL_BUG_MONITOR_SHARE"))
        self.step = 1
        """The step that is under way, from 1."""
        self.sampling = True
        """Whether the step under way is recorded closely."""
        self.is_over = False
        self.epoch: float | None = None
        self.spent = 0.0
        self.framework = ""
        self.device = "cpu"
        self.versions: dict[str, str] = {}
        self.cycle: list[str] = []
        self.undo: list[Callable[[], None]] = []
        """What takes our patches away."""
        self.refreshers: list[Callable[[], None]] = []
        """What writes the rows that have changed: counts of layers, loaders, optimizers."""
        self.closers: list[Callable[[], None]] = []
        """What ends steps that are still open when the process ends."""
        self._session, self._command, self._program = session, command, ""
        self._started = time.time()
        self._outcome, self._error = "running", ""
        self._ended: float | None = None
        self._calls: dict[tuple[str, int, int, int], Call] = {}
        self._codes: list[CodeType] = []
        self._cycles: dict[str, list[int]] = {}
        self._usual: list[str] = []
        self._usual_count: list[int] = [0, 0, 0]
        self._problems: set[str] = set()
        self._events: set[str] = set()
        self._sampled = 0
        self._steps = 0
        self._seconds = 0.0
        self._since: float | None = None
        self._last_end = time.perf_counter()
        self._last_sampled = 0
        self._wants_next = False
        self._last_cost = self._spent_before = 0.0
        self._refreshed = time.perf_counter()
        self._statistics = 0
        self.thread = get_ident()
        """The thread in which the training is recorded."""

    def wrap(self, owner: Any, name: str, make: Callable[[Any], Any]) -> None:
        """Put what `make` makes of a function in its place, until the recording is over."""
        original = getattr(owner, name)
        is_own = name in vars(owner)
        wrapper = functools.wraps(original)(make(original))
        setattr(owner, name, wrapper)

        def undo() -> None:
            if vars(owner).get(name) is wrapper:
                if is_own:
                    setattr(owner, name, original)
                else:
                    delattr(owner, name)

        self.undo.append(undo)

    # Rows

    def row(self, table: str, **values: object) -> None:
        """Append a row."""
        if not self.is_over:
            self.journal.row(table, values)

    def statistics(self, rows: list[list[object]]) -> None:
        """Append rows of ``statistic``, as far as there is room."""
        if self._statistics < MOST_STATISTICS:
            self._statistics += len(rows)
            self.journal.waiting.extend(rows)
        else:
            self.problem("statistics of layers end where their number reached its limit")

    def problem(self, text: str) -> None:
        """Say once what is not recorded, and why."""
        if text not in self._problems and len(self._problems) < 100:
            self._problems.add(text)
            self.row("problem", text=text)

    def event(self, kind: str, **values: object) -> bool:
        """Record the first event of its kind; False for a later one."""
        if kind in self._events:
            return False
        self._events.add(kind)
        self.row("event", event=len(self._events), step=self.step, kind=kind, **values)
        return True

    # Calls and cycles

    def called(self, kind: str, owner: int = 0, depth: int = 2) -> Call:
        """Count a call of a part of the loop; ``depth`` leads to the frame that called it."""
        frame = sys._getframe(depth)
        # The hash of a code object is that of all its instructions: its identity will do.
        key = (kind, id(frame.f_code), frame.f_lineno, owner)
        call = self._calls.get(key)
        if call is None:
            if len(self._calls) >= MOST_CALLS:
                return Call(kind, ("", None), owner, self.step)
            place = self.places.of_caller(depth + 1)
            call = self._calls[key] = Call(kind, place, owner, self.step)
            self._codes.append(frame.f_code)
        call.count += 1
        call.last = self.step
        cycle = self.cycle
        if len(cycle) < LONGEST_CYCLE:
            cycle.append(kind)
        return call

    def seed(self, library: str, value: object) -> None:
        """Record that a random number generator was seeded by the caller's caller."""
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63:
            file, line = self.places.of_caller(3)
            self.row("seed", library=library, value=value, file=file, line=line, step=self.step)

    # Steps

    @property
    def is_own_thread(self) -> bool:
        """Whether the caller's thread is the one in which the recorder was made."""
        return get_ident() == self.thread

    def start_clock(self) -> None:
        """Let the first step's time begin; later calls change nothing."""
        if self._since is None:
            self._since = self._last_end = time.perf_counter()

    @property
    def wants_row(self) -> bool:
        """Whether the step under way has a row: the first, sampled ones, then every so often."""
        step = self.step
        return self.sampling or step <= ALL_STEPS or step % (step // ALL_STEPS + 1) == 0

    def end_step(self, row: list[object] | None) -> None:
        """End the step under way; ``row`` is its row, whose `seconds` (index 11) are filled in.

        Decides whether the next step is looked at closely.
        """
        now = time.perf_counter()
        seconds = now - self._last_end
        self._last_end = now
        if self._since is None:
            self._since = now
        step = self.step
        self._steps += 1
        self._seconds += seconds
        if self.cycle == self._usual:
            self._usual_count[0] += 1
            self._usual_count[2] = step
        else:
            self._end_cycle()
        self.cycle.clear()
        if row is not None:
            row[11] = seconds
            self.journal.waiting.append(row)
        if self.sampling:
            self._sampled += 1
            self._last_sampled = step
            self._last_cost = self.spent - self._spent_before
        self._spent_before = self.spent
        self.step = step + 1
        self.sampling = self._wants_next or self._is_affordable(now)
        self._wants_next = False
        if self._steps == 1 or self.journal.is_due:
            began = time.perf_counter()
            self.refresh(now)
            self.journal.flush()
            self.spent += time.perf_counter() - began
            if self.journal.is_full:
                self.problem("the recording ends here: it has reached its largest size")
                self.stop()

    def _end_cycle(self) -> None:
        text = " ".join(self.cycle)
        counts = self._cycles.get(text)
        if counts is None:
            if len(self._cycles) >= MOST_CYCLES:
                return
            counts = self._cycles[text] = [0, self.step, self.step]
        counts[0] += 1
        counts[2] = self.step
        self._usual, self._usual_count = list(self.cycle), counts

    def look_closely(self) -> None:
        """Have the next step recorded closely, whatever it costs."""
        self._wants_next = True

    def _is_affordable(self, now: float) -> bool:
        if self._sampled < 3:
            return True
        if self.step - self._last_sampled < self.step // DENSE:
            return False
        if self.share >= 1:
            return True
        usual = min(self.spent / self._sampled, self._last_cost)
        passed = now - (self._since or now)
        return self.spent + usual < AT_ONCE + self.share * passed - EACH_STEP * self._steps

    # Beginning and end

    def refresh(self, now: float | None = None) -> None:
        """Write the rows that change as the training goes on, at growing intervals."""
        now = time.perf_counter() if now is None else now
        pause = max(2.0, 0.1 * (now - (self._since or now)))
        is_first = not self._program and self._steps == 1
        if now - self._refreshed < pause and self._outcome == "running" and not is_first:
            return
        self._refreshed = now
        self._write_process()
        for refresher in self.refreshers:
            refresher()
        for call in self._calls.values():
            file, line = call.place
            self.row(
                "call",
                kind=call.kind,
                file=file,
                line=line or 0,
                owner=call.owner,
                count=call.count,
                first_step=call.first,
                last_step=call.last,
                retained=call.retained,
            )
        for text, (count, first, last) in self._cycles.items():
            self.row("cycle", text=text, count=count, first_step=first, last_step=last)

    def _write_process(self) -> None:
        # A program that has come to its end knows its file no more.
        main = getattr(sys.modules.get("__main__"), "__file__", None)
        self._program = self._program or (self.places.name(main) if isinstance(main, str) else "")
        self.row(
            "run",
            session=self._session,
            command=self._command,
            argv=json.dumps([str(word)[:500] for word in getattr(sys, "argv", [])][:100]),
            program=self._program,
            folder=_relative(self.root),
            python=platform.python_version(),
            framework=self.framework,
            versions=json.dumps(self.versions),
            device=self.device,
            started=self._started,
            ended=self._ended,
            outcome=self._outcome,
            error=self._error,
            process=os.getpid(),
            parent=os.getppid(),
            rank=_from_environment(_RANK),
            world=_from_environment(_WORLD),
            steps=self._steps,
            sampled=self._sampled,
            seconds=self._seconds,
            spent=self.spent + EACH_STEP * self._steps,
        )

    def end(self) -> None:
        """Write how the process ended, where it trained anything."""
        if self.is_over:
            return
        try:
            for closer in self.closers:
                closer()
        except Exception as problem:
            self.fail(problem)
        if self.is_over or not self._steps:
            return
        error = getattr(sys, "last_type", None)
        self._outcome = "finished" if error is None else "failed"
        self._error = getattr(error, "__name__", "") if error is not None else ""
        self._ended = time.time()
        try:
            self.refresh()
            self.journal.close()
        except Exception as problem:
            self.fail(problem)
        self.is_over = True

    def stop(self) -> None:
        """Take every patch away; nothing more is recorded."""
        self.is_over, self.sampling = True, False
        while self.undo:
            with suppress(Exception):
                self.undo.pop()()

    def fail(self, error: BaseException) -> None:
        """End the recording after an error of ours: one line, and the training goes on alone."""
        if self.is_over:
            return
        reason = "%s: %s" % (type(error).__name__, str(error).split("\n")[0][:200])
        if isinstance(error, OSError):
            reason = (error.strerror or str(error)).lower()
        text = "the training is no longer recorded (%s)" % reason
        with suppress(Exception):
            self.row("problem", text=text)
            self._write_process()
            self.journal.close()
        self.stop()
        with suppress(Exception):
            sys.stderr.write("dl-bug-lsp: %s\n" % text)
        if os.environ.get("DL_BUG_DEBUG"):
            import traceback

            traceback.print_exception(type(error), error, error.__traceback__)

    def forked(self) -> None:
        """Go on in a child: it has a journal of its own, made when it trains."""
        with suppress(Exception):
            self.journal.forked()
        self._steps = 0
        self.closers.clear()
        self._started = time.time()


def share_of(text: str | None) -> float:
    """Return the share of a training's time that may go into recording."""
    try:
        share = float(text or SHARE)
    except ValueError:
        return SHARE
    return share if 0 < share <= 1 else SHARE


def _relative(root: str) -> str:
    try:
        folder = os.path.relpath(os.path.realpath(os.getcwd()), root).replace(os.sep, "/")
    except (OSError, ValueError):
        return ""
    return "" if folder.startswith("..") else folder


def _from_environment(names: tuple[str, ...]) -> int | None:
    for name in names:
        value = os.environ.get(name, "")
        if value.isdigit() and len(value) < 9:
            return int(value)
    return None


# ---------------------------------------------------------------------- seeds
def install_torch(recorder: Recorder) -> None:
    """Record seeds of PyTorch and of Python's own generator."""
    import torch

    _wrap(recorder, torch, "manual_seed", "torch")
    _wrap(recorder, torch.cuda, "manual_seed_all", "cuda")
    _wrap(recorder, random, "seed", "random")


def install_numpy(recorder: Recorder) -> None:
    """Record seeds of NumPy's global generator."""
    _wrap(recorder, sys.modules["numpy.random"], "seed", "numpy")


def install_python(recorder: Recorder) -> None:
    """Record seeds of Python's own generator."""
    _wrap(recorder, random, "seed", "random")


def _wrap(recorder: Recorder, module: Any, name: str, library: str) -> None:
    original = getattr(module, name, None)
    if original is None or hasattr(original, "_dl_bug_library"):
        return

    def seed(*arguments: Any, **keywords: Any) -> Any:
        try:
            values = (*arguments, *keywords.values())
            if values:
                recorder.seed(library, values[0])
        except Exception as error:
            recorder.fail(error)
        return original(*arguments, **keywords)

    wrapper = functools.wraps(original)(seed)
    wrapper._dl_bug_library = library  # type: ignore[attr-defined]
    setattr(module, name, wrapper)

    def undo() -> None:
        if getattr(module, name, None) is wrapper:
            setattr(module, name, original)

    recorder.undo.append(undo)
