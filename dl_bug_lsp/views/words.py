"""The report's identifiers in words for people, and the headline of a failure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from dl_bug_lsp.report import (
    HANG,
    LAST_OUTPUT,
    UNSURE_SHARE,
    CellPlace,
    Confidence,
    Conflict,
    ConflictingValue,
    FailureReport,
    ReportFrame,
    Suspect,
    Verdict,
    percent,
)
from dl_bug_lsp.taxonomy.categories import categories, category, kind_of
from dl_bug_lsp.views.escape import escape, one_line, shorten

_BUG_TYPES = {
    "model": "the structure or properties of the model",
    "training": "the training: loss, optimizer, hyper-parameters or data",
    "tensor_input": "a tensor or input of the wrong shape, type or format",
    "api": "the use of a framework's API",
    "gpu": "the use of devices, their memory or parallelism",
    "non_dl": "ordinary code, nothing special to deep learning",
}

_ORIGINS = {
    "intrinsic": "inside the project's own files",
    "extrinsic": "outside the versioned code: the environment, a requirement or another library",
}

_SILENT = frozenset(row.id for row in categories() if row.dimension == "silent")

OF_METRICS = "metrics."
"""How the rules begin that name a category by the metrics of a log."""

_CERTAINTIES = ((0.9, "almost certainly"), (0.7, "probably"), (0.4, "perhaps"), (0.0, "a guess:"))


def certainty(confidence: float) -> str:
    """Return how sure a verdict of this confidence is."""
    return next(word for least, word in _CERTAINTIES if confidence >= least or least == 0.0)


LEAST_TOLD = 0.9
"""Confidence from which on a verdict on the bug type is shown to people."""
LEAST_TOLD_INTRINSIC = 0.9
"""The same of the verdict that a cause lies in the project's own files, as most do."""
LEAST_TOLD_EXTRINSIC = 0.7
"""The same of the verdict that it lies outside of them."""
LEAST_SURE = 0.9
"""Confidence below which it is only said that the cause may lie there."""


def kind_of_bug(verdict: Verdict) -> str:
    """Return a sentence on which part of the program is wrong; empty where that is a guess."""
    if verdict.confidence < LEAST_TOLD:
        return ""
    return f"What is wrong: most likely {bug_type(verdict)}."


def bug_type(verdict: Verdict) -> str:
    """Return which part of the program is wrong."""
    return bug_type_words(verdict.id)


def bug_type_words(bug_type_id: str) -> str:
    """Return what a bug type is about."""
    return _BUG_TYPES.get(bug_type_id, bug_type_id.replace("_", " "))


def origin(verdict: Verdict) -> str:
    """Return where the cause lies: inside the project or outside of it."""
    return origin_words(verdict.id)


def where_cause_lies(verdict: Verdict) -> str:
    """Return a sentence on whether the cause lies outside; empty where that says little."""
    least = LEAST_TOLD_INTRINSIC if verdict.id == "intrinsic" else LEAST_TOLD_EXTRINSIC
    if verdict.confidence < least:
        return ""
    if verdict.confidence < LEAST_SURE:
        return f"The cause may lie {origin(verdict)}."
    return f"Cause: {certainty(verdict.confidence)} {origin(verdict)}."


def origin_words(origin_id: str) -> str:
    """Return where a cause of this origin lies."""
    return _ORIGINS.get(origin_id, origin_id.replace("_", " "))


def retry(failure: FailureReport) -> str:
    """Return whether the job deserves another try as it is."""
    if failure.retry_may_help:
        return "The same job may pass when it is tried again."
    if is_silent(failure) and not failure.category.is_guess:
        return "The same code with the same data will most likely do the same again."
    if failure.retry_may_help is None:
        return "Whether another try would help is not known."
    return "Another try without a change will most likely fail in the same way."


OF_PROGRAMS = {"deep_learning_specific", "general_code_error", "data"}
"""Dimensions of failures of which nobody expects that another try helps."""


