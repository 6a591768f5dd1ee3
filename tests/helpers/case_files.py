"""Cases as text archives: files, steps, and what a client shows after each step.

    What the case is about, in words.
    -- model.py --
    (a file of the workspace)
    -- input/log.txt --
    (a text that steps speak of; files below input/ are not part of the workspace)
    -- steps --
    localize input/log.txt
      model.py:4:8-31 warning tensor_mismatch 1
      lens model.py:3 Suspicious place 1 …

The indented lines are what must be shown after the step; `pytest --update` writes them. See
`README.md` for the steps.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HEADING = re.compile(r"-- (\S.*\S|\S) --")
STEPS = "steps"


@dataclass
class Step:
    """One line of a case's steps and what is shown after it."""

    words: str
    expected: list[str] = field(default_factory=list)


@dataclass
class Case:
    """A case file, taken apart.

    ``only`` names clients (parts of their names), empty for all: the line ``clients: …`` of the
    words before the first file. ``settings`` hold from the start: the line ``settings: {…}``.
    """

    path: Path
    about: str
    only: tuple[str, ...]
    settings: dict[str, Any]
    files: dict[str, str]
    steps: list[Step]

    def dump(self) -> str:
        """Return the archive with the steps as they are now."""
        parts = [self.about]
        for name, text in self.files.items():
            parts.append(f"-- {name} --\n{text}")
        parts.append(f"-- {STEPS} --\n")
        lines = ([step.words, *(f"  {line}" for line in step.expected)] for step in self.steps)
        parts.extend("\n".join(one) + "\n" for one in lines)
        return "".join(parts)


def read_case(path: Path) -> Case:
    """Take a case file apart; ValueError says what is wrong with it."""
    sections: dict[str, str] = {}
    about, name = "", None
    for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
        heading = HEADING.fullmatch(line.rstrip("\n"))
        if heading:
            name = heading[1]
            sections[name] = ""
        elif name is None:
            about += line
        else:
            sections[name] += line
    if STEPS not in sections:
        raise ValueError(f"{path.name} has no steps")
    steps: list[Step] = []
    for line in sections.pop(STEPS).splitlines():
        if line.startswith("  "):
            if not steps:
                raise ValueError(f"{path.name}: expected lines stand below a step")
            steps[-1].expected.append(line[2:])
        elif line.strip() and not line.startswith("#"):
            steps.append(Step(line))
    only = re.search(r"^clients: (.*)$", about, re.M)
    settings = re.search(r"^settings: (.*)$", about, re.M)
    held = json.loads(settings[1]) if settings else {}
    return Case(path, about, tuple(only[1].split()) if only else (), held, sections, steps)
