"""What a row of the tables of complaints holds."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum


class Weight(IntEnum):
    """How surely words like these ended the job; compared with exceptions, which weigh 100."""

    FATAL = 95
    """The program or the system says that it ends here."""
    SHELL = 75
    """A command failed; its script may have gone on."""
    SPOKEN = 50
    """An error in words, perhaps handled."""
    CONSEQUENCE = 30
    """A launcher or scheduler reports that something else failed."""
    HINT = 15
    """Worth showing where nothing better is found."""


@dataclass(frozen=True, slots=True)
class Complaint:
    """A complaint: the program that speaks, how to find it, its weight, and where it ends.

    ``pattern`` is searched in a line without its time and level; its groups ``message``, ``file``
    and ``line`` (a script's, 1-based) are taken where they exist. ``until`` matches the last line
    of a complaint of several lines; ``back`` looks above for what else belongs to it. ``cues`` are
    words of which a line must hold one: most lines are passed over without the pattern. Without
    a group ``message`` the whole line is the message.
    """

    program: str
    pattern: re.Pattern[str]
    weight: Weight
    cues: tuple[str, ...] = ()
    until: re.Pattern[str] | None = None
    back: re.Pattern[str] | None = None


def row(
    program: str,
    pattern: str,
    weight: Weight,
    cues: str = "",
    until: str | None = None,
    back: str | None = None,
) -> Complaint:
    """Return a table's row from the text of its patterns; ``cues`` are separated by bars."""
    return Complaint(
        program,
        re.compile(pattern),
        weight,
        tuple(cues.split("|")) if cues else (),
        re.compile(until) if until else None,
        re.compile(back) if back else None,
    )
