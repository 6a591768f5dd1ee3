"""The values of the fixes: edits of whole or partial lines, with the reason for people."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Edit:
    """One change: the 1-based ``line`` of ``file``, which reads ``before``, becomes ``after``.

    An ``after`` with line breaks adds lines; line ends themselves are not part of either text.
    """

    file: str
    line: int
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A fix that is certain: what to do in words (an imperative), why it is right, the edits."""

    title: str
    reason: str
    edits: tuple[Edit, ...]
