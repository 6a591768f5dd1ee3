"""The programs: ours with their faults mended, and public ones that TOML files name.

Of a public program only the name, the commit and the command stand in the repository; its files are
taken from a copy of the repository below a folder of mirrors (``OWNER+NAME/repo``).
"""

from __future__ import annotations

import fnmatch
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import fields
from pathlib import Path, PurePosixPath
from typing import Any

from factory.checkout import export
from factory.values import Program

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parent.parent
OURS = "ours"
MAX_EDITABLE_BYTES = 200_000
"""Larger files are data that nobody edits by hand."""
PYTHON_SCRIPT = re.compile(r"python3?\s")
NOT_PLAIN = re.compile(r"[;&|<>$`]")
PIPED = re.compile(r"^(?:set -o pipefail;)?\s*(.*?)\s*(?:2>&1\s*)?\|.*$", re.DOTALL)
BRACED = re.compile(r"^\{\s*(.*?);?\s*\}$", re.DOTALL)
ASSIGNMENT = re.compile(r"^([A-Z_][A-Z0-9_]*)=(\S*)\s+")
LOSS = r"(?i)loss\W{1,4}([\d.]+(?:e[-+]?\d+)?|nan)\b"
"""What judges silent faults of ours: the last loss that is printed."""
KINDS = {
    "python": ("*.py",),
    "requirements": ("*requirements*.txt", "environment*.y*ml", "setup.cfg"),
    "launch": ("*.sh", "Makefile", "*.mk", "*.slurm", "*.sbatch", "Dockerfile"),
    "data": ("*.csv", "*.tsv", "*.jsonl", "*.txt", "*data/*.json", "*data/*/*.json"),
    "config": ("*.yaml", "*.yml", "*.json", "*.toml", "*.ini", "*.cfg", "*.conf"),
}
"""Kinds of files by pattern, asked in this order; of a path and of its last part."""


def kind_of(path: str) -> str | None:
    """Return what kind of file operators see at a path (`Operator.targets`), None for others."""
    name = PurePosixPath(path).name
    for kind, patterns in KINDS.items():
        if any(fnmatch.fnmatch(path, p) or fnmatch.fnmatch(name, p) for p in patterns):
            return kind
    return None


def programs(mirror: Path | None, folder: Path = HERE / "programs") -> list[Program]:
    """Return all programs by id: ours, and those of the TOML files whose repository is there."""
    found = [*our_programs(PROJECT / "fixtures"), *public_programs(folder, mirror)]
    return sorted(found, key=lambda p: p.id)


def our_programs(fixtures: Path) -> list[Program]:
    """Return the fixtures' programs; cases of one base are one source.

    The shared gallery is no source: it holds no fixes, so its programs never end well.
    """
    found = []
    for folder in sorted(fixtures.glob("[0-9][0-9][0-9]-*")):
        if not (folder / "fix.patch").is_file():
            continue
        truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
        command, environment = plain_command(truth["command"])
        base = truth.get("base") or f"{folder.name[0]}-{folder.name.split('-')[1]}"
        found.append(
            Program(
                id=f"{OURS}-{folder.name}",
                source=f"{OURS}-{base}",
                framework=truth["framework"],
                command=command,
                editable=("*",),
                folder=str(folder),
                setup=truth["setup"],
                environment=environment,
                metric=LOSS,
                timeout_s=float(truth.get("timeout_s") or 60.0) / 2,
            )
        )
    return found


