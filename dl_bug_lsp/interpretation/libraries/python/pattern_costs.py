"""How many steps a regular expression takes at most on a text, before it is tried.

Python's matcher goes back to each place where it had a choice. How often it can is bounded by the
choices of each part: those of a repetition by the longest run of the text's characters that it can
go over, those of alternatives by how many of them can begin with the same character.

Source: Python's documentation of ``re``; ``re._parser`` (until Python 3.10 ``sre_parse``), which
gives the parts of a pattern.
"""

from __future__ import annotations

import functools
import itertools
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

if sys.version_info >= (3, 11):
    from re import _parser  # type: ignore[attr-defined, unused-ignore]
else:
    import sre_parse as _parser


MOST_STEPS = 2_000_000
"""Steps of one call, some hundredths of a second."""
MOST_PARTS = 400
"""Parts of a pattern that are looked into."""
TOO_MANY = MOST_STEPS + 1
_DEEPEST = 30
_CATEGORIES = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w"}
_ONE_CHARACTER = ("LITERAL", "NOT_LITERAL", "ANY", "IN")
_REPEATING = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")
_LOOKING = ("ASSERT", "ASSERT_NOT")


class _NotBounded(Exception):
    """No bound is known."""


@functools.lru_cache(maxsize=256)
def _parsed(pattern: str | bytes, flags: int) -> tuple[tuple[tuple[str, Any], ...], int] | None:
    """Return the parts of a pattern and its flags, None where it cannot be parsed here."""
    try:
        parsed: Any = _parser.parse(pattern, flags)  # type: ignore[arg-type, unused-ignore]
    except (re.error, RecursionError, OverflowError, ValueError):
        return None
    return _parts(parsed), int(parsed.state.flags)


def _parts(parsed: Iterable[tuple[object, Any]]) -> tuple[tuple[str, Any], ...]:
    return tuple((str(kind), given) for kind, given in parsed)


@dataclass
class _Bound:
    """Bounds of a part at one place: in how many ways it matches, how many steps that takes."""

    ways: int = 1
    steps: int = 1
    ends_differ: bool = False
    """Whether the ways end at different places of the text."""

    def capped(self) -> _Bound:
        return _Bound(min(self.ways, TOO_MANY), min(self.steps, TOO_MANY), self.ends_differ)


@dataclass
class _Text:
    """A text as the parts of a pattern see it: its characters by what they match."""

    text: str | bytes
    flags: int
    runs: dict[frozenset[str], int] = field(default_factory=dict)
    widths: dict[int, tuple[int, int]] = field(default_factory=dict)
    """The fewest and the most characters of groups by their number."""
    parts: int = 0
    looks: int = 1
    """How often the whole text was looked at."""

    def __post_init__(self) -> None:
        text = self.text
        self.characters = text if isinstance(text, str) else text.decode("latin-1")
        self.alphabet = frozenset(self.characters)
        self.matched: dict[object, frozenset[str]] = {}

    def note_group(self, given: Any) -> None:
        """Take note of the widths of a group."""
        if given[0] is not None:
            low, high = given[3].getwidth()
            self.widths[int(given[0])] = (int(low), int(high))

    def count(self, characters: frozenset[str]) -> int:
        """Return how many characters are among some."""
        self.looks += 1
        return sum(self.characters.count(c) for c in characters & self.alphabet)

    def places_of(self, kind: str, given: Any, ignores_case: bool) -> int:
        """Return at how many places a part stands that takes one character or none."""
        if kind != "AT":
            return self.count(self.matched_by(kind, given, ignores_case))
        if str(given) == "AT_END_STRING" or (
            str(given) == "AT_END" and not self.flags & re.MULTILINE
        ):
            return 2
        return len(self.text) + 1

    def longest_same(self) -> int:
        """Return how often a character follows itself at most."""
        self.looks += 1
        return max(
            (sum(1 for _ in run) for _, run in itertools.groupby(self.characters)), default=0
        )

    def longest_run(self, characters: frozenset[str]) -> int:
        """Return how many characters in a row are among some."""
        if characters >= self.alphabet:
            return len(self.text)
        if characters not in self.runs:
            self.looks += 1
            runs = itertools.groupby(self.characters, characters.__contains__)
            self.runs[characters] = max(
                (sum(1 for _ in r) for inside, r in runs if inside), default=0
            )
        return self.runs[characters]

    def matched_by(self, kind: str, given: Any, ignores_case: bool) -> frozenset[str]:
        """Return the text's characters that a part for one character may match."""
        key = (kind, str(given), ignores_case)
        if key not in self.matched:
            self.matched[key] = self._matched_by(kind, given, ignores_case)
        return self.matched[key]

    def _matched_by(self, kind: str, given: Any, ignores_case: bool) -> frozenset[str]:
        found = frozenset(c for c in self.alphabet if _matches(kind, given, c, self.flags))
        if not ignores_case:
            return found
        if kind == "NOT_LITERAL" or (kind == "IN" and str(given[0][0]) == "NEGATE"):
            return self.alphabet
        # A character of either case, and what is written alike in one of them, may match.
        near = {
            form
            for c in self.alphabet
            for form in (c.lower(), c.upper(), c.swapcase(), c.casefold())
            if _matches(kind, given, form[:1], self.flags)
        }
        alike = {
            c for c in self.alphabet if {c.lower(), c.upper(), c.swapcase(), c.casefold()} & near
        }
        return found | alike | {c for c in self.alphabet if not c.isascii()}


