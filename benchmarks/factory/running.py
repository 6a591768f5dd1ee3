"""Runs of a program: its working copy, its fork server, what it printed in neutral words."""

from __future__ import annotations

import json
import os
import re
import select
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from factory.catalogue import inputs_of, seed_of
from factory.values import Program

HERE = Path(__file__).resolve().parent
FILE_BYTES = 64 << 20
DISK_BYTES = 256 << 20
MEMORY_BYTES = 6 << 30
PROCESSES = 48
START_S = 120.0
FIRST_MTIME = 1_600_000_000
FRAMEWORK_MODULES = {
    "pytorch": ("numpy", "torch", "torch.utils.data"),
    "lightning": ("numpy", "torch", "torch.utils.data", "lightning"),
    "transformers": ("numpy", "torch", "torch.utils.data", "transformers"),
    "tensorflow": ("numpy", "tensorflow", "keras"),
    "keras": ("numpy", "keras"),
    "jax": ("numpy", "jax", "jax.numpy"),
    "flax": ("numpy", "jax", "flax"),
    "sklearn": ("numpy", "sklearn"),
}
"""What a server imports before the clean run tells what the program imports."""
PACKAGE_PAGE = re.compile(rb"https://\w+\.org/project/")
SITE_PACKAGES = "/opt/venv/lib/python3.11/site-packages"
USERS = ("maria", "jonas", "li.wei", "priya", "sam", "tomek", "noor", "akira")
ROOTS = (
    "/home/{user}/projects/{name}",
    "/home/{user}/{name}",
    "/workspace/{name}",
    "/root/{name}",
    "/mnt/data/{user}/{name}",
    "/scratch/{user}/{name}",
    "/Users/{user}/code/{name}",
    "/content/{name}",
    "/srv/jobs/{name}",
    "/app",
    "/opt/ml/code",
    "/data/{user}/repos/{name}",
)


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ended: its exit code, the limit that ended it, its time and what it printed."""

    code: int
    stopped: str | None
    seconds: float
    output: bytes

    @property
    def ended_well(self) -> bool:
        """Whether it ended by itself with exit code 0."""
        return self.code == 0 and self.stopped is None


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that a run may take; sizes in bytes."""

    file_bytes: int = FILE_BYTES
    disk_bytes: int = DISK_BYTES
    memory_bytes: int = MEMORY_BYTES
    processes: int = PROCESSES


class WorkingCopy:
    """A copy of a program that is edited and run in place, and restored from what is kept.

    ``root`` is the workspace; beside it stand the kept files, a home, a folder for temporary files
    and the cache of byte code.
    """

    def __init__(self, program: Program, checkout: Path, at: Path) -> None:
        self.program = program
        shutil.rmtree(at, ignore_errors=True)
        self.root, self.kept = at / "w", at / "kept"
        self.home, self.scratch, self.cache = at / "home", at / "tmp", at / "pyc"
        for folder in (self.home, self.scratch, self.cache):
            folder.mkdir(parents=True)
        ignored = shutil.ignore_patterns("__pycache__", ".git")
        shutil.copytree(checkout, self.root, symlinks=True, ignore=ignored)
        inputs = inputs_of(program)
        if inputs is not None:
            shutil.copytree(inputs, self.root, dirs_exist_ok=True)
        self._state: dict[str, tuple[int, int, int]] = {}
        self._changed: set[str] = set()
        self._clock = FIRST_MTIME

    def keep(self) -> None:
        """Take the workspace as it is now as what `restore` brings back."""
        shutil.rmtree(self.kept, ignore_errors=True)
        shutil.copytree(self.root, self.kept, symlinks=True)
        self._state = dict(self._walk())

    def texts(self, files: Iterable[str]) -> dict[str, str]:
        """Return the kept texts of files that are UTF-8, with their line ends as they are."""
        found = {}
        for file in files:
            try:
                found[file] = (self.kept / file).read_bytes().decode("utf-8")
            except (OSError, UnicodeDecodeError):
                continue
        return found

    def write(self, texts: Mapping[str, str]) -> None:
        """Put texts in the place of files; each gets a time of its own.

        Byte code is cached by a file's time in seconds and its size.
        """
        for file, text in texts.items():
            path = self.root / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode("utf-8", errors="surrogateescape"))
            self._clock += 2
            os.utime(path, (self._clock, self._clock))
            self._changed.add(file)

    def restore(self) -> None:
        """Bring the workspace back to what was kept, and empty home and temporary files."""
        now = dict(self._walk())
        for file in now.keys() - self._state.keys():
            (self.root / file).unlink(missing_ok=True)
        for file, state in self._state.items():
            if now.get(file) != state or file in self._changed:
                path = self.root / file
                path.parent.mkdir(parents=True, exist_ok=True)
                path.unlink(missing_ok=True)
                shutil.copy2(self.kept / file, path, follow_symlinks=False)
                self._state[file] = _state_of(path)
        self._changed.clear()
        self._remove_new_folders()
        for folder in (self.home, self.scratch):
            if any(folder.iterdir()):
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir(exist_ok=True)

    def _remove_new_folders(self) -> None:
        folders = {str(Path(file).parent) for file in self._state}
        known = {"."}
        for folder in folders:
            known.update([folder, *map(str, Path(folder).parents)])
        for top, below, _ in os.walk(self.root):
            for name in list(below):
                path = Path(top, name)
                if path.is_symlink() or str(path.relative_to(self.root)) in known:
                    continue
                if not (self.kept / path.relative_to(self.root)).is_dir():
                    shutil.rmtree(path, ignore_errors=True)
                    below.remove(name)

    def _walk(self) -> Iterable[tuple[str, tuple[int, int, int]]]:
        todo = [str(self.root)]
        skip = len(str(self.root)) + 1
        while todo:
            for entry in os.scandir(todo.pop()):
                if entry.is_dir(follow_symlinks=False):
                    todo.append(entry.path)
                else:
                    told = entry.stat(follow_symlinks=False)
                    yield entry.path[skip:], (told.st_size, told.st_mtime_ns, told.st_ino)


