"""The stack itself: frames inside the workspace, nearer to the raise site first.

Score 1/rank as in Wong et al. (BRTracer, ICSME 2014), with the innermost frame at rank 1.
"""

from __future__ import annotations

from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue

MAX_FRAMES = 10
DEEP = 4
"""More library frames than this below the raise site: the library was at work on its own."""


def find(case: Case) -> Iterator[Clue]:
    """Yield the lines of the workspace frames."""
    seen: set[tuple[str, int]] = set()
    for rank, place in enumerate(reversed(case.places), 1):
        if rank > MAX_FRAMES:
            return
        if (place.file, place.line) in seen:
            continue
        seen.add((place.file, place.line))
        where = f" in {place.function}" if place.function else ""
        if rank == 1:
            why = f"the error was raised here{where}"
            yield Clue("stack_trace.raise_site", place.file, place.line, 1.0, why)
            kind = "stack_trace.raised_directly"
            if case.library_frames > DEEP:
                kind = "stack_trace.raised_deep_inside"
            elif case.library_frames:
                kind = "stack_trace.raised_inside"
            yield Clue(kind, place.file, place.line, 1.0, why)
        else:
            why = f"{rank - 1} call{'s' if rank > 2 else ''} above the raise site{where}"
            yield Clue("stack_trace.frame", place.file, place.line, 1 / rank, why)
    for inner, callee, made in case.makers:
        why = f"`{made.text}` made `{callee.text}`, which the stack goes through"
        yield Clue("stack_trace.maker", made.file, made.line, 1 / (1 + inner / 3), why)