def told_of_retry(failure: FailureReport) -> str:
    """Return what a report says of another try, nothing where the answer is plain."""
    is_plain = failure.category.dimension in OF_PROGRAMS and failure.retry_may_help is False
    if is_plain and not is_silent(failure):
        return ""
    return retry(failure)


def is_silent(failure: FailureReport) -> bool:
    """Whether nothing was raised: a run that ended, and whose metrics tell that it went wrong.

    A loss that is no number may show in metrics or in an exception.
    """
    shows_in_metrics = failure.exception is None and failure.category.rule.startswith(OF_METRICS)
    return shows_in_metrics or failure.category.id in _SILENT


UNSURE = (
    "Not sure: in tests, most first places with a share like this did not hold the cause. "
    "It may be in none of these places."
)
"""What is said where no place has a share that counts."""
UNSPECIFIC = (
    "Not sure: little speaks for the first place beside the stack and where its values come from. "
    "The cause may be in none of these places."
)
"""What is said of a first place, however big its share is, for which no other evidence speaks."""
BY_REPORT = "Not sure: the words of the report rank these places. The cause may be in none of them."
"""What is said where the words of a bug report ranked the places."""
ONLY_PRINTED = "This is the line whose output the log shows last; it need not be the cause."
"""What is said where only the line that printed is known."""
UNSURE_BRIEFLY = "not sure"
PRINTED_BRIEFLY = "last line that printed"
POSSIBLE_BRIEFLY = "not certain"
POSSIBLE = (
    "Not certain: in tests, a first place with a share like this held the cause about half the "
    "time."
)
"""What is said where the first place is not much likelier than the others."""
ALONE = "The text has no traceback: where this was raised is worked out from the message alone."
"""What is said where a message stands alone, however sure the order is."""


def caution(failure: FailureReport) -> str:
    """Return what must be known before the places are believed; empty where they can be."""
    if failure.technique is not None:
        return ""
    if failure.suspects and failure.exception is not None and not failure.frames:
        return ALONE
    if is_only_printed(failure):
        return ONLY_PRINTED
    if not failure.suspects or failure.confidence is not Confidence.UNSURE:
        return ""
    if failure.by_report:
        return BY_REPORT
    return UNSURE if failure.suspects[0].score < UNSURE_SHARE else UNSPECIFIC


def stack_title(failure: FailureReport) -> str:
    """Return the heading of the stack, and of what its variables held where that was recorded."""
    recorded = any(frame.variables for frame in failure.frames)
    return "Stack, outermost first" + (", with what the variables held" if recorded else "")


def variable_lines(frame: ReportFrame) -> tuple[str, ...]:
    """Return what each recorded variable of a frame held, the values below one another."""
    width = max((len(variable.name) for variable in frame.variables), default=0)
    return tuple(
        f"{escape(variable.name):<{width}}  {one_line(variable.value)}"
        for variable in frame.variables
    )


def held_at(failure: FailureReport, suspect: Suspect) -> tuple[str, ...]:
    """Return what the variables of the innermost frame at a suspect held, where it was recorded."""
    lines = range(suspect.line, suspect.end_line + 1)
    return next(
        (
            variable_lines(frame)
            for frame in reversed(failure.frames)
            if frame.variables
            and frame.workspace_file == suspect.file
            and frame.workspace_line in lines
        ),
        (),
    )


HELD = "What the variables held"


def is_only_printed(failure: FailureReport) -> bool:
    """Whether nothing is known of any place but that it printed what the log shows."""
    given = [evidence for suspect in failure.suspects for evidence in suspect.evidence]
    is_ours = failure.technique is None and not failure.by_report
    return is_ours and bool(given) and all(evidence.kind == LAST_OUTPUT for evidence in given)


CONFLICT = "Two values that do not fit"
"""The heading above both sides of a failing check."""


def conflict_note(conflict: Conflict) -> str:
    """Return what the list of both values says, and how that is known."""
    return f"with the lines that lead to them {conflict.known}"


