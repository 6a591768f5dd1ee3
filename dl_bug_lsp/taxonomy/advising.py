"""What usually causes a failure of this kind and what fixes it."""

from __future__ import annotations

import re
from dataclasses import replace

from dl_bug_lsp.report import BY_TEXT, Advice, CategoryVerdict
from dl_bug_lsp.taxonomy.categories import (
    ConditionalAdvice,
    KnownPattern,
    category,
    common_errors,
)
from dl_bug_lsp.taxonomy.classification_context import (
    ClassificationContext,
    find_phrase,
    without_node_attributes,
)
from dl_bug_lsp.taxonomy.situations import is_cell, situations
from dl_bug_lsp.tracebacks.failures import Failure, FailureKind

MOST = 3
"""Pieces of advice that are given at most."""
IN_NOTEBOOK = "in a notebook's cell"
"""What a row's ``when`` says to be given for failures of notebooks only."""
WITH_NUMBERS = "with two numbers"
"""What a row's ``when`` says to be given only where the message has two different numbers."""
DEFINED = "the program defines it"
"""The same where a file of the stack defines what is missing: an attribute, or a name."""
NOTHING_ELSE = "nothing else is said"
"""The same where no other advice is given."""
TAKEN_AWAY = "the program takes it away"
"""The same where a line of the notebook takes away the key that is missing."""
MOST_KNOWN = 2
MOST_POINTED = 2
MONITORED = "training."
"""How the rules begin that look at the recording of a training."""
LEAST_CONFIDENCE = 0.55
"""What is less certain than this (a class alone, a guess) is no ground for advice."""
LEAST_BY_TEXT = 0.65
"""The same for the text classifier, whose probability is that of the words alone."""
SEEN = 100
"""Shared words that a phrase of the evidence counts as which a row names."""
_NUMBER = re.compile(r"\d+")
_WORD = re.compile(r"[a-z]{4,}")
_COMMON = {"that", "this", "with", "from", "where", "what", "when", "value", "here", "line", "call"}
_FRAMES, _LONGEST = 40, 20_000


def advice(
    failure: Failure,
    verdict: CategoryVerdict,
    reasons: str = "",
    *,
    is_of_order: bool = True,
    is_taken_away: bool = False,
    is_defined: bool = False,
    is_doubted: bool = False,
    is_known: bool = False,
) -> tuple[Advice, ...]:
    """Return usual causes with their fixes: first those that the message itself points at.

    What forums repeat most comes with the framework's page that documents it. ``is_of_order`` says
    that the order in which a notebook's cells ran may have led here, ``is_taken_away`` that the
    program takes the missing key out of a table. ``reasons`` is what the evidence of the first
    place says: of general advice, what shares most words with it comes first. ``is_defined`` tells
    that the program itself defines the attribute that is missing. Where the cause ``is_known``,
    general advice is given only where the evidence speaks of it; where the category ``is_doubted``,
    only what forums say of the message itself is given.
    """
    least = LEAST_BY_TEXT if verdict.rule == BY_TEXT else LEAST_CONFIDENCE
    is_silent = failure.kind in (FailureKind.SILENT, FailureKind.REPORT)
    is_unsure = verdict.confidence < least and failure.kind is not FailureKind.SILENT
    text = _text(failure)
    about = f"{text} {_around(failure)}"
    if is_of_order and failure.frames and is_cell(failure.frames[-1].file):
        text += f" {IN_NOTEBOOK}"
    if is_defined:
        text += f" {DEFINED}"
    if is_taken_away:
        text += f" {TAKEN_AWAY}"
    text += "".join(f" {shown}" for shown in situations(failure, text))
    if len(set(_NUMBER.findall(text))) >= 2:
        text += f" {WITH_NUMBERS}"
    known = [
        row
        for row in common_errors()
        if _applies(row, text) and _concerns(row, about) and not _is_ruled_out(row, reasons.lower())
    ]
    if is_doubted or is_unsure or verdict.is_guess:
        # What the message itself says is known, whatever its kind is.
        chosen = known or _last(text, about, reasons)
        return tuple(row.advice for row in chosen[:MOST_KNOWN])
    rows = [
        row
        for row in category(verdict.id).advice
        if _concerns(row, about) and not _is_ruled_out(row, f"{text} {reasons.lower()}")
    ]
    pointed = [row for row in rows if row.when and _applies(row, text)]
    spoken = _words(reasons)
    shared = {
        id(row): SEEN * any(find_phrase(reasons.lower(), phrase) for phrase in row.seen)
        or len(spoken & _words(f"{row.advice.cause} {row.advice.fix}"))
        for row in rows
    }
    general = sorted((row for row in rows if not row.when), key=lambda row: -shared[id(row)])
    backed = [row for row in general if shared[id(row)] > 1]
    general = [row for row in general if row in backed or not (row.backed or is_known)]
    # The better the message is known, the less is guessed beside what is known.
    if known:
        chosen = [*known[:MOST_KNOWN], *backed[:1]]
    elif not is_silent and any(r.when != (IN_NOTEBOOK,) for r in pointed):
        chosen = [*pointed[:MOST_POINTED], *backed[:1]]
    elif pointed and verdict.rule.startswith(MONITORED):
        # A recording says what is wrong: what else such failures may come from is not guessed.
        chosen = pointed
    else:
        chosen = [*pointed[:1], *general]
    return tuple(row.advice for row in chosen[:MOST] or _last(text, about, reasons))


