"""The form of a classification rule: phrases, exception classes, conditions, a category."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dl_bug_lsp.taxonomy.classification_context import ClassificationContext, find_phrase

Condition = Callable[[ClassificationContext], bool]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule fires when class, condition and any phrase fit (without phrases: the first two alone).

    ``phrases`` are lower case, ``…`` in them stands for a gap of any length; ``types`` are classes
    without their modules (or programs of MESSAGE failures), empty for any; ``unless`` are phrases
    that forbid it.
    """

    id: str
    category: str
    phrases: tuple[str, ...]
    types: frozenset[str]
    unless: tuple[str, ...]
    when: Condition | None
    confidence: float

    def fires(self, context: ClassificationContext) -> tuple[str | None] | None:
        """Return the phrase that fired in a tuple of one (None in it: the class alone), or None."""
        if self.types and context.class_name not in self.types:
            return None
        phrase = next((p for p in self.phrases if find_phrase(context.text, p)), None)
        if self.phrases and phrase is None:
            return None
        if any(find_phrase(context.text, forbidden) for forbidden in self.unless):
            return None
        if self.when is not None and not self.when(context):
            return None
        return (phrase,)


def rule(
    id: str,
    category: str,
    *phrases: str,
    types: str = "",
    unless: Sequence[str] = (),
    when: Condition | None = None,
    confidence: float = 0.95,
) -> Rule:
    """Make a rule; ``types`` are blank-separated class names."""
    lowered = tuple(phrase.lower() for phrase in phrases)
    forbidden = tuple(phrase.lower() for phrase in unless)
    return Rule(id, category, lowered, frozenset(types.split()), forbidden, when, confidence)
