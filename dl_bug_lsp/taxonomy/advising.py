"""What usually causes a failure of this kind and what fixes it."""

from __future__ import annotations

import re
from dataclasses import replace
from math import prod

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
from dl_bug_lsp.tracebacks.failures import Failure, FailureKind, Frame
from dl_bug_lsp.tracebacks.traceback_lines import is_library_path

MOST = 3
"""Pieces of advice that are given at most."""
IN_NOTEBOOK = "in a notebook's cell"
"""What a row's ``when`` says to be given for failures of notebooks only."""
OF_CELL = "raised in a cell of a notebook"
"""The same, whatever the order is in which the cells ran."""
WITH_NUMBERS = "with two numbers"
"""What a row's ``when`` says to be given only where the message has two different numbers."""
OF_LIBRARY, OF_PROGRAM = "in the code of a library", "in the code of the program"
"""The same for failures whose innermost frame lies in a library, or in the program itself."""
PART_OF_PACKAGE = "a part of a package"
"""The same where a module is missing from a package: those that hold it were found."""
HIDES_LIBRARY = "a file hides a library"
"""The same where a file of the stack imports a library whose name it has itself."""
OF_FOLDER = "the folder of the file that imports it"
"""The same where a module is missing that has the name of a folder above the importing file."""
WITHOUT_MESSAGE = "without a message"
"""The same for exceptions of which nothing but the class is known."""
UNLIKE_CHANNELS = "in channels alone"
"""The same where two pictures of one size do not fit: one has other channels than the other."""
WITHOUT_ELEMENTS = "one without elements"
"""The same where one of several shapes has a size of 0."""
WITHOUT_LAYERS = "without the axis of the layers"
"""The same where the state of a recurrent layer fits but for its first axis, which it lacks."""
WHOLE_MULTIPLE = "a whole multiple"
"""The same where a tensor has two, three or more times the elements that its new sizes name."""
BLANK_IN_NAME = "a blank behind a dotted name"
"""The same where a word follows a dotted name in the line that fails, as in `df.total price`."""
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
_TWO_PICTURES = re.compile(
    r"\[([1-4]), (\d+, \d+)\] at entry \d+ and \[(?!\1,)[1-4], \2\]"
    r"|\[(\d+, \d+), ([1-4])\] at entry \d+ and \[\3, (?!\4\])[1-4]\]"
)
_WITH_EMPTY = re.compile(r"\[(?:\d+, )*0(?:, \d+)*\] at entry")
_STATE = re.compile(r"expected hidden\[0\] size \(\d+, (\d+, \d+)\), got [\[(]\1[\])]")
_VIEW = re.compile(r"shape '\[(\d+(?:, \d+)*)\]' is invalid for input of size (\d+)")
_NAME_AND_WORD = re.compile(
    r"(?<![\w.])[A-Za-z_]\w*\.[A-Za-z_]\w* "
    r"(?!(?:and|as|else|for|from|if|import|in|is|not|or)\b)[A-Za-z_]"
)
_COMMAND = re.compile(r"\s*(?:[%!]|(?:python|pip|conda|git|bash|sh|sudo|cd|wget|curl)\w* )")
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'|#.*")
_DOTTED_MODULE = re.compile(r"no module named '?\w+\.\w")
_WHOLE_MODULE = re.compile(r"no module named '?(\w+)'?(?![\w.])")
_IMPORTED = re.compile(r"\s*(?:from|import) (\w+)")


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
    text += "".join(f" {shown}" for shown in _shown(failure, text))
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


def _shown(failure: Failure, text: str) -> list[str]:
    """Return what the stack and the missing name show, in the words that rows ask for."""
    cause = failure.cause
    last = failure.frames[-1] if failure.frames else None
    innermost = last.file if last is not None else "<"
    source = (last.source or "") if last is not None else ""
    is_known_file = not innermost.startswith("<") or innermost.startswith("<ipython-input")
    in_library = is_library_path(innermost)
    unquoted = "" if _COMMAND.match(source) else _QUOTED.sub("0", source)
    shown = {
        WITHOUT_MESSAGE: cause is not None and not cause.message.strip(),
        OF_LIBRARY: is_known_file and in_library,
        OF_PROGRAM: is_known_file and not in_library,
        OF_CELL: is_cell(innermost),
        UNLIKE_CHANNELS: _TWO_PICTURES.search(text),
        WITHOUT_ELEMENTS: _WITH_EMPTY.search(text),
        WITHOUT_LAYERS: _STATE.search(text),
        WHOLE_MULTIPLE: _is_whole_multiple(text),
        BLANK_IN_NAME: _NAME_AND_WORD.search(unquoted),
        PART_OF_PACKAGE: _DOTTED_MODULE.search(text),
        OF_FOLDER: _is_of_folder(failure, text),
        HIDES_LIBRARY: any(_hides(frame) for frame in failure.frames),
    }
    return [phrase for phrase, is_shown in shown.items() if is_shown]


def _is_whole_multiple(text: str) -> bool:
    """Say whether a tensor has several times the elements that the sizes of a view name."""
    found = _VIEW.search(text)
    if found is None:
        return False
    named = prod(map(int, found[1].split(", ")))
    return named > 0 and int(found[2]) > named and int(found[2]) % named == 0


def _is_of_folder(failure: Failure, text: str) -> bool:
    """Say whether the module that is missing has the name of a folder of the importing file."""
    missing = _WHOLE_MODULE.search(text)
    file = failure.frames[-1].file.replace("\\", "/") if failure.frames else ""
    folders = file.lower().split("/")[:-1]
    return missing is not None and missing[1] in folders and not is_library_path(file)


def _hides(frame: Frame) -> bool:
    """Say whether a file of the program imports a package that has its own name."""
    imported = _IMPORTED.match(frame.source or "")
    name = frame.file.replace("\\", "/").rpartition("/")[2]
    own = imported is not None and name == f"{imported[1]}.py"
    return own and not is_library_path(frame.file)


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