def conflict_rows(conflict: Conflict) -> list[tuple[str, ConflictingValue]]:
    """Return labels and values to list, as one row where the same lines made both values."""
    if len({value.places for value in conflict.values}) == 1:
        return [(", ".join(value.value for value in conflict.values), conflict.values[0])]
    return [(value.value, value) for value in conflict.values]


def outside(failure: FailureReport) -> str:
    """Return what is said where a stack is of another folder; empty where it is not."""
    if failure.outside is None:
        return ""
    # Imported late: a server starts without what reads tracebacks.
    from dl_bug_lsp.taxonomy.situations import is_cell
    from dl_bug_lsp.tracebacks.traceback_lines import is_library_path

    own = [frame.file for frame in failure.frames if not is_library_path(frame.file)]
    if own and all(is_cell(file) for file in own):
        return (
            "No cell of a notebook in this folder holds the line that failed: the cell was changed "
            "since, or the notebook lies elsewhere."
        )
    folder = failure.outside
    where = f", which printed paths of {folder}" if folder else ""
    return f"No frame of the stack lies in this folder. Open the folder of the program{where}."


def mapped(failure: FailureReport) -> str:
    """Return whose paths were taken for the workspace's; empty where none were."""
    prefixes: dict[str, None] = {}
    for frame in failure.frames:
        printed, own = frame.file.replace("\\", "/"), frame.workspace_file or ""
        # The path of a notebook's cell is a name that the kernel made up for its text.
        if frame.mapped and not own.endswith(".ipynb"):
            prefixes[printed.removesuffix(own) if printed.endswith(own) else printed] = None
    if not prefixes:
        return ""
    named = " and ".join(list(prefixes)[:2])
    return f"Paths below {named} in the log were matched to files of this folder."


def introduction(failure: FailureReport) -> str:
    """Return how the list of places is introduced; empty where the first one is likely."""
    is_ours = failure.technique is None and not failure.by_report
    if is_ours and failure.confidence is Confidence.POSSIBLE and len(failure.suspects) > 1:
        return caution(failure) or POSSIBLE
    return caution(failure)


def reservations(failure: FailureReport) -> list[str]:
    """Return what else must be known of a place beside its rank: a guess, a mapped path."""
    alone = caution(failure)
    return [text for text in (alone if alone == ALONE else "", mapped(failure)) if text]


LEAST_PLACES, LEAST_SHARE = 3, 0.01
"""Places that are shown whatever their share is, and the least share of the others."""
SURE_SHARE = 0.9
"""The first place's share from which on no other below the least share is shown."""


def hardly_counts(failure: FailureReport, suspect: Suspect) -> bool:
    """Say whether a place is not worth a look: below 1 %, and none of the first three.

    Beside a first place that is sure, the second and the third below 1 % are not either.
    """
    if failure.technique is not None or failure.confidence is Confidence.UNSURE:
        return False
    first = failure.suspects[0].score if failure.suspects else 0.0
    always = 1 if first >= SURE_SHARE else LEAST_PLACES
    return suspect.rank > always and suspect.score < LEAST_SHARE


def shown_places(failure: FailureReport) -> list[Suspect]:
    """Return the places to list: where the order can be trusted, not those that hardly count."""
    return [suspect for suspect in failure.suspects if not hardly_counts(failure, suspect)]


def heading_of_places(failure: FailureReport) -> str:
    """Return the heading above the list of places."""
    if is_only_printed(failure):
        return "Where the last output comes from"
    return "Most suspicious places"


def doubt(failure: FailureReport) -> str:
    """Return in two words how far the first place can be trusted; empty where it is likely."""
    if not failure.suspects:
        return ""
    if is_only_printed(failure):
        return PRINTED_BRIEFLY
    phrases = {Confidence.UNSURE: UNSURE_BRIEFLY, Confidence.POSSIBLE: POSSIBLE_BRIEFLY}
    return phrases.get(failure.confidence, "")


def place_score(failure: FailureReport, suspect: Suspect) -> str:
    """Return a place's share in per cent; of a published technique its score, the best one 1."""
    if failure.technique is not None:
        return f"score {suspect.score:.2f}"
    if is_only_printed(failure):
        return ""
    return percent(suspect.score)


