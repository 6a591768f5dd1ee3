"""The values of the checks: what a check is, what it found, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Certainty(Enum):
    """How sure a finding is: of a hundred clean programs, one may have a wrong *sure* finding."""

    SURE = "sure"
    """The run fails there, as far as the files that were read tell everything."""
    LIKELY = "likely"
    """The run fails, or is wrong, unless something that was not read prevents it."""
    LOOK = "look"
    """Worth a look; often intended."""

    @property
    def order(self) -> int:
        """The place in a list that begins with what is sure."""
        return list(Certainty).index(self)


@dataclass(frozen=True, slots=True)
class Check:
    """One check: ``id`` as people write it in settings and comments, its taxonomy category.

    ``certainty`` is the highest that a finding of it has. ``about`` says in one sentence what it
    reports, ``explanation`` when that is so and when it keeps silent, ``example`` shows code or a
    setting that it reports.
    """

    id: str
    category: str
    certainty: Certainty
    about: str
    explanation: str
    example: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong at 1-based lines of a workspace file; ``evidence`` are sentences.

    ``file`` is empty, and the lines are 0, where the command itself is wrong that was typed.
    """

    id: str
    category: str
    certainty: Certainty
    file: str
    line: int
    end_line: int
    message: str
    evidence: tuple[str, ...] = ()

    @property
    def order(self) -> tuple[int, str, int, str, str]:
        """What findings are sorted by: the surest first, then by their place."""
        return (self.certainty.order, self.file, self.line, self.id, self.message)


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What the checks found, and one sentence for each thing that could not be looked at.

    ``entries`` are the commands that were checked, as people read them: those that start a program
    of the workspace. ``command`` is the one that was asked about, empty where none was named.
    """

    workspace: str
    findings: tuple[Finding, ...]
    problems: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()
    command: str = ""

    def has(self, certainty: Certainty) -> bool:
        """Say whether there is a finding that is at least as sure."""
        return any(f.certainty.order <= certainty.order for f in self.findings)
