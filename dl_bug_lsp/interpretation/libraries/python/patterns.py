"""Regular expressions of Python's standard library.

Source: Python's documentation of ``re``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

# This registers the model of patterns without groups on longer texts.
import dl_bug_lsp.interpretation.libraries.python.standard_library  # noqa: F401
from dl_bug_lsp.interpretation.model_helpers import thing, with_origins
from dl_bug_lsp.interpretation.models import MODELS, Call, state_of
from dl_bug_lsp.interpretation.values import (
    Library,
    LibraryObject,
    Raised,
    Value,
    merged,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter


MOST_TEXT = 2_000
MOST_MATCHES = 50
"""Matches for which a function is called that gives what stands in their place."""
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


def _flags_of(value: Value | None) -> int | None:
    """Return the flags that a value names, None where they are not known."""
    if value is None or value.data is None or value.data == 0:
        return 0
    if isinstance(value.data, Library) and value.data.name.startswith("re."):
        flag = getattr(re, value.data.short, None)
        return int(flag) if isinstance(flag, re.RegexFlag) else None
    return None


def _source(pattern: Value, flags: Value | None) -> tuple[str, int] | None:
    """Return the text and the flags of a pattern, or of a compiled one; None if not known."""
    state = state_of(pattern)
    if isinstance(pattern.data, LibraryObject) and state is not None and "pattern" in state:
        text, own = state["pattern"].data, _flags_of(state.get("flags"))
    else:
        text, own = pattern.data, _flags_of(flags)
    return (text, own) if isinstance(text, str) and own is not None else None


def _applied(
    interpreter: Interpreter, call: Call, name: str, pattern: Value, args: tuple[Value, ...]
) -> Value:
    """Return what a function of ``re`` gives for plain texts."""
    count = 2 if name == "sub" else 1
    named = ("repl", "string") if count == 2 else ("string",)
    given = [*args, *(call.keywords[n] for n in named[len(args) :] if n in call.keywords)]
    at = 4 if name == "sub" else 2
    source = _source(pattern, call.given(at, "flags") if call.receiver is None else None)
    parts = (pattern, *given)
    rest = call.keywords.keys() - {*named, "flags", "pattern"}
    if source is None or len(given) != count or rest or not isinstance(given[-1].data, str):
        return unknown(*parts)
    text, subject = source[0], given[-1].data
    if not is_quick(text, subject):
        return unknown(*parts)
    compiled = re.compile(*source)
    if count == 2:
        return _substituted(interpreter, call, compiled, given, parts)
    matches = getattr(compiled, name)(subject)
    if name in ("match", "search", "fullmatch"):
        return _match(call, matches, parts)
    if name == "finditer":
        return Value([_match(call, matche, parts) for matche in matches], merged(*parts))
    return with_origins(matches, merged(*parts))


def _substituted(
    interpreter: Interpreter,
    call: Call,
    compiled: re.Pattern[str],
    given: list[Value],
    parts: tuple[Value, ...],
) -> Value:
    """Return a text with other texts in the place of matches, as a function may give them."""
    by, subject = given[0], str(given[1].data)
    if isinstance(by.data, str):
        return with_origins(compiled.sub(by.data, subject), merged(*parts))
    found = list(compiled.finditer(subject))
    texts: list[str] = []
    for match in found[:MOST_MATCHES]:
        made = interpreter.call(by, (_match(call, match, parts),), {}, call.place)
        if not isinstance(made.data, str):
            return unknown(*parts)
        texts.append(made.data)
    if len(texts) != len(found):
        return unknown(*parts)
    pieces: list[str] = []
    end = 0
    for match, text in zip(found, texts, strict=True):
        pieces += [subject[end : match.start()], text]
        end = match.end()
    return Value("".join([*pieces, subject[end:]]), merged(*parts))


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
def _by_pattern(interpreter: Interpreter, call: Call) -> Value:
    if call.receiver is None:
        return call.unknown()
    return _applied(interpreter, call, call.name, call.receiver, call.args)


_of_plain_patterns = {name: MODELS.functions.get(f"re.{name}") for name in METHODS}


@MODELS.function(*(f"re.{name}" for name in METHODS))
def _by_function(interpreter: Interpreter, call: Call) -> Value:
    name = call.name.rpartition(".")[2]
    pattern, count = call.given(0, "pattern"), 2 if name == "sub" else 1
    if pattern is None:
        return call.unknown()
    if name == "sub" and call.given(3, "count") is not None:
        return call.unknown()
    made = _applied(interpreter, call, name, pattern, call.args[1 : 1 + count])
    other = _of_plain_patterns[name]
    return made if made.known or other is None else other(interpreter, call)


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
