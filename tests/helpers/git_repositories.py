"""Small git repositories, made by the real program for one test."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

PERSON = {
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.com",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.com",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}
START = 1_600_000_000
DAY = 86_400


class MadeRepository:
    """A repository under test; commits are a day apart, the first at `START`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.days = 0
        path.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *asked: str, given: bytes = b"") -> str:
        """Run git in the work tree and return its answer, without line end."""
        time = f"{START + DAY * self.days} +0000"
        env = {**os.environ, **PERSON, "GIT_AUTHOR_DATE": time, "GIT_COMMITTER_DATE": time}
        done = subprocess.run(
            ["git", *asked], cwd=self.path, env=env, input=given, capture_output=True, check=True
        )
        return os.fsdecode(done.stdout).rstrip("\n")

    def write(self, file: str, text: str | bytes) -> None:
        """Write a file of the work tree."""
        path = self.path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)

    def commit(self, message: str, **files: str) -> str:
        """Commit everything and return the commit; ``a__b_py="x"`` is the file ``a/b.py``."""
        for name, text in files.items():
            self.write(name.replace("__", "/").removesuffix("_py") + ".py", text)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        self.days += 1
        return self.git("rev-parse", "HEAD")