def share(failure: FailureReport, suspect: Suspect) -> str:
    """Return a place's share; of the first place with the doubt there is: ``42 %, not certain``."""
    if failure.technique is not None:
        return place_score(failure, suspect)
    phrase = doubt(failure)
    if is_only_printed(failure):
        return phrase
    shown = phrase and (suspect.rank == 1 or phrase == UNSURE_BRIEFLY)
    return f"{percent(suspect.score)}, {phrase}" if shown else percent(suspect.score)


def standing(
    failure: FailureReport, suspect: Suspect, of: int | None = None, number: int | None = None
) -> str:
    """Return a place's number and share: ``suspicious place 1 of 5 (62 %)``.

    ``number`` is the place's among those that are shown, its rank where all are.
    """
    among = f" of {of}" if of is not None else ""
    return f"suspicious place {number or suspect.rank}{among} ({share(failure, suspect)})"


_PLACE_FIRST = re.compile(r"^([^`]{1,400}?:\d+): ")


def with_place_as_code(text: str) -> str:
    """Return a sentence with the place that it may begin with (``file:line: ``) in backticks."""
    return _PLACE_FIRST.sub(r"`\1`: ", text)


def located(failure: FailureReport, text: str, place: str) -> str:
    """Return a sentence that may begin with the first place, with ``place`` for its file and line.

    All places of a report are then written in one form.
    """
    if not failure.suspects or not place:
        return text
    first = failure.suspects[0]
    begin = f"{first.file}:{first.line}: "
    return f"{place}: {text.removeprefix(begin)}" if text.startswith(begin) else text


NO_PLACE = "No suspicious line was found"
"""What is said where there is no place to look at."""


def finding(failure: FailureReport, place: str) -> str:
    """Return in one sentence where to look; ``place`` is the first suspect's file and line.

    A likely first place is called the cause. Of the others the sentence says that they are not.
    """
    if failure.diagnosis:
        return f"Likely cause: {located(failure, failure.diagnosis, place)}"
    if not failure.suspects:
        return outside(failure) or f"{NO_PLACE}."
    first = failure.suspects[0]
    if is_only_printed(failure):
        return f"No place of the cause is known; the last output in the log comes from {place}."
    if failure.technique is not None:
        return f"{failure.technique} ranks {place} first; its scores are not chances."
    raised = next((f for f in reversed(failure.frames) if f.workspace_file), None)
    at_raise = raised is not None and (raised.workspace_file, raised.workspace_line) == (
        first.file,
        first.line,
    )
    is_innermost = at_raise and raised is failure.frames[-1]
    where = ", where the error was raised" if is_innermost else ""
    if is_innermost and failure.exception is not None and failure.exception.type == HANG:
        where = ", where the process stood still"
    if at_raise and not is_innermost:
        where = ", the innermost call of this folder's code"
    if at_raise and raised is not None and raised.changed:
        what = "the failing line" if is_innermost else "the innermost call of this folder's code"
        where = f", where {what} stood before the cell was changed"
    phrase = doubt(failure).capitalize() or "Likely"
    return f"{phrase}; look first at {place}{where} ({percent(first.score)})."


UNRELIABLE = (
    "The device reports errors late, so the stack may blame the wrong line; "
    "run again with CUDA_LAUNCH_BLOCKING=1 to get the right one."
)
"""What is said of a failure whose frames may be wrong."""


def other_failures(others: Sequence[FailureReport], primary: FailureReport) -> str:
    """Return a heading for the failures beside the primary one, of which there is one at least.

    What was printed before the primary failure is no consequence of it.
    """
    heading = counted(len(others), "other failure")
    if any(other.span.first_line < primary.span.first_line for other in others):
        return heading
    return f"{heading}, {'perhaps consequences' if len(others) > 1 else 'perhaps a consequence'}"


def counted(count: int, noun: str) -> str:
    """Return ``3 frames`` or ``1 frame``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def cell_place(cell: CellPlace) -> str:
    """Return where a notebook's reader finds a line: code cells have no number but this."""
    ran = f" (In [{cell.execution_count}])" if cell.execution_count is not None else ""
    return f"code cell {cell.number}{ran}, line {cell.line}"


