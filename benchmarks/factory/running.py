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
LEAST_S = 5.0
START_S = 240.0
PROGRAMS_A_SERVER = 10
"""More programs would fill a server with packages that the next one does not import."""
FEW_MODULES = 30
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
    """How a run ended: exit code, the limit that ended it, seconds, the processor's, output."""

    code: int
    stopped: str | None
    seconds: float
    processor: float
    output: bytes

    @property
    def ended_well(self) -> bool:
        """Whether it ended by itself with exit code 0."""
        return self.code == 0 and self.stopped is None


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that a run may take; sizes in bytes.

    A run has at least ``least_s`` seconds of the processor, however short the clean run is.
    """

    file_bytes: int = FILE_BYTES
    disk_bytes: int = DISK_BYTES
    memory_bytes: int = MEMORY_BYTES
    processes: int = PROCESSES
    least_s: float = LEAST_S


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

    @property
    def is_large(self) -> bool:
        """Whether compiling the program's modules for each run would take long."""
        return sum(1 for file in self._state if file.endswith(".py")) > FEW_MODULES

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


class Server:
    """The fork server of one interpreter; programs of one framework and environment share it."""

    def __init__(self, python: Path, at: Path) -> None:
        self.python = python
        self.at = at
        self.loaded: dict[str, None] = {}
        self.failed: set[str] = set()
        self._key: object = None
        self._process: subprocess.Popen[bytes] | None = None
        self._programs: set[str] = set()

    def ensure(self, key: object, program: str, environment: Mapping[str, str]) -> None:
        """Start a process unless the one that runs is of the same ``key`` and not too full."""
        alive = self._process is not None and self._process.poll() is None
        full = program not in self._programs and len(self._programs) >= PROGRAMS_A_SERVER
        if not alive or key != self._key or full:
            self.close()
            self.at.mkdir(parents=True, exist_ok=True)
            with (self.at / "server.txt").open("wb") as messages:
                self._process = subprocess.Popen(
                    [str(self.python), str(HERE / "fork_server.py")],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=messages,
                    cwd=self.at,
                    env=dict(environment),
                    start_new_session=True,
                )
            self._key = key
            self.answer(START_S)
        self._programs.add(program)

    def preload(self, modules: Iterable[str]) -> None:
        """Have the process import modules; those that fail are passed over."""
        names = [m for m in dict.fromkeys(modules) if m not in self.loaded]
        if names:
            self.failed.update(self.ask({"preload": names}, START_S)["loaded"])
            self.loaded.update(dict.fromkeys(names))

    def ask(self, request: dict[str, Any], timeout_s: float) -> dict[str, Any]:
        """Send a request and return its answer; RuntimeError where none comes in time."""
        if self._process is None or self._process.poll() is not None:
            raise RuntimeError("the fork server is not running")
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(request).encode() + b"\n")
        self._process.stdin.flush()
        return self.answer(timeout_s)

    def answer(self, timeout_s: float) -> dict[str, Any]:
        """Return the process's next answer."""
        assert self._process is not None and self._process.stdout is not None
        ready, _, _ = select.select([self._process.stdout], [], [], timeout_s)
        line = self._process.stdout.readline() if ready else b""
        if not line:
            self.close()
            raise RuntimeError("the fork server gave no answer")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        """End the process and what it runs."""
        process, self._process = self._process, None
        self.loaded.clear()
        self._programs.clear()
        if process is None:
            return
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@dataclass
class Runner:
    """Runs a program in its working copy through a fork server."""

    program: Program
    copy: WorkingCopy
    python: Path
    server: Server
    limits: Limits = field(default_factory=Limits)

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
            "PYTHONDONTWRITEBYTECODE": "1",
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
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        }
        if self.program.python_path:
            entries = [str(self.copy.root / p) for p in self.program.python_path]
            found["PYTHONPATH"] = os.pathsep.join(entries)
        return {**found, **self.program.environment}

    def start(self, modules: Iterable[str]) -> None:
        """Have a server run that has ``modules`` imported."""
        own = tuple(sorted(self.program.environment.items()))
        hidden = ("PYTHONPATH", "TMPDIR", "PYTHONDONTWRITEBYTECODE")
        environment = {k: v for k, v in self.environment.items() if k not in hidden}
        self.server.ensure((self.program.framework, own), self.program.id, environment)
        self.server.preload(modules)

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
        processor_s: float | None = None,
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
            "processor_s": processor_s or timeout_s or self.program.timeout_s,
            "watch": [str(self.copy.root), str(self.copy.scratch), str(self.copy.home)],
            "file_bytes": self.limits.file_bytes,
            "disk_bytes": self.limits.disk_bytes + self._kept_bytes(),
            "memory_bytes": self.limits.memory_bytes,
            "processes": self.limits.processes,
            "format": shape,
            "seed": seed,
            "byte_code": str(self.copy.cache) if self.copy.is_large else None,
        }
        if trace is not None:
            request["trace"] = str(trace)
            request["lines"] = lines
        reply = self.server.ask(request, request["timeout_s"] + 60.0)
        with output.open("rb") as stream:
            text = stream.read(self.limits.file_bytes)
        return Ending(reply["code"], reply["stopped"], reply["seconds"], reply["processor"], text)

    def _kept_bytes(self) -> int:
        return sum(size for size, _, _ in self.copy._state.values())


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


def work_folder(store: Path) -> Path:
    """Return the folder of a store's working copies.

    It lies outside of any project: pytest, git and others look for settings in the folders above.
    """
    return Path(tempfile.gettempdir()).resolve() / f"factory-{seed_of('work', store) % 10**6:06}"
