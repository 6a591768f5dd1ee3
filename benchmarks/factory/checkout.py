"""The files of a commit of a mirrored public repository."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path, PurePosixPath


def export(repository: Path, commit: str, destination: Path) -> list[str]:
    """Write the files of a commit; return the paths whose contents the mirror lacks.

    Submodules and symbolic links are left out. Mirrors lack large files, and ``git archive`` stops
    at the first one. Raises `subprocess.CalledProcessError` where the commit is not there.
    """
    base = ["git", "-C", str(repository)]
    listing = subprocess.run(
        [*base, "ls-tree", "-r", "-z", commit], capture_output=True, check=True
    ).stdout
    entries = []
    for row in listing.split(b"\0"):
        if row:
            about, path = row.split(b"\t", 1)
            mode, kind, name = about.split()
            if kind == b"blob":
                entries.append((mode, name, os.fsdecode(path)))
    contents = subprocess.run(
        [*base, "cat-file", "--batch"],
        input=b"".join(name + b"\n" for _, name, _ in entries),
        capture_output=True,
        check=True,
    ).stdout
    missing, position = [], 0
    for mode, _, path in entries:
        end = contents.index(b"\n", position)
        head = contents[position:end].split()
        position = end + 1
        if head[-1] == b"missing":
            missing.append(path)
            continue
        size = int(head[2])
        data = contents[position : position + size]
        position += size + 1
        if mode == b"120000" or ".." in PurePosixPath(path).parts:
            continue
        file = destination / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        file.chmod(0o755 if mode == b"100755" else 0o644)
    return missing