def _matches(kind: str, given: Any, character: str, flags: int) -> bool:
    if not character:
        return True
    code = ord(character)
    if kind == "LITERAL":
        return bool(code == given)
    if kind == "NOT_LITERAL":
        return bool(code != given)
    if kind == "ANY":
        return bool(flags & re.DOTALL) or character != "\n"
    items = _parts(given)
    inside = any(_is_in(name, value, character, flags) for name, value in items)
    return inside != (bool(items) and items[0][0] == "NEGATE")


def _is_in(name: str, value: Any, character: str, flags: int) -> bool:
    code = ord(character)
    if name == "LITERAL":
        return bool(code == value)
    if name == "RANGE":
        return bool(value[0] <= code <= value[1])
    if name == "NEGATE":
        return False
    if name != "CATEGORY":
        raise _NotBounded
    words = str(value).removeprefix("CATEGORY_").removeprefix("UNI_")
    pattern = _CATEGORIES.get(words.removeprefix("NOT_"))
    if pattern is None:
        raise _NotBounded
    of_ascii = re.ASCII if flags & re.ASCII or not flags & re.UNICODE else re.UNICODE
    return (re.match(pattern, character, of_ascii) is None) == words.startswith("NOT_")


def steps_of(
    pattern: str | bytes, text: str | bytes, flags: int = 0, *, once: bool = False
) -> int | None:
    """Return a bound of the steps that all matches of a pattern in a text take.

    ``once`` says that the pattern is tried at one place and has to reach the end of the text
    (``fullmatch``). None where it takes more than `MOST_STEPS`, or no bound is known.
    """
    parsed = _parsed(pattern, flags)
    if parsed is None:
        return None
    parts, all_flags = parsed
    looked_at = _Text(text, all_flags)
    ignores_case = bool(all_flags & re.IGNORECASE)
    try:
        if all_flags & re.LOCALE:
            raise _NotBounded
        if once:
            failing, each, starts = _of_sequence(parts, looked_at, ignores_case, 0).steps, 0, 1
        else:
            failing, each = _at_end(parts, looked_at, ignores_case, 0)
            starts = _starts(parts, looked_at, ignores_case)
    except _NotBounded:
        return None
    length = len(text) + 1
    # What is known of the text was looked up, too.
    total = starts * failing + length * (each + looked_at.looks)
    return total if total <= MOST_STEPS else None


def _starts(parts: Sequence[tuple[str, Any]], text: _Text, ignores_case: bool) -> int:
    """Return at how many places of the text more than one step is taken at most."""
    kind, given = parts[0] if parts else ("", None)
    if kind == "AT" and str(given) in ("AT_BEGINNING", "AT_BEGINNING_STRING"):
        is_once = str(given) == "AT_BEGINNING_STRING" or not text.flags & re.MULTILINE
        return 1 if is_once else text.count(frozenset("\n")) + 1
    first = _beginning(parts, text, ignores_case)
    return len(text.text) + 1 if first is None else text.count(first)


