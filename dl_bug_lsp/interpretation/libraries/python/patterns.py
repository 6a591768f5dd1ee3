"""Regular expressions of Python's standard library.

Source: Python's documentation of ``re``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation.model_helpers import thing, with_origins
from dl_bug_lsp.interpretation.models import MODELS, Call, state_of
from dl_bug_lsp.interpretation.values import (
    LibraryObject,
    Raised,
    Value,
    merged,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter


MOST_TEXT = 2_000
METHODS = ("findall", "split", "sub", "match", "search", "fullmatch", "finditer")
MOST_TRIED = 4_000_000
"""Ways to divide a text among the repetitions of a pattern that may be tried."""
LITERAL = re.compile(r"\\.|\[\^?\]?[^\]]*\]")
"""What repeats nothing: an escaped character, or a set of characters."""
QUANTIFIED_GROUP = re.compile(r"\)[*+{?]")


def is_quick(pattern: str, text: str) -> bool:
    """Whether a pattern takes little time on a text.

    No group repeats, and as each repetition may try all lengths of the text, few do.
    """
    if len(text) > MOST_TEXT or len(pattern) > MOST_TEXT or QUANTIFIED_GROUP.search(pattern):
        return False
    bare = LITERAL.sub("", pattern)
    repeated = sum(bare.count(mark) for mark in "*+{")
    few = repeated <= (1 if len(text) > MOST_TEXT // 4 else 2)
    return (few or len(text) ** repeated <= MOST_TRIED) and "\\" + "1" not in pattern


@MODELS.function("re.compile")
def _compiled(_: Interpreter, call: Call) -> Value:
    pattern, flags = call.given(0, "pattern"), call.given(1, "flags")
    if pattern is None or not isinstance(pattern.data, str):
        return call.unknown()
    try:
        re.compile(pattern.data)
    except (re.error, RecursionError) as error:
        raise Raised("value", str(error), pattern) from None
    plain_flags = Value(None) if flags is None else flags
    return thing("re.Pattern", call, pattern=pattern, flags=plain_flags)


def _applied(call: Call, name: str, pattern: Value, args: tuple[Value, ...]) -> Value:
    """Return what a function of ``re`` gives for plain texts."""
    texts = [arg.data for arg in args]
    source = pattern.data
    count = 2 if name == "sub" else 1
    known = len(texts) == count and all(isinstance(t, str) for t in texts) and not call.keywords
    if not known or not isinstance(source, str) or not is_quick(source, str(texts[-1])):
        return unknown(pattern, *args)
    parts = (pattern, *args)
    matches = getattr(re, name)(source, *texts)
    if name in ("match", "search", "fullmatch"):
        return _match(call, matches, parts)
    if name == "finditer":
        return Value([_match(call, matche, parts) for matche in matches], merged(*parts))
    return with_origins(matches, merged(*parts))


def _match(call: Call, match: re.Match[str] | None, parts: tuple[Value, ...]) -> Value:
    origins = merged(*parts)
    if match is None:
        return Value(None, origins)
    groups = with_origins([match.group(0), *match.groups()], origins)
    named = with_origins(match.groupdict(), origins)
    span = with_origins(list(match.span()), origins)
    data = LibraryObject(
        "re.Match", (), {}, call.place, {"all": groups, "named": named, "at": span}
    )
    return Value(data, origins)


@MODELS.method("Pattern", *METHODS)
def _by_pattern(_: Interpreter, call: Call) -> Value:
    state = state_of(call.receiver) or {}
    flags = state.get("flags")
    if "pattern" not in state or flags is None or flags.data is not None:
        return call.unknown()
    return _applied(call, call.name, state["pattern"], call.args)


@MODELS.function("re.match", "re.search", "re.fullmatch", "re.finditer")
def _by_function(_: Interpreter, call: Call) -> Value:
    if len(call.args) != 2:
        return call.unknown()
    return _applied(call, call.name.rpartition(".")[2], call.args[0], call.args[1:])


@MODELS.method("Match", "group", "groups", "groupdict", "start", "end", "span", "__getitem__")
def _of_match(_: Interpreter, call: Call) -> Value:
    state = state_of(call.receiver) or {}
    groups, named, span = (state.get(name) for name in ("all", "named", "at"))
    if groups is None or named is None or span is None or not isinstance(groups.data, list):
        return call.unknown()
    if call.name == "groups":
        return Value(tuple(groups.data[1:]), groups.origins)
    if call.name == "groupdict":
        return named
    if call.name in ("start", "end", "span"):
        if call.args or not isinstance(span.data, list):
            return call.unknown()
        ends = {"start": span.data[0], "end": span.data[1]}
        return ends.get(call.name) or Value(tuple(span.data), span.origins)
    groups_asked = [_group(groups.data, named.data, key.data) for key in call.args or (Value(0),)]
    known = [item for item in groups_asked if item is not None]
    if len(known) != len(groups_asked):
        return call.unknown()
    return known[0] if len(known) == 1 else Value(tuple(known), groups.origins)


def _group(groups: list[Value], named: object, key: object) -> Value | None:
    if isinstance(key, str) and isinstance(named, dict):
        return named.get(key)
    return groups[key] if isinstance(key, int) and 0 <= key < len(groups) else None
