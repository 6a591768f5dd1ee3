"""The accuracy of guessing: from the number of classes where the log tells it, or from the loss."""

from __future__ import annotations

import math
import re

from dl_bug_lsp.logs.values import Log

NEAR = 0.05
"""How far (in accuracy) from 1/k counts as guessing: small validation sets wobble."""
NEAR_LOSS = 0.06
"""How far a cross entropy may be from ln k, as a share: that of equal odds for k classes."""

UNTOLD = 0.08
"""A loss within this share of ln k holds next to no information about k known classes."""
_LISTED = re.compile(
    r"\b(?:classes|labels|categories|class names)\W{1,4}"
    r"([\w'\"-]{1,40}(?: ?, ?[\w'\"-]{1,40}){1,30})",
    re.IGNORECASE,
)
_CLASSES = re.compile(
    r"(?:num_?(?:classes|labels)|n_?(?:classes|labels)|classes|labels|categories)\W{1,4}(\d{1,6})\b"
    r"|\b(\d{1,6}) (?:different )?(?:classes|labels|categories)\b"
    r"|belonging to (\d{1,6}) classes",
    re.IGNORECASE,
)
_MAX_LINES = 2_000


def classes_in(log: Log) -> int | None:
    """Return the number of classes that the log tells, or None."""
    for line in log.lines[:_MAX_LINES]:
        match = _CLASSES.search(line.text[:400])
        if match:
            count = int(match[1] or match[2] or match[3])
            if 2 <= count <= 100_000:
                return count
        listed = _LISTED.search(line.text[:400])
        if listed and not any(part.strip()[:1].isdigit() for part in listed[1].split(",")):
            return listed[1].count(",") + 1
    return None


def chance_level(
    accuracy: float, loss: float | None, log: Log, assumed: int | None = None
) -> tuple[float, float] | None:
    """Return the chance level that an accuracy stands at, with a confidence, or None.

    A cross entropy of ln k beside an accuracy near 1/k says that every class gets the same odds
    (in nats; Cover and Thomas, Elements of Information Theory, 2.1). ``assumed`` is the number of
    classes where the log tells none.
    """
    known = classes_in(log) or assumed
    if known is not None:
        near = abs(accuracy - 1 / known) <= max(NEAR * min(1.0, 5 / known), 0.004)
        # A cross entropy that hardly fell below ln k has told the classes apart nowhere.
        blind = loss is not None and loss >= (1 - UNTOLD) * math.log(known)
        if near or (blind and 0 < accuracy < min(0.65, 1.5 / known)):
            return 1 / known, 0.85 if near else 0.6
        return None
    return _chance_by_loss(accuracy, loss) if 0 < accuracy < 0.75 else None


def _chance_by_loss(accuracy: float, loss: float | None) -> tuple[float, float] | None:
    for count in (round(1 / accuracy) + step for step in (0, -1, 1)):
        if count < 2 or abs(accuracy - 1 / count) > NEAR + 0.02:
            continue
        even = loss is not None and abs(loss - math.log(count)) <= NEAR_LOSS * math.log(count)
        if even:
            return 1 / count, 0.9
    if loss is not None and accuracy > 0.5 and abs(loss - math.log(2)) <= NEAR_LOSS * math.log(2):
        # One answer for everything: the accuracy is the share of the larger class.
        return 0.5, 0.7
    count = round(1 / accuracy)
    if count == 2 and abs(accuracy - 0.5) <= NEAR + 0.02:
        return 0.5, 0.75
    if count <= 1000 and abs(accuracy - 1 / count) <= 0.01 * 10 / max(10, count):
        return 1 / count, 0.6
    return None