def _state_of(path: Path) -> tuple[int, int, int]:
    told = path.lstat()
    return told.st_size, told.st_mtime_ns, told.st_ino


@dataclass
class Runner:
    """Runs a program in its working copy through a fork server of one interpreter."""

    program: Program
    copy: WorkingCopy
    python: Path
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        self._server: subprocess.Popen[bytes] | None = None
        self._messages: Path = self.copy.root.parent / "server.txt"
        self.failed: list[str] = []

    @property
    def environment(self) -> dict[str, str]:
        """The environment of runs, as ``fixtures/record.py`` sets it."""
        found = {
            "PATH": f"{self.python.parent}{os.pathsep}/usr/local/bin:/usr/bin:/bin",
            "HOME": str(self.copy.home),
            "TMPDIR": str(self.copy.scratch),
            "LANG": "C.UTF-8",
            "PYTHONUNBUFFERED": "1",
            "PYTHONHASHSEED": "0",
            "PYTHONPYCACHEPREFIX": str(self.copy.cache),
            "CUDA_VISIBLE_DEVICES": "",
            "HF_HUB_OFFLINE": "1",
            "HF_DATASETS_OFFLINE": "1",
            "TRANSFORMERS_OFFLINE": "1",
            "WANDB_MODE": "disabled",
            "TOKENIZERS_PARALLELISM": "false",
            "JAX_PLATFORMS": "cpu",
            "MPLBACKEND": "Agg",
            "OMP_NUM_THREADS": "1",
            "MKL_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
            "TF_NUM_INTRAOP_THREADS": "1",
            "TF_NUM_INTEROP_THREADS": "1",
            "COLUMNS": "100",
        }
        if self.program.python_path:
            entries = [str(self.copy.root / p) for p in self.program.python_path]
            found["PYTHONPATH"] = os.pathsep.join(entries)
        return {**found, **self.program.environment}

    def start(self, modules: Iterable[str]) -> None:
        """Start a server that has ``modules`` imported; those that fail are kept in ``failed``."""
        self.close()
        environment = {k: v for k, v in self.environment.items() if k != "PYTHONPATH"}
        with self._messages.open("wb") as messages:
            self._server = subprocess.Popen(
                [str(self.python), str(HERE / "fork_server.py")],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=messages,
                cwd=self.copy.home,
                env=environment,
                start_new_session=True,
            )
        self._answer(START_S)
        self.failed = []
        self.preload(modules)

    def preload(self, modules: Iterable[str]) -> None:
        """Have the server import more modules."""
        names = list(dict.fromkeys(modules))
        self.failed += self._ask({"preload": names}, START_S).get("loaded", [])

    def setup(self) -> bool:
        """Run the program's ``setup`` once; return whether it ended well."""
        if not self.program.setup:
            return True
        done = subprocess.run(
            ["bash", "-c", self.program.setup],
            cwd=self.copy.root,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=self.program.timeout_s * 2,
            check=False,
        )
        return done.returncode == 0

    def run(
        self,
        *,
        shape: str = "plain",
        seed: int = 0,
        trace: Path | None = None,
        lines: bool = False,
        timeout_s: float | None = None,
        command: tuple[str, ...] | None = None,
    ) -> Ending:
        """Run the program's command, or another one, and return how it ended."""
        output = self.copy.root.parent / "log.txt"
        words = list(command or self.program.command)
        if words[0] == "python3":
            words[0] = "python"
        if words[0] == "pytest":
            words = ["python", "-m", *words]
        request: dict[str, Any] = {
            "command": words,
            "folder": str(self.copy.root),
            "output": str(output),
            "environment": {**self.environment, "FACTORY_SEED": str(seed)},
            "python_path": list(self.program.python_path),
            "timeout_s": timeout_s or self.program.timeout_s,
            "watch": [str(self.copy.root), str(self.copy.scratch), str(self.copy.home)],
            "file_bytes": self.limits.file_bytes,
            "disk_bytes": self.limits.disk_bytes + self._kept_bytes(),
            "memory_bytes": self.limits.memory_bytes,
            "processes": self.limits.processes,
            "format": shape,
            "seed": seed,
        }
        if trace is not None:
            request["trace"] = str(trace)
            request["lines"] = lines
        reply = self._ask(request, request["timeout_s"] + 60.0)
        with output.open("rb") as stream:
            text = stream.read(self.limits.file_bytes)
        return Ending(reply["code"], reply["stopped"], reply["seconds"], text)

    def _kept_bytes(self) -> int:
        return sum(size for size, _, _ in self.copy._state.values())

    def _ask(self, request: dict[str, Any], timeout_s: float) -> dict[str, Any]:
        if self._server is None or self._server.poll() is not None:
            raise RuntimeError("the fork server is not running")
        assert self._server.stdin is not None
        self._server.stdin.write(json.dumps(request).encode() + b"\n")
        self._server.stdin.flush()
        return self._answer(timeout_s)

    def _answer(self, timeout_s: float) -> dict[str, Any]:
        assert self._server is not None and self._server.stdout is not None
        ready, _, _ = select.select([self._server.stdout], [], [], timeout_s)
        line = self._server.stdout.readline() if ready else b""
        if not line:
            self.close()
            raise RuntimeError("the fork server gave no answer")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        """End the server and what it runs."""
        server, self._server = self._server, None
        if server is None:
            return
        for stream in (server.stdin, server.stdout):
            if stream is not None:
                stream.close()
        try:
            server.wait(timeout=5)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()

    def __enter__(self) -> Runner:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass(frozen=True, slots=True)
