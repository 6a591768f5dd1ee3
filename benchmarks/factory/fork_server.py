"""A server that has a program's packages imported and forks for each run; standard library only.

    python fork_server.py MODULE...

It reads one request a line from standard input (JSON) and answers each with one line on the stream
that was its standard output. A run prints into a file what ``python script.py`` would have printed:
the child runs the script's code as the interpreter does and no frame of this file is in a
traceback. Every process that a run leaves behind is killed.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import math
import os
import resource
import runpy
import select
import signal
import sys
import time
import traceback
import types
from collections.abc import Callable
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

PR_SET_CHILD_SUBREAPER = 36
LOOK_EVERY_S = 0.5
TRACED_S = 12.0
"""How long a run is traced: what it has not executed by then is not known to be executed."""
LEAST_SETUP = ("threading", "atexit", "linecache", "logging", "warnings")


def main() -> None:
    """Import the modules and serve until standard input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    requests = os.fdopen(os.dup(0), encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    sys.path[:] = [p for p in sys.path if p != str(Path(__file__).resolve().parent)]
    failed = preload([*LEAST_SETUP, *sys.argv[1:]])
    print(json.dumps({"ready": True, "failed": failed}), file=answers, flush=True)
    for line in requests:
        request = json.loads(line)
        reply = {"loaded": preload(request["preload"])} if "preload" in request else run(request)
        print(json.dumps(reply), file=answers, flush=True)


def preload(modules: list[str]) -> list[str]:
    """Import modules; return those that could not be."""
    failed = []
    for module in modules:
        try:
            importlib.import_module(module)
        except BaseException:
            failed.append(module)
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(1)
    return failed


def run(request: dict[str, Any]) -> dict[str, Any]:
    """Fork, run what the request says in the child, wait and return how it ended."""
    begin = time.monotonic()
    child = os.fork()
    if child == 0:
        run_in_child(request)
    stopped = wait(child, request, begin)
    _, status, used = os.wait4(child, 0)
    if os.waitstatus_to_exitcode(status) == -signal.SIGXCPU:
        stopped = "time"
    left = kill_all_left()
    return {
        "code": os.waitstatus_to_exitcode(status),
        "stopped": stopped,
        "left": left,
        "seconds": round(time.monotonic() - begin, 4),
        "processor": round(used.ru_utime + used.ru_stime, 4),
    }


def wait(child: int, request: dict[str, Any], begin: float) -> str | None:
    """Wait for a child's end; kill it past its limits and return which one it was."""
    watched = os.pidfd_open(child)
    try:
        while True:
            rest = request["timeout_s"] - (time.monotonic() - begin)
            ready, _, _ = select.select([watched], [], [], max(0.0, min(rest, LOOK_EVERY_S)))
            if ready:
                return None
            reason = None
            if time.monotonic() - begin >= request["timeout_s"]:
                reason = "time"
            elif len(descendants()) > request["processes"]:
                reason = "processes"
            elif folder_bytes(request["watch"], request["disk_bytes"]) > request["disk_bytes"]:
                reason = "disk"
            if reason is not None:
                kill_group(child)
                for pid in descendants():
                    kill(pid)
                return reason
    finally:
        os.close(watched)


def kill_group(pid: int) -> None:
    """Kill a process group."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except OSError:
        kill(pid)


def kill(pid: int) -> None:
    """Kill one process."""
    try:
        os.kill(pid, signal.SIGKILL)
    except OSError:
        pass


def descendants() -> list[int]:
    """Return the processes below this one."""
    found, todo = [], [os.getpid()]
    while todo:
        pid = todo.pop()
        try:
            tasks = os.listdir(f"/proc/{pid}/task")
            below = []
            for task in tasks:
                text = Path(f"/proc/{pid}/task/{task}/children").read_text()
                below += [int(word) for word in text.split()]
        except OSError:
            continue
        found += below
        todo += below
    return found


def kill_all_left() -> int:
    """Kill and reap what a run left behind (orphans become children of this process)."""
    count = 0
    for _ in range(200):
        left = descendants()
        count = max(count, len(left))
        for pid in left:
            kill(pid)
        try:
            while os.waitpid(-1, 0 if left else os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return count
    return count


def folder_bytes(folders: list[str], enough: int) -> int:
    """Return the bytes below folders, counted no further than ``enough``."""
    total, todo = 0, list(folders)
    while todo and total <= enough:
        try:
            entries = list(os.scandir(todo.pop()))
        except OSError:
            continue
        for entry in entries:
            try:
                if entry.is_dir(follow_symlinks=False):
                    todo.append(entry.path)
                else:
                    total += entry.stat(follow_symlinks=False).st_size
            except OSError:
                continue
    return total


def run_in_child(request: dict[str, Any]) -> None:
    """Become the program; never returns."""
    try:
        os.setsid()
        output = os.open(request["output"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND)
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.closerange(3, 64)
        limit(resource.RLIMIT_FSIZE, request["file_bytes"])
        limit(resource.RLIMIT_DATA, request["memory_bytes"])
        limit(resource.RLIMIT_CORE, 0)
        limit(resource.RLIMIT_CPU, math.ceil(request["processor_s"]))
        os.environ.clear()
        os.environ.update(request["environment"])
        os.chdir(request["folder"])
        command = request["command"]
        if command[0] != "python":
            os.execvpe(command[0], command, os.environ)
        code = run_python(command[1:], request)
    except BaseException:
        traceback.print_exc()
        code = 70
    os._exit(code)


def limit(kind: int, most: int) -> None:
    """Set a limit of this process, no higher than its hard one."""
    hard = resource.getrlimit(kind)[1]
    value = most if hard == resource.RLIM_INFINITY else min(most, hard)
    # The hard limit on the processor's time would kill without saying why.
    above = value + 5 if kind == resource.RLIMIT_CPU else value
    resource.setrlimit(kind, (value, above if hard == resource.RLIM_INFINITY else hard))


def reseed(seed: int) -> None:
    """Seed the generators of the packages that are imported."""
    import random

    random.seed(seed)
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    if numpy is not None:
        numpy.random.seed(seed)
    if torch is not None:
        torch.manual_seed(seed)
    for name in ("tensorflow",):
        framework = sys.modules.get(name)
        if framework is not None and seed:
            framework.random.set_seed(seed)


def run_python(words: list[str], request: dict[str, Any]) -> int:
    """Run a script or a module as ``__main__``; return the process's exit code."""
    import atexit
    import threading

    reseed(request["seed"])
    # The packages' own byte code stands beside them; only the program's goes elsewhere.
    sys.pycache_prefix = request["byte_code"]
    sys.dont_write_bytecode = request["byte_code"] is None
    while words[0] == "-u":
        words = words[1:]
    folder = request["folder"]
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    module.__dict__["__builtins__"] = sys.modules["builtins"]
    extra = [str(Path(folder, p)) for p in request["python_path"]]
    forget_copies(extra)
    if words[0] == "-m":
        name, sys.argv = words[1], ["-m", *words[2:]]
        sys.path[:0] = [folder, *extra]

        def body() -> None:
            runpy._run_module_as_main(name)
    else:
        script = str(Path(folder, words[0]))
        sys.argv = list(words)
        sys.path[:0] = [str(Path(os.path.realpath(script)).parent), *extra]
        module.__dict__.update(
            __file__=script, __cached__=None, __loader__=SourceFileLoader("__main__", script)
        )

        def body() -> None:
            exec(compile(read_script(script), script, "exec"), module.__dict__)

    seen = Watch(request) if request.get("trace") else None
    code = finish(body, request.get("format", "plain"), seen)
    # The order of the interpreter's own end: threads, exit functions, streams.
    for step in (threading._shutdown, atexit._run_exitfuncs):
        try:
            step()
        except BaseException:
            traceback.print_exc()
    if seen is not None:
        seen.write(request["trace"])
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            code = code or 120
    return code


def forget_copies(folders: list[str]) -> None:
    """Forget imported packages that folders of the program bring too: its own are to be imported.

    What another program had a server import may be the published package of this checkout.
    """
    own = set()
    for folder in map(Path, folders):
        own.update(p.stem for p in folder.glob("*.py"))
        own.update(p.parent.name for p in folder.glob("*/__init__.py"))
    for name, module in list(sys.modules.items()):
        path = getattr(module, "__file__", None) or ""
        if name.partition(".")[0] in own and "site-packages" in path:
            del sys.modules[name]


def read_script(script: str) -> bytes:
    """Return a script's bytes; a missing one is told as the interpreter tells it."""
    try:
        return Path(script).read_bytes()
    except OSError as error:
        words = f"can't open file {script!r}: [Errno {error.errno}] {error.strerror}"
        print(f"{sys.executable}: {words}", file=sys.stderr)
        raise SystemExit(2) from None


def finish(body: Callable[[], None], shape: str, seen: Watch | None) -> int:
    """Run a program's code and tell an exception that ends it; return the exit code."""
    if shape == "rich":
        from rich.traceback import install

        install(show_locals=False)
    try:
        if seen is not None:
            seen.start()
        body()
    except SystemExit as end:
        if end.code is None:
            return 0
        if isinstance(end.code, int):
            return end.code & 0xFF
        print(end.code, file=sys.stderr)
        return 1
    except BaseException as error:
        # Our own frames go: `finish`, and `body` that called the program's code.
        shown = error.__traceback__
        while shown is not None and shown.tb_frame.f_code.co_filename == __file__:
            shown = shown.tb_next
        error.__traceback__ = shown
        if seen is not None:
            seen.stop()
        tell(shape, error)
        return 130 if isinstance(error, KeyboardInterrupt) else 1
    finally:
        if seen is not None:
            seen.stop()
    return 0


def tell(shape: str, error: BaseException) -> None:
    """Print the traceback of an exception that ends the program as ``shape`` asks."""
    sys.stdout.flush()
    kind, shown = type(error), error.__traceback__
    if shape == "logging":
        import logging

        log = logging.getLogger("train")
        if not logging.getLogger().handlers:
            pattern = "%(asctime)s %(levelname)s %(name)s: %(message)s"
            logging.basicConfig(format=pattern)
        log.error("Training failed", exc_info=(kind, error, shown))
    elif shape == "loguru":
        from loguru import logger

        logger.remove()
        # The frames above the one that catches are ours.
        logger.add(sys.stderr, backtrace=False)
        logger.opt(exception=(kind, error, shown)).error("Training failed")
    elif shape == "ipython":
        from IPython.core.ultratb import FormattedTB

        reader = FormattedTB(mode="Context", theme_name="nocolor", tb_offset=0)
        print(reader.text(kind, error, shown, context=5), flush=True)
    else:
        sys.excepthook(kind, error, shown)


class Watch:
    """Which files and lines of the workspace a run reads and executes, and what it imports."""

    def __init__(self, request: dict[str, Any]) -> None:
        self.root = request["folder"] + "/"
        self.lines: dict[str, set[int]] = {}
        self.opened: set[str] = set()
        self.lined = bool(request.get("lines"))
        self.on = False
        self.whole = True

    def start(self) -> None:
        """Begin to watch."""
        import threading

        self.on = True
        self.until = time.monotonic() + TRACED_S
        self.count = 0
        sys.addaudithook(self.hook)
        if not self.lined:
            return
        threading.settrace(self.call)
        sys.settrace(self.call)

    def stop(self) -> None:
        """End tracing (an audit hook cannot be taken away)."""
        import threading

        self.on = False
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]

    def hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Keep the names of files that are opened for reading."""
        if event == "open" and self.on and isinstance(arguments[0], str):
            path = os.path.abspath(arguments[0])
            if path.startswith(self.root):
                self.opened.add(path[len(self.root) :])

    def call(self, frame: Any, event: str, argument: Any) -> Any:
        """Trace the frames of the workspace's files."""
        self.count += 1
        if not self.count % 1024 and time.monotonic() > self.until:
            self.whole = False
            sys.settrace(None)
            return None
        file = frame.f_code.co_filename
        if not file.startswith(self.root):
            return None
        lines = self.lines.setdefault(file[len(self.root) :], set())
        lines.add(frame.f_lineno)

        def line(inner: Any, what: str, _: Any) -> Any:
            if what == "line":
                lines.add(inner.f_lineno)
            return line

        return line

    def write(self, path: str) -> None:
        """Store what was seen as JSON."""
        outside = []
        for name, module in list(sys.modules.items()):
            spec = getattr(module, "__spec__", None)
            origin = getattr(spec, "origin", None)
            if isinstance(origin, str) and not origin.startswith(self.root) and spec.name == name:
                outside.append(name)
        found = {
            "lines": {file: sorted(lines) for file, lines in sorted(self.lines.items())},
            "opened": sorted(self.opened),
            "whole": self.whole,
            "modules": outside,
        }
        Path(path).write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main()
