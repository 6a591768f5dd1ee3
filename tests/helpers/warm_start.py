"""Starts `python -m dl_bug_lsp` without its imports, which take most of the time of most tests.

One process for each process of tests has everything imported and forks for each start. What is
forked is a process of its own, with the streams, folder, environment and words of the caller, and
runs the real command line. The interpreter's own start is that of `test_end`, `test_faults`, and of
all tests that measure a process or send it signals: those use the command as it is.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import random
import select
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

CALLER = Path(__file__).with_name("warm_caller.py")
PLAIN = (sys.executable, "-m", "dl_bug_lsp")
IMPORTED = (
    "dl_bug_lsp.cli.main",
    "dl_bug_lsp.cli.localize_command",
    "dl_bug_lsp.cli.server_command",
    "dl_bug_lsp.localize",
    "dl_bug_lsp.server.run",
)


def program(*words: str) -> list[str]:
    """Return a command that does what ``python -m dl_bug_lsp`` does with these words."""
    if not hasattr(os, "pidfd_open"):
        return [*PLAIN, *words]
    return [sys.executable, "-IS", str(CALLER), _address(), *words]


@cache
def _address() -> str:
    """Start the process that forks, which ends with this one, and return its address."""
    # In a folder that nobody else may enter.
    address = Path(tempfile.mkdtemp(prefix="dl-bug-"), "start")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(address))
        listener.listen(64)
        # Ctrl-C is for the tests, whose end is its own and that of what it forked.
        forking = subprocess.Popen(
            [sys.executable, __file__, str(listener.fileno())],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            pass_fds=[listener.fileno()],
            start_new_session=True,
        )
    atexit.register(forking.communicate)
    return str(address)


def serve(listener: socket.socket) -> None:
    """Fork for each caller until standard input closes."""
    for name in IMPORTED:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()
    sources: list[int | socket.socket] = [0, listener]
    while True:
        ready, _, _ = select.select(sources, [], [])
        if 0 in ready:
            address = Path(listener.getsockname())
            address.unlink()
            address.parent.rmdir()
            return
        connection, _ = listener.accept()
        if not os.fork():
            listener.close()
            _look_after(connection)
        connection.close()
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def _look_after(caller: socket.socket) -> None:
    """Run what a caller asks for in a process that ends with it, and tell how that ended."""
    text, streams, _, _ = socket.recv_fds(caller, 1 << 16, 3)
    while not text.endswith(b"\n"):
        text += caller.recv(1 << 16)
    child = os.fork()
    if not child:
        caller.close()
        _run(streams, **json.loads(text))
    for stream in streams:
        os.close(stream)
    end = os.pidfd_open(child)
    sources: list[int | socket.socket] = [end, caller]
    ready, _, _ = select.select(sources, [], [])
    if end not in ready:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    if end in ready:
        caller.sendall(b"%d" % code)
    os._exit(0)


def _run(streams: list[int], words: list[str], folder: str, environment: dict[str, str]) -> None:
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    random.seed()
    from dl_bug_lsp.cli.main import main

    sys.argv = ["dl_bug_lsp", *words]
    sys.exit(main())


if __name__ == "__main__":
    # The folder of this file.
    del sys.path[0]
    serve(socket.socket(fileno=int(sys.argv[1])))