class Machine:
    """The folders of the machine that runs, which logs do not show."""

    stdlib: str
    environment: str

    @classmethod
    def of(cls, python: Path) -> Machine:
        """Ask an interpreter."""
        probe = (
            "import sysconfig as s; print(s.get_path('stdlib')); print(s.get_path('data'));"
            "import numpy"
        )
        shown = subprocess.run([python, "-c", probe], capture_output=True, text=True, check=False)
        stdlib, environment = shown.stdout.split()[:2]
        return cls(stdlib, environment)


def shown_root(program: Program, case: str) -> str:
    """Return the folder that a case's log shows as the program's root."""
    number = seed_of("root", case)
    name = (program.repository or program.source).rpartition("/")[2]
    name = re.sub(r"^ours-\d-", "", name)
    pattern = ROOTS[number % len(ROOTS)]
    return pattern.format(user=USERS[number // len(ROOTS) % len(USERS)], name=name)


def neutral(
    text: bytes, program: Program, copy: WorkingCopy, machine: Machine, root: str, site: bool
) -> bytes:
    """Return a log with the folders of this machine replaced.

    ``root`` is shown for the workspace; with ``site`` the program's ``installed`` folders stand
    below site-packages. Boxes of rich keep their right edge.
    """
    pairs = []
    if site:
        for folder in program.installed:
            shown = f"{SITE_PACKAGES}/{folder.rstrip('/').rpartition('/')[2]}/"
            pairs.append((f"{copy.root}/{folder.rstrip('/')}/", shown))
    user = re.match(r"/(?:home|Users)/[^/]+", root)
    home = user[0] if user else "/root"
    below = str(copy.root).removeprefix(str(Path.home()))
    pairs += [
        (str(copy.root), root),
        (str(copy.home), home),
        (str(copy.scratch), "/tmp"),
        (str(copy.root.parent), home),
        (machine.stdlib, "/usr/lib/python3.11"),
        (machine.environment, "/opt/venv"),
    ]
    if below != str(copy.root):
        pairs.append((f"~{below}", root))
    encoded = [(old.encode(), new.encode()) for old, new in pairs]
    if "│".encode() in text:
        return b"".join(_in_box(line, encoded) for line in text.splitlines(keepends=True))
    return _replaced(text, encoded)


def _replaced(text: bytes, pairs: list[tuple[bytes, bytes]]) -> bytes:
    for old, new in pairs:
        text = text.replace(old, new)
    return PACKAGE_PAGE.sub(b"https://packages.example/project/", text)


def _in_box(line: bytes, pairs: list[tuple[bytes, bytes]]) -> bytes:
    edge = "│".encode()
    fresh = _replaced(line, pairs)
    body = fresh.rstrip(b"\r\n")
    if fresh == line or not body.endswith(edge):
        return fresh
    width = len(line.rstrip(b"\r\n").decode(errors="replace"))
    inner = body[: -len(edge)].rstrip(b" ").decode(errors="replace")
    return inner.ljust(width - 1).encode() + edge + fresh[len(body) :]


def temporary_folder() -> Path:
    """Return a new folder for a working copy."""
    return Path(tempfile.mkdtemp(prefix="factory-"))
