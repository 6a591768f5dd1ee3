"""The ``git`` program, used only to read the log.

A repository whose folder holds pipes, devices or sockets is refused, since git would wait for
them without end.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import stat
import subprocess
import threading
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from dl_bug_lsp import data_folder

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
    """A repository, bare or not.

    ``seconds`` bounds each command. Every method raises `GitError`, and nothing else, where git is
    missing, refuses, takes too long or does not know what was asked for.
    """

    def __init__(self, path: Path, seconds: float = 300.0) -> None:
        self.path = path
        self._seconds = seconds

    @cached_property
    def is_shallow(self) -> bool:
        """Whether the history is cut off, so that its oldest commits seem to add every file."""
        return self._line("rev-parse", "--is-shallow-repository") == "true"

    @cached_property
    def prefix(self) -> str:
        """Where ``path`` lies in the repository: empty, or a folder with a slash at its end."""
        return self._line("rev-parse", "--show-prefix")

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
        return self._run(*asked, request=tips.encode(), size=size)

    def committed_files(self) -> dict[str, str]:
        """Return the object name of each file below ``path`` in the newest commit.

        Names are relative to ``path``; links and submodules are left out.
        """
        hashes: dict[str, str] = {}
        for row in self._run("ls-tree", "-r", "-z", "HEAD").split(b"\0"):
            head, _, name = row.partition(b"\t")
            mode, _, rest = head.partition(b" ")
            if mode.startswith(b"100") and name:
                hashes[os.fsdecode(name)] = rest.rpartition(b" ")[2].decode("ascii", "replace")
        return hashes

    def content(self, sha: str, size: int) -> bytes:
        """Return the first ``size`` bytes of an object; no filter of the repository is run."""
        return self._run("cat-file", "blob", sha, size=size)

    def _line(self, *asked: str) -> str:
        return os.fsdecode(self._run(*asked)).rstrip("\n")

    def _run(self, *asked: str, request: bytes = b"", size: int | None = None) -> bytes:
        process = self._start(*asked)
        timer = threading.Timer(self._seconds, process.kill)
        timer.start()
        try:
            with process:
                data, complaint, is_cut = _exchange(process, request, size)
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
        variables = {k: v for k, v in os.environ.items() if k.startswith(_KEPT) or k[:4] != "GIT_"}
        try:
            return subprocess.Popen(
                ["git", *_SAFE, *asked],
                cwd=self.path,
                env={**variables, **_QUIET},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
            )
        except (OSError, ValueError) as error:
            words = error.strerror if isinstance(error, OSError) else str(error)
            raise GitError(f"cannot start git in {self.path}: {words}") from error


def _exchange(
    process: subprocess.Popen[bytes], request: bytes, size: int | None
) -> tuple[bytes, str, bool]:
    """Hand over what is asked; return the answer, the complaint, and whether it was cut short.

    A log of more than ``size`` bytes is cut before the commit that goes beyond.
    """
    if size is None:
        data, complaint = process.communicate(request)
        return data, complaint.decode("utf-8", "replace").strip(), False
    assert process.stdin is not None
    assert process.stdout is not None
    with contextlib.suppress(BrokenPipeError):
        process.stdin.write(request)
        process.stdin.close()
    data = process.stdout.read(size)
    is_cut = bool(process.stdout.read(1))
    if is_cut:
        data = data[: data.rfind(b"\0\x01") + 1]
    process.kill() if is_cut else process.wait()
    return data, "", is_cut


MOST_ENTRIES = 50_000
"""Names that are looked at; what git does beyond them is bounded by its time alone."""
_LARGEST = 2**20
_DEEPEST = 10
"""Configuration files that include each other, and object folders that borrow from each other."""
_NAMING = ("config", "config.worktree", "info/alternates")
"""The ends of the names of files that name further ones."""
_SECTION = re.compile(r"^[ \t]*\[[ \t]*([\w.-]+)", re.M)
_PATH = re.compile(r"(?:^|\])[ \t]*path[ \t]*=[ \t]*([^\n]*)", re.M | re.I)


def is_in_repository(root: Path) -> bool:
    """Say whether a repository begins at a folder or above it; git is not started."""
    return bool(_around(root))


def unreadable(root: Path) -> str | None:
    """Return a file of the repository around a folder that is no regular one, None without any."""
    folders = _around(root)
    with suppress(OSError, ValueError, RuntimeError):
        return next(_Search().odd(folders), None) if folders else None
    return None


def _around(root: Path) -> list[Path]:
    """Return the folders of the innermost repository around a folder, empty without one."""
    with suppress(OSError, ValueError, RuntimeError):
        real = root.resolve()
        return next(filter(None, map(_folders, (real, *real.parents))), [])
    return []


def _folders(around: Path) -> list[Path]:
    """Return the folders of the repository that begins at a folder; empty where none does."""
    mark = around / ".git"
    if mark.is_dir():
        return _with_common(mark)
    if os.path.lexists(mark):
        text = _text(mark)
        if text is None:
            return [mark]
        if text.startswith("gitdir:"):
            return _with_common(around / text[7:].strip())
    bare = os.path.lexists(around / "HEAD") and (around / "objects").is_dir()
    return [around] if bare else []


def _with_common(folder: Path) -> list[Path]:
    common = _text(folder / "commondir")
    return [folder, folder / common.strip()] if common and common.strip() else [folder]


def _text(file: Path) -> str | None:
    try:
        with data_folder.open_regular(file) as stream:
            return stream.read(_LARGEST).decode("utf-8", "replace")
    except (OSError, ValueError):
        return None


class _Search:
    def __init__(self) -> None:
        self._left = MOST_ENTRIES
        self._seen: set[str] = set()

    def odd(self, folders: list[Path]) -> Iterator[str]:
        """Yield the files that are no regular ones, below some folders and where these lead."""
        pending = [(str(folder), 0) for folder in folders]
        while pending and self._left > 0:
            name, depth = pending.pop()
            real = os.path.realpath(name)
            if real in self._seen or depth > _DEEPEST:
                continue
            self._seen.add(real)
            try:
                mode = os.stat(real).st_mode  # noqa: PTH116 - of very many files
            except OSError:
                continue
            self._left -= 1
            if stat.S_ISDIR(mode):
                pending += [(inner, depth) for inner in self._inside(real, every=depth > 0)]
            elif not stat.S_ISREG(mode):
                yield name
            elif name.endswith(_NAMING[:2]) or depth:
                pending += [(inner, depth + 1) for inner in _included(Path(name))]
            elif name.endswith("info/alternates"):
                pending += [(inner, depth) for inner in _borrowed(Path(name))]

    def _inside(self, folder: str, *, every: bool) -> Iterator[str]:
        """Yield what is to be looked at in a folder: links, folders and odd files.

        Of its regular files these are only those that name further files, unless ``every`` one is
        wanted: a repository has tens of thousands of objects.
        """
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in itertools.islice(entries, max(self._left, 0)):
                plain = entry.is_file(follow_symlinks=False)
                if plain and not every and not entry.path.endswith(_NAMING):
                    self._left -= 1
                else:
                    yield entry.path


def _included(config: Path) -> Iterator[str]:
    """Yield the files that a configuration includes, whatever its conditions."""
    text = _text(config) or ""
    marks = [*_SECTION.finditer(text)]
    for at, mark in enumerate(marks):
        if mark[1].lower() in ("include", "includeif"):
            end = marks[at + 1].start() if at + 1 < len(marks) else len(text)
            for match in _PATH.finditer(text, mark.end(), end):
                written = match[1].split(" #")[0].split(" ;")[0].strip().replace('"', "")
                yield str(config.parent / Path(written).expanduser())


def _borrowed(alternates: Path) -> Iterator[str]:
    for line in (_text(alternates) or "").splitlines():
        if line.strip() and not line.startswith("#"):
            yield str(alternates.parent.parent / line.strip())