def _at_end(
    parts: Sequence[tuple[str, Any]], text: _Text, ignores_case: bool, depth: int
) -> tuple[int, int]:
    """Return bounds of the steps of the end of a pattern: at each place, at each character.

    A repetition at the end that goes on has matched: no step of it is taken twice.
    """
    flat = _flat(parts, text)
    if not flat or depth > _DEEPEST:
        whole = _of_sequence(flat, text, ignores_case, depth)
        return whole.steps, 0
    before = _of_sequence(flat[:-1], text, ignores_case, depth)
    kind, given = flat[-1]
    failing, each = 0, 0
    if kind == "BRANCH":
        for branch in given[1]:
            ends = _at_end(_parts(branch), text, ignores_case, depth + 1)
            failing, each = failing + ends[0], each + ends[1]
    elif kind in _REPEATING:
        inner = _of_sequence(_parts(given[2]), text, ignores_case, depth + 1)
        _, width = _span(_parts(given[2]), text, ignores_case, depth + 1)
        if inner.ways == 1 and width:
            failing, each = (min(int(given[0]), len(text.text)) + 1) * inner.steps, inner.steps
    if not failing:
        failing = _of_part(kind, given, text, ignores_case, depth).steps
    bound = _Bound(1, before.steps + before.ways * failing).capped()
    return bound.steps, min(each, TOO_MANY)


def _flat(parts: Sequence[tuple[str, Any]], text: _Text) -> list[tuple[str, Any]]:
    """Return parts with those of groups in their place."""
    found: list[tuple[str, Any]] = []
    for kind, given in parts:
        if kind == "SUBPATTERN" and not given[1] and not given[2]:
            text.parts += 1
            if text.parts > MOST_PARTS:
                raise _NotBounded
            text.note_group(given)
            found.extend(_flat(_parts(given[3]), text))
        else:
            found.append((kind, given))
    return found


def _of_sequence(
    parts: Sequence[tuple[str, Any]], text: _Text, ignores_case: bool, depth: int
) -> _Bound:
    """Return the bound of parts that follow each other: each is tried for all ways before it."""
    whole = _Bound(1, 1)
    before, ends = 1, 0
    for kind, given in _flat(parts, text):
        part = _of_part(kind, given, text, ignores_case, depth)
        steps = whole.steps + whole.ways * part.steps
        if part.ends_differ:
            before, ends = whole.ways, part.ways
        elif ends and (kind in _ONE_CHARACTER or kind == "AT"):
            # The ways before it end at different places, of which few may have what follows.
            ends = min(ends, text.places_of(kind, given, ignores_case))
            whole = _Bound(before * ends, steps).capped()
            continue
        else:
            ends = 0
        whole = _Bound(whole.ways * part.ways, steps).capped()
    return whole


def _of_part(kind: str, given: Any, text: _Text, ignores_case: bool, depth: int) -> _Bound:
    text.parts += 1
    if text.parts > MOST_PARTS or depth > _DEEPEST:
        raise _NotBounded
    if kind in _ONE_CHARACTER or kind == "AT":
        return _Bound()
    if kind == "SUBPATTERN":
        _, added, taken, inner = given
        if taken & re.IGNORECASE or (added | taken) & ~(re.IGNORECASE | re.MULTILINE):
            raise _NotBounded
        text.note_group(given)
        inner_case = ignores_case or bool(added & re.IGNORECASE)
        return _of_sequence(_parts(inner), text, inner_case, depth + 1)
    if kind in _REPEATING:
        return _of_repetition(kind, given, text, ignores_case, depth)
    if kind == "BRANCH":
        return _of_alternatives(given[1], text, ignores_case, depth)
    if kind in _LOOKING:
        return _Bound(1, _of_sequence(_parts(given[1]), text, ignores_case, depth + 1).steps)
    if kind == "ATOMIC_GROUP":
        return _Bound(1, _of_sequence(_parts(given), text, ignores_case, depth + 1).steps)
    if kind == "GROUPREF":
        return _Bound(1, min(text.widths.get(int(given), (0, TOO_MANY))[1], len(text.text)) + 1)
    raise _NotBounded


