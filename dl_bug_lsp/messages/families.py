"""The machinery of message families: a row of a table, and how a message is read by it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from dl_bug_lsp.messages import patterns, templates
from dl_bug_lsp.messages.readers import read_values
from dl_bug_lsp.messages.values import Fact, FactKind, Role

Derive = Callable[[list[Fact]], list[Fact]]
_MAX_MATCHES = 64


@dataclass(frozen=True)
class Family:
    """One row of a table of message families.

    ``name`` is the family without its framework; ``template`` is the message (see ``templates``);
    ``on`` names the exception classes it may stand in (any, where empty); ``where`` is a word that
    the raise site's file or function must hold; ``also`` adds constant facts
    (``"X:operation=conv"``); ``derive`` works further facts out of those read. A ``part`` adds
    facts to other families' and gives its name only where no other family knows the message.
    """

    name: str
    template: str
    on: str = ""
    where: str = ""
    also: str = ""
    derive: Derive | None = None
    part: bool = False

    @cached_property
    def classes(self) -> frozenset[str]:
        """The exception classes it may stand in."""
        return frozenset(self.on.split())

    @cached_property
    def needles(self) -> tuple[str, ...]:
        """Words of which every message holds one: the cheap test before the expression."""
        return templates.needles(self._parts)

    @cached_property
    def constants(self) -> tuple[Fact, ...]:
        """The constant facts of ``also``."""
        return tuple(_constant(entry) for entry in self.also.split(";") if entry)

    @cached_property
    def _parts(self) -> tuple[templates.Part, ...]:
        return templates.parse(self.template.removeprefix("^").removesuffix("$"))

    @cached_property
    def _compiled(self) -> tuple[re.Pattern[str], tuple[templates.Slot, ...]]:
        compiler = patterns.Compiler()
        body = compiler.sequence(self._parts)
        anchored = self.template.startswith("^")
        head = r"\A\s{0,40}" if anchored else patterns.beginning(self._parts)
        tail = r"\s{0,40}\Z" if self.template.endswith("$") else ""
        pattern = re.compile(head + body + tail, re.IGNORECASE)
        return pattern, tuple(compiler.slots)

    def read(self, text: str) -> list[tuple[int, Fact]] | None:
        """Return the facts that the family reads in a message, with their places, or None."""
        pattern, slots = self._compiled
        found: list[tuple[int, Fact]] = []
        matched = False
        for number, match in enumerate(pattern.finditer(text)):
            if number == _MAX_MATCHES:
                break
            matched = True
            facts = list(_facts(match, slots))
            derived = self.derive([fact for _, fact in facts]) if self.derive else []
            end = match.end()
            found += [*facts, *((end, fact) for fact in derived)]
            found += [(end, fact) for fact in self.constants]
        return found if matched else None


def _facts(match: re.Match[str], slots: tuple[templates.Slot, ...]) -> Iterator[tuple[int, Fact]]:
    for number, slot in enumerate(slots):
        raw = match[number + 1]
        if raw is None:
            continue
        for value, words in read_values(slot.kind, raw, slot.many):
            yield match.start(number + 1), Fact(slot.kind, slot.role, value, words)


def _constant(entry: str) -> Fact:
    head, _, value = entry.partition("=")
    role, _, kind = head.strip().partition(":")
    return Fact(FactKind(kind), templates.ROLES.get(role, Role.OTHER), value, "")
