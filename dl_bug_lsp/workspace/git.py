"""The ``git`` program, asked to read and nothing else: objects, listings and the log."""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import IO

# A repository's own configuration can name programs: none of them is to run here.
_SAFE = (
    "--no-pager",
    "--no-optional-locks",
    "--literal-pathspecs",
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "protocol.allow=never"),
    *("-c", "log.showSignature=false"),
    *("-c", "diff.relative=false"),
    *("-c", "i18n.logOutputEncoding=UTF-8"),
)
_QUIET = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_PAGER": "cat",
    "LC_ALL": "C",
}
# What else git would take from the caller's environment may lead to another repository.
_KEPT = ("GIT_CONFIG", "GIT_EXEC_PATH", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS")
LOG_FORMAT = "%x01%H%x00%P%x00%ct%x00%s%x00%b%x00"
"""How `Repository.log` writes a commit's head; the changes of ``--name-status -z`` follow it."""
_LOG = ("log", "-z", "--name-status", "-M100%", "--no-ext-diff", "--no-textconv", "--no-color")


class GitError(Exception):
    """What git could not do, as one sentence."""


class Repository:
    """A repository, bare or not; all reading of objects goes through one ``cat-file`` process.

    ``seconds`` bounds each command. Every method raises `GitError`, and nothing else, where git is
    missing, refuses, takes too long or does not know what was asked for.
    """

    def __init__(self, path: Path, seconds: float = 300.0) -> None:
        self.path = path
        self._seconds = seconds
        self._objects: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def __enter__(self) -> Repository:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the process that reads objects; it starts anew when one is asked for."""
        with self._lock:
            self._stop()

    @cached_property
    def is_shallow(self) -> bool:
        """Whether the history is cut off, so that its oldest commits seem to add every file."""
        return self._line("rev-parse", "--is-shallow-repository") == "true"

    @cached_property
    def prefix(self) -> str:
        """Where ``path`` lies in the repository: empty, or a folder with a slash at its end."""
        return self._line("rev-parse", "--show-prefix")

    def commit(self, revision: str) -> str:
        """Return the full name of the commit that a tag, branch or name stands for."""
        if not revision or revision.startswith("-") or "\0" in revision:
            raise GitError(f"no commit is called {revision!r}")
        try:
            return self._line("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
        except GitError as error:
            words = str(error) or f"no commit is called {revision!r}"
            raise GitError(words) from error

    def files(self, commit: str) -> list[tuple[str, str, int, bytes]]:
        """Return (mode, object name, size or -1, path) of every file of a commit."""
        listed = self._run("ls-tree", "-r", "-l", "-z", "--full-tree", self.commit(commit))
        found: list[tuple[str, str, int, bytes]] = []
        for entry in listed.split(b"\0"):
            head, tab, path = entry.partition(b"\t")
            if tab:
                mode, _, name, size = head.decode("ascii").split()
                found.append((mode, name, int(size) if size.isdigit() else -1, path))
        return found

    def blob(self, name: str, limit: int) -> tuple[bytes, int]:
        """Return a blob's first bytes, at most ``limit``, and its whole size."""
        with self._lock:
            try:
                return self._blob(name, limit)
            except (OSError, ValueError) as error:
                self._stop()
                raise GitError(f"cannot read object {name}") from error

    def log(
        self,
        include: Iterable[str],
        exclude: Iterable[str] = (),
        most: int | None = None,
        size: int | None = None,
    ) -> bytes:
        """Return the log, newest first, of what ``include`` reaches and ``exclude`` does not.

        Names of nothing are passed over, as long as one is known.
        ``most`` bounds the commits, ``size`` the bytes: the oldest are left out.
        """
        tips = "".join(f"{name}\n" for name in include)
        tips += "".join(f"^{name}\n" for name in exclude)
        bound = () if most is None else (f"--max-count={most}",)
        asked = (*_LOG, f"--format={LOG_FORMAT}", *bound, "--ignore-missing", "--stdin")
        return self._run(*asked, given=tips.encode(), size=size)

    def _line(self, *asked: str) -> str:
        return os.fsdecode(self._run(*asked)).rstrip("\n")

    def _run(self, *asked: str, given: bytes = b"", size: int | None = None) -> bytes:
        process = self._start(*asked)
        timer = threading.Timer(self._seconds, process.kill)
        timer.start()
        try:
            with process:
                data, complaint, is_cut = _exchange(process, given, size)
        except (OSError, ValueError) as error:
            raise GitError(f"git {asked[0]}: {error}") from error
        finally:
            timer.cancel()
        if process.returncode < 0 and not is_cut:
            raise GitError(f"git {asked[0]} took more than {self._seconds:g} s")
        if process.returncode and not is_cut:
            raise GitError(complaint.splitlines()[-1] if complaint else "")
        return data

    def _start(self, *asked: str, stderr: int = subprocess.PIPE) -> subprocess.Popen[bytes]:
        kept = {k: v for k, v in os.environ.items() if k.startswith(_KEPT) or k[:4] != "GIT_"}
        try:
            return subprocess.Popen(
                ["git", *_SAFE, *asked],
                cwd=self.path,
                env={**kept, **_QUIET},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
            )
        except (OSError, ValueError) as error:
            words = error.strerror if isinstance(error, OSError) else str(error)
            raise GitError(f"cannot start git in {self.path}: {words}") from error

    def _blob(self, name: str, limit: int) -> tuple[bytes, int]:
        if self._objects is None or self._objects.poll() is not None:
            self._stop()
            self._objects = self._start("cat-file", "--batch", stderr=subprocess.DEVNULL)
        process = self._objects
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(name.encode("ascii") + b"\n")
        process.stdin.flush()
        head = process.stdout.readline().split()
        if len(head) != 3:
            raise GitError(f"object {name} is not in the repository")
        size = int(head[2])
        data = _read_exactly(process.stdout, min(size, limit))
        _skip(process.stdout, size - len(data) + 1)
        return data, size

    def _stop(self) -> None:
        process, self._objects = self._objects, None
        if process is not None:
            with contextlib.suppress(OSError), process:
                process.kill()


def _exchange(
    process: subprocess.Popen[bytes], given: bytes, size: int | None
) -> tuple[bytes, str, bool]:
    """Hand over what is asked; return the answer, the complaint, and whether it was cut short.

    A log of more than ``size`` bytes is cut before the commit that goes beyond.
    """
    if size is None:
        data, complaint = process.communicate(given)
        return data, complaint.decode("utf-8", "replace").strip(), False
    assert process.stdin is not None
    assert process.stdout is not None
    with contextlib.suppress(BrokenPipeError):
        process.stdin.write(given)
        process.stdin.close()
    data = process.stdout.read(size)
    is_cut = bool(process.stdout.read(1))
    if is_cut:
        data = data[: data.rfind(b"\0\x01") + 1]
    process.kill() if is_cut else process.wait()
    return data, "", is_cut


def _read_exactly(stream: IO[bytes], size: int) -> bytes:
    data = stream.read(size)
    if len(data) != size:
        raise ValueError("git ended in the middle of an object")
    return data


def _skip(stream: IO[bytes], size: int) -> None:
    while size:
        size -= len(_read_exactly(stream, min(size, 1 << 20)))
