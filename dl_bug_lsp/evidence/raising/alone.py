"""A message alone: each statement that can have raised it is taken for the raise site in turn.

The other sources of evidence then say what they would say of that statement, and count for as much
as it is likely to be the one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from dl_bug_lsp.evidence.case import Case, Clue, Source
from dl_bug_lsp.evidence.raising.suppose import Supposed, supposed_places
from dl_bug_lsp.tracebacks import FailureKind, Frame
from dl_bug_lsp.workspace.values import Place

OF_STACKS = "stack_trace."
RAISE_SITE = "stack_trace.raise_site"
WORDS_ALONE = ("bm25.", "printed.")


def is_alone(case: Case) -> bool:
    """Whether an exception's message stands without a frame that the program could go by."""
    cause = case.failure.cause
    kinds = (FailureKind.EXCEPTION, FailureKind.MESSAGE)
    if cause is None or case.failure.kind not in kinds or case.spectrum is not None:
        return False
    return not case.failure.frames and not case.places and cause.class_name[:1].isupper()


def find(case: Case, sources: Sequence[Source]) -> Iterator[Clue]:
    """Yield what the sources say of each statement that can have raised the message."""
    cause = case.failure.cause
    assert cause is not None
    # The sources say much of it again for each statement: only the strongest is kept.
    strongest: dict[tuple[str, str, int], Clue] = {}
    for supposed in supposed_places(case.workspace, cause, case.facts):
        yield Clue(RAISE_SITE, supposed.file, supposed.line, supposed.weight, supposed.why)
        kind = "raising.certain" if supposed.weight >= CERTAIN else "raising.possible"
        yield Clue(kind, supposed.file, supposed.line, supposed.weight, supposed.why)
        case_there = _taken_for_raise_site(case, supposed)
        for source in sources:
            for clue in source(case_there):
                key = clue.kind, clue.file, clue.line
                score = clue.score * supposed.weight
                said = clue.kind.startswith((OF_STACKS, *WORDS_ALONE))
                if not said and (key not in strongest or score > strongest[key].score):
                    strongest[key] = replace(clue, score=score)
    yield from strongest.values()


CERTAIN = 0.5


def _taken_for_raise_site(case: Case, supposed: Supposed) -> Case:
    frame = Frame(supposed.file, supposed.line, supposed.function, expression=supposed.expression)
    place = Place(supposed.file, supposed.line, supposed.line, supposed.function)
    located = ((frame, place),)
    there = Case(case.failure, case.facts, case.category, located, case.workspace, case.log)
    there.engine = case.engine
    there.supposed = True
    case.engine.program.stay_near([supposed.file])
    return there