def _of_repetition(kind: str, given: Any, text: _Text, ignores_case: bool, depth: int) -> _Bound:
    least, most, inner = int(given[0]), int(given[1]), _parts(given[2])
    each = _of_sequence(inner, text, ignores_case, depth + 1)
    characters, width = _span(inner, text, ignores_case, depth + 1)
    rounds = min(most, text.longest_run(characters) // max(width, 1))
    is_same = len(inner) == 1 and inner[0][0] == "GROUPREF" and not ignores_case
    if is_same and text.widths.get(int(inner[0][1])) == (1, 1):
        rounds = min(most, text.longest_same())
    if each.ways == 1 and width:
        bound = _Bound(max(rounds - least, 0) + 1, (rounds + 1) * each.steps, ends_differ=True)
    else:
        # A round that goes over nothing is the last one.
        ways, tried, last = 0, 0, 1
        for number in range(rounds + 1 + (not width)):
            ways += last if number >= least or not width else 0
            tried += last
            last = last * each.ways
            if tried + last > MOST_STEPS:
                return _Bound(TOO_MANY, TOO_MANY)
        bound = _Bound(max(ways, 1), (tried + last) * each.steps)
    return _Bound(1, bound.steps).capped() if kind == "POSSESSIVE_REPEAT" else bound.capped()


def _of_alternatives(
    branches: Sequence[Any], text: _Text, ignores_case: bool, depth: int
) -> _Bound:
    """Return the bound of alternatives: those count together that can begin alike."""
    bounds: list[_Bound] = []
    ways: dict[str, int] = {}
    anywhere = 0
    for branch in branches:
        parts = _parts(branch)
        bound = _of_sequence(parts, text, ignores_case, depth + 1)
        bounds.append(bound)
        first = _beginning(parts, text, ignores_case)
        if first is None:
            anywhere += bound.ways
        for character in first or ():
            ways[character] = ways.get(character, 0) + bound.ways
    most = max(ways.values(), default=0) + anywhere
    return _Bound(max(most, 1), sum(bound.steps for bound in bounds) + 1).capped()


def _beginning(
    parts: Sequence[tuple[str, Any]], text: _Text, ignores_case: bool
) -> frozenset[str] | None:
    """Return the characters of the text that parts may begin with, None where that is open."""
    if not parts:
        return None
    kind, given = parts[0]
    if kind in _ONE_CHARACTER:
        return text.matched_by(kind, given, ignores_case)
    if kind in _REPEATING and int(given[0]) > 0:
        return _beginning(_parts(given[2]), text, ignores_case)
    if kind == "SUBPATTERN":
        inner_case = ignores_case or bool(given[1] & re.IGNORECASE)
        return _beginning(_parts(given[3]), text, inner_case)
    return None


def _span(
    parts: Sequence[tuple[str, Any]], text: _Text, ignores_case: bool, depth: int
) -> tuple[frozenset[str], int]:
    """Return the characters of the text that parts may go over, and how many they do at least."""
    if depth > _DEEPEST:
        raise _NotBounded
    characters: frozenset[str] = frozenset()
    width = 0
    for kind, given in parts:
        if kind in _ONE_CHARACTER:
            own, least = text.matched_by(kind, given, ignores_case), 1
        elif kind in _REPEATING:
            own, least = _span(_parts(given[2]), text, ignores_case, depth + 1)
            least *= min(int(given[0]), TOO_MANY)
        elif kind == "SUBPATTERN":
            inner_case = ignores_case or bool(given[1] & re.IGNORECASE)
            own, least = _span(_parts(given[3]), text, inner_case, depth + 1)
        elif kind == "BRANCH":
            spans = [_span(_parts(b), text, ignores_case, depth + 1) for b in given[1]]
            own = frozenset[str]().union(*(span for span, _ in spans))
            least = min((least for _, least in spans), default=0)
        elif kind == "ATOMIC_GROUP":
            own, least = _span(_parts(given), text, ignores_case, depth + 1)
        elif kind == "GROUPREF":
            own, least = text.alphabet, 0
        elif kind in _LOOKING or kind == "AT":
            continue
        else:
            raise _NotBounded
        characters |= own
        width += least
    return characters, width