def plain_command(text: str) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return a shell line's words and its variables, without the pipe that only shapes its output.

    What is more than one command stays a command of bash.
    """
    piped = PIPED.match(text)
    kept = BRACED.sub(r"\1", piped[1]) if piped and not NOT_PLAIN.search(piped[1]) else text
    if piped and (braced := BRACED.match(piped[1])):
        kept = braced[1]
    environment = {}
    while assigned := ASSIGNMENT.match(kept):
        environment[assigned[1]] = assigned[2]
        kept = kept[assigned.end() :]
    if NOT_PLAIN.search(kept) or "\n" in kept:
        return ("bash", "-c", kept), environment
    words = shlex.split(kept)
    known = ("python", "torchrun", "bash", "sh", "make", "accelerate", "pytest")
    if words[0] in known:
        return tuple(words), environment
    return ("bash", "-c", kept), environment


def public_programs(folder: Path, mirror: Path | None) -> list[Program]:
    """Return the programs of the TOML files whose repository stands below ``mirror``."""
    found = []
    names = {f.name for f in fields(Program)}
    for file in sorted(folder.glob("*.toml")):
        data = tomllib.loads(file.read_text(encoding="utf-8"))
        shared = {k: v for k, v in data.items() if k in names}
        for entry in data.get("program", data.get("programs", [])):
            values: dict[str, Any] = {**shared, **entry}
            unknown = values.keys() - names
            if unknown:
                raise ValueError(f"{file.name}: {', '.join(sorted(unknown))} unknown")
            values.setdefault("source", file.stem)
            for name in ("command", "editable", "python_path", "installed", "preload"):
                if isinstance(values.get(name), str):
                    values[name] = shlex.split(values[name])
                if name in values:
                    values[name] = tuple(values[name])
            program = Program(**values)
            if program.repository is None or repository_of(program, mirror) is not None:
                found.append(program)
    return found


def repository_of(program: Program, mirror: Path | None) -> Path | None:
    """Return the git directory of a program's repository below ``mirror``, None without one."""
    if mirror is None or program.repository is None:
        return None
    name = program.repository.removeprefix("github:").replace("/", "+")
    for path in (mirror / name / "repo", mirror / f"{name}.git", mirror / name):
        if (path / "HEAD").is_file() or (path / ".git").exists():
            return path
    return None


def checkout(program: Program, mirror: Path | None, store: Path) -> Path:
    """Return the folder of a program's files as they are at its commit, made once."""
    if program.repository is None:
        return mended(program, store)
    name = program.repository.replace("/", "+")
    at = store / "checkouts" / f"{name}@{(program.commit or 'HEAD')[:12]}"
    if at.is_dir():
        return at
    repository = repository_of(program, mirror)
    if repository is None:
        raise FileNotFoundError(f"no copy of {program.repository}")
    fresh = at.with_name(f"{at.name}.{os.getpid()}")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    export(repository, program.commit or "HEAD", fresh)
    _put(fresh, at)
    return at


def _put(fresh: Path, at: Path) -> None:
    try:
        fresh.rename(at)
    except OSError:
        # Another process was quicker.
        shutil.rmtree(fresh)


def mended(program: Program, store: Path) -> Path:
    """Return a fixture's workspace with its fix applied; other folders as they are."""
    folder = Path(program.folder or "")
    patch = folder / "fix.patch"
    if not patch.is_file():
        return folder
    at = store / "checkouts" / program.id
    if at.is_dir():
        return at
    fresh = at.with_name(f"{at.name}.{os.getpid()}")
    shutil.rmtree(fresh, ignore_errors=True)
    ignored = shutil.ignore_patterns("__pycache__", ".git", "*.orig")
    shutil.copytree(folder / "workspace", fresh, ignore=ignored)
    command = ["patch", "-p1", "-s", "--no-backup-if-mismatch"]
    subprocess.run(command, cwd=fresh, input=patch.read_bytes(), check=True)
    _put(fresh, at)
    return at


def inputs_of(program: Program) -> Path | None:
    """Return the folder of small inputs of ours that are laid over a checkout."""
    if program.inputs is None:
        return None
    return PROJECT / program.inputs


def editable_files(program: Program, root: Path) -> list[str]:
    """Return the files that a user would edit, relative to ``root``, by name."""
    found = []
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        hidden = any(part.startswith(".") or part == "__pycache__" for part in name.split("/"))
        if hidden or path.is_symlink() or not path.is_file() or kind_of(name) is None:
            continue
        matches = any(
            fnmatch.fnmatch(name, p) or PurePosixPath(name).match(p) for p in program.editable
        )
        if matches and path.stat().st_size <= MAX_EDITABLE_BYTES:
            found.append(name)
    return found


def size_of(root: Path) -> str:
    """Return the class of a program's size by its Python files."""
    count = sum(1 for path in root.rglob("*.py"))
    return "1-10 files" if count <= 10 else "11-100 files" if count <= 100 else "over 100 files"


def seed_of(*parts: object) -> int:
    """Return a number of 64 bits that depends on the texts of ``parts`` alone."""
    text = "\0".join(map(str, parts))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
