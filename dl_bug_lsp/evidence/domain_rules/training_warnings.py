"""Warnings in the log of a run that learns nothing, at the lines of the workspace they name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Clue
from dl_bug_lsp.evidence.domain_rules.training_program import Training
from dl_bug_lsp.evidence.domain_rules.training_syntax import clue

MOST_LINES = 4_000
"""Lines at the beginning of a log in which warnings are looked for: Python prints each once."""
WARNING = re.compile(r"^(?P<file>[^\s:][^:\n]{0,300}\.py):(?P<line>\d{1,7}): \w{0,60}Warning: ")
DECISIVE = (
    ("that is different to the input size", "targets and predictions are spread over each other"),
    ("none of the inputs have requires_grad", "no gradient passes here"),
    ("invalid value encountered", "a value that is no number arises here"),
    ("divide by zero encountered", "a division by zero happens here"),
    ("overflow encountered", "a value grows beyond what its type holds"),
    ("before `optimizer.step()`", "the schedule steps before the optimiser"),
    ("degrees of freedom <= 0", "a deviation is taken of too few values"),
)
"""What a warning says, and what it means for the training."""


def find(training: Training) -> Iterator[Clue]:
    """Yield the lines about which the log warns with words that explain a silent failure."""
    for line in training.case.log.lines[:MOST_LINES]:
        match = WARNING.match(line.text)
        if match is None:
            continue
        said = line.text[match.end() :].lower()
        meaning = next((words for phrase, words in DECISIVE if phrase in said), None)
        if meaning is None:
            continue
        place = training.case.workspace.locate(match["file"], int(match["line"]))
        if place is not None:
            why = f"the log warns of this line: {meaning}"
            yield clue("strong", place.file, place.line, why)