def _last(text: str, about: str, reasons: str) -> list[ConditionalAdvice]:
    """Return what is said of a kind of message where there is nothing better to say."""
    text = f"{text} {NOTHING_ELSE}"
    rows = (row for row in common_errors() if _applies(row, text) and _concerns(row, about))
    return [row for row in rows if not _is_ruled_out(row, reasons.lower())][:1]


def known_patterns(failure: Failure) -> tuple[KnownPattern, ...]:
    """Return where failures whose message says what this one says usually have their cause."""
    text = _text(failure)
    about = f"{text} {_around(failure)}"
    rows = (_for_places(row) for row in common_errors() if row.places)
    known = (row for row in rows if _applies(row, text) and _concerns(row, about))
    return tuple(place for row in known for place in row.places)


def _for_places(row: ConditionalAdvice) -> ConditionalAdvice:
    """Return a row as it applies to the usual places of its cause."""
    only = (*row.only, *row.places_only) if row.only else ()
    return replace(row, when=(*row.when, *row.places_when), only=only)


def _text(failure: Failure) -> str:
    """Return the message in lower case, with what else says what failed."""
    text = ClassificationContext(failure, failure.cause).text if failure.cause is not None else ""
    return f"{text} {without_node_attributes(failure.evidence).lower()}"


def _words(text: str) -> set[str]:
    """Return the beginnings of longer words, by which forms of one word agree."""
    return {word[:5] for word in _WORD.findall(text.lower())} - _COMMON


def _around(failure: Failure) -> str:
    """Return the names by which a failure's frameworks can be told: classes, files, sources."""
    parts = [cause.type for cause in failure.causes]
    for frame in failure.frames[-_FRAMES:]:
        parts += [frame.file, frame.source or ""]
    return " ".join(parts).lower()[:_LONGEST]


def _applies(row: ConditionalAdvice, text: str) -> bool:
    return any(find_phrase(text, phrase) for phrase in row.when) and not _is_ruled_out(row, text)


def _is_ruled_out(row: ConditionalAdvice, text: str) -> bool:
    """Whether a message, or what the evidence says, has a phrase for which a row is no advice."""
    return any(find_phrase(text, phrase) for phrase in row.unless)


def _concerns(row: ConditionalAdvice, about: str) -> bool:
    return not row.only or any(word in about for word in row.only)