def inside(suspect: Suspect) -> str:
    """Return what a place stands in: its function, its cell, or both; empty for neither."""
    parts = [suspect.function, cell_place(suspect.cell) if suspect.cell is not None else None]
    return ", ".join(part for part in parts if part)


MESSAGE_LINES = 12
MESSAGE_WIDTH = 1_000


def headline(failure: FailureReport) -> str:
    """Return the failure's own words in one escaped line."""
    return told(message_lines(failure))


_PLACEHOLDER = re.compile(r"^<[^<>]*>$|^Detected at node\b")
"""Lines that stand for what is not shown, and those of TensorFlow that introduce a stack."""
_MODULES = re.compile(r"^(?:[a-z_]\w*\.)+(?=[A-Z])")


def told(lines: Sequence[str]) -> str:
    """Return the first line of a message, of which there is one at least.

    One that only announces what follows (``Graph execution error:``) is followed by the first line
    that does not; the modules of its exception are left out, so that the line begins with words.
    """
    first, *others = lines
    if first.endswith(":"):
        stripped = (line.strip() for line in others)
        telling = (line for line in stripped if line and not line.endswith(":"))
        more = next((line for line in telling if not _PLACEHOLDER.match(line)), "")
        return f"{_MODULES.sub('', first)} {more}" if more else first
    return first


def message_lines(failure: FailureReport) -> list[str]:
    """Return the exception as printed: escaped lines, at least one, a bounded number."""
    if failure.exception is None:
        return [one_line(failure.category.evidence) or "No exception was printed."]
    message = escape(failure.exception.message, keep_newlines=True).strip("\n")
    head = escape(failure.exception.type)
    printed = f"{head}: {message}" if message.strip() else head
    texts = [shorten(line.rstrip(), MESSAGE_WIDTH) for line in printed.split("\n")]
    texts = [line for line in texts if line] or ["Exception"]
    if len(texts) <= MESSAGE_LINES:
        return texts
    hidden = len(texts) - MESSAGE_LINES + 1
    return [*texts[: MESSAGE_LINES - 1], f"… {counted(hidden, 'more line')}"]


def where_in_text(failure: FailureReport) -> str:
    """Return the process and the lines of the text that tell of a failure.

    What only the recording of a training shows stands in no line.
    """
    if failure.exception is None and failure.category.rule.startswith("training."):
        return "the recording of the training"
    span = failure.span
    parts = []
    if failure.process is not None:
        if failure.process.rank is not None:
            parts.append(f"rank {failure.process.rank}")
        if failure.process.host:
            parts.append(f"host {escape(failure.process.host)}")
    if span.first_line == span.last_line:
        parts.append(f"line {span.first_line} of the log")
    else:
        parts.append(f"lines {span.first_line}–{span.last_line} of the log")
    return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class CategoryWords:
    """A category's id, its name and what it means, for people."""

    id: str
    name: str
    meaning: str
    dimension: str


def category_name(failure: FailureReport) -> str:
    """Return the name of a failure's category, with "Perhaps" before it where it is a guess."""
    name = category_words(failure.category.id).name
    return f"Perhaps {name}" if failure.category.is_guess else name


GUESS = "A guess from the words of the text: nothing else shows what kind of failure it is."


def meaning(failure: FailureReport) -> str:
    """Return the sentence on what kind of failure it is: of its finer kind where one is known."""
    if failure.category.is_guess:
        return GUESS
    kind = kind_of(failure.category.rule)
    return kind.definition if kind is not None else category_words(failure.category.id).meaning


def category_words(category_id: str) -> CategoryWords:
    """Return the words of a category; an id that no row has is spelled out."""
    try:
        row = category(category_id)
    except KeyError:
        return CategoryWords(category_id, category_id.replace("_", " ").title(), "", "")
    return CategoryWords(row.id, row.name, row.definition, row.dimension)
