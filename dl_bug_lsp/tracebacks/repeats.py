"""Which failures of a log repeat one another: a retry, the next sample, the other ranks."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence

from dl_bug_lsp.tracebacks.values import Failure

_VARYING = re.compile(r"\d+")
"""What differs from one time to the next: sizes, indices, addresses, ranks."""


def stand_ins(failures: Sequence[Failure]) -> tuple[int, ...]:
    """Return for each failure the index of the one that stands for it and all that repeat it.

    Failures repeat one another where their exceptions, the numbers in their messages aside, and
    their stacks are the same. The one that ended the job stands for the others, else the first.
    """
    chosen: dict[Hashable, int] = {}
    keys = [_key(failure) for failure in failures]
    for number, (key, failure) in enumerate(zip(keys, failures, strict=True)):
        if failure.primary or key not in chosen:
            chosen[key] = number
    return tuple(chosen[key] for key in keys)


def _key(failure: Failure) -> Hashable:
    told = tuple(
        (cause.type, _VARYING.sub("0", cause.message), cause.frames) for cause in failure.causes
    )
    return failure.kind, failure.root, told
