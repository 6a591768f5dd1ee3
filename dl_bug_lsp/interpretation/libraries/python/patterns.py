"""Regular expressions of Python's standard library, and of the package ``regex``.

A pattern is tried where `pattern_costs` bounds the steps that it takes.

Sources: Python's documentation of ``re``; the package ``regex``'s of its differences from ``re``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from dl_bug_lsp.interpretation.libraries.python.pattern_costs import steps_of
from dl_bug_lsp.interpretation.libraries.python.standard_library import CONSTANTS
from dl_bug_lsp.interpretation.model_helpers import MOST_CALLS, MOST_ITEMS, thing, with_origins
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.operators import MAX_PLAIN_TEXT, MAX_TEXT
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    LibraryObject,
    Origins,
    Raised,
    Value,
    merged,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter


MOST_PATTERN = 2_000
"""Characters of a pattern."""
MOST_STEPS_OF_RUN = 60_000_000
"""Steps of all patterns that a followed run tries."""
PACKAGES = ("re", "regex")
FLAGS = (
    *("A", "ASCII", "I", "IGNORECASE", "M", "MULTILINE", "S", "DOTALL", "U", "UNICODE"),
    *("X", "VERBOSE"),
)
for _root in PACKAGES:
    CONSTANTS.update({f"{_root}.{name}": int(getattr(re, name)) for name in FLAGS})
    CONSTANTS[f"{_root}.NOFLAG"] = 0

_PARAMETERS: Mapping[str, tuple[str, ...]] = {
    "findall": ("string", "flags"),
    "finditer": ("string", "flags"),
    "match": ("string", "flags"),
    "search": ("string", "flags"),
    "fullmatch": ("string", "flags"),
    "split": ("string", "maxsplit", "flags"),
    "sub": ("repl", "string", "count", "flags"),
    "subn": ("repl", "string", "count", "flags"),
}
"""The parameters of functions, after the pattern."""
_OF_PATTERNS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("findall", "finditer", "match", "search"), ("string", "pos", "endpos")),
    "fullmatch": ("string", "pos", "endpos"),
    "split": ("string", "maxsplit"),
    "sub": ("repl", "string", "count"),
    "subn": ("repl", "string", "count"),
}
"""The parameters of the methods of compiled patterns."""
_ONE_MATCH = ("match", "search", "fullmatch")
_PROPERTIES = re.compile(r"\\p\{([LN])\}|\\.|\[\^?\]?|\]", re.DOTALL)
_OF_ASCII = {"L": "a-zA-Z", "N": "0-9"}
_STEPS: WeakKeyDictionary[Interpreter, int] = WeakKeyDictionary()


# --- patterns -------------------------------------------------------------------------------------


def _as_ascii(pattern: str) -> str | None:
    r"""Return a pattern of ``regex`` without ``\p{L}`` and ``\p{N}``, as it is for ASCII texts.

    None where it has other properties of characters.
    """
    inside = False

    def written(match: re.Match[str]) -> str:
        nonlocal inside
        if match[1]:
            return _OF_ASCII[match[1]] if inside else f"[{_OF_ASCII[match[1]]}]"
        if match[0][0] in "[]":
            inside = match[0][0] == "["
        return match[0]

    changed = _PROPERTIES.sub(written, pattern)
    return None if "\\p" in changed or "\\P" in changed else changed


@dataclass(frozen=True, slots=True)
class _Compiled:
    """A pattern with its flags, and the package that it is of."""

    pattern: Value
    flags: Value
    package: str

    def found(self, text: str | bytes | None) -> re.Pattern[Any] | None:
        """Return the pattern for a text, None where it is not known.

        Raises `Raised` ("value") where it is no pattern.
        """
        source, flags = self.pattern.data, self.flags.data
        if not isinstance(source, (str, bytes)) or not isinstance(flags, int):
            return None
        if len(source) > MOST_PATTERN:
            return None
        if self.package == "regex" and isinstance(source, str) and "\\p" in source:
            source = _as_ascii(source) if isinstance(text, str) and text.isascii() else None
            if source is None:
                return None
        try:
            return re.compile(source, flags)
        except (re.error, RecursionError, OverflowError, ValueError) as error:
            if self.package != "re" or not isinstance(error, re.error):
                return None
            raise Raised("value", str(error), self.pattern) from None


def _package(call: Call) -> str:
    return call.name.partition(".")[0]


def _compiled_of(call: Call, given: Value | None, flags: Value | None) -> _Compiled | None:
    """Return the pattern that a function is given as a text or compiled."""
    if given is None:
        return None
    data = given.data
    if isinstance(data, LibraryObject) and data.short == "Pattern" and "pattern" in data.state:
        if flags is not None and flags.data != 0:
            return None
        return _Compiled(data.state["pattern"], data.state["flags"], _of_package(data))
    plain_flags = Value(0) if flags is None else flags
    return _Compiled(given, plain_flags, _package(call))


def _of_package(data: LibraryObject) -> str:
    return data.name.partition(".")[0]


@MODELS.function(*(f"{package}.compile" for package in PACKAGES))
def _compiled(_: Interpreter, call: Call) -> Value:
    pattern, flags = call.given(0, "pattern"), call.given(1, "flags")
    compiled = _compiled_of(call, pattern, flags)
    if pattern is None or compiled is None:
        return call.unknown()
    if isinstance(pattern.data, LibraryObject):
        return pattern
    if pattern.data is None or isinstance(pattern.data, (int, float, list)):
        raise Raised("type", "first argument must be string or compiled pattern", pattern)
    if not isinstance(pattern.data, (str, bytes)):
        return call.unknown()
    made = thing(f"{_package(call)}.Pattern", call, pattern=pattern, flags=compiled.flags)
    found = compiled.found("")
    if found is not None and isinstance(made.data, LibraryObject):
        made.data.state["groups"] = Value(found.groups, pattern.origins)
        made.data.state["groupindex"] = with_origins(dict(found.groupindex), pattern.origins)
    return made


# --- functions and methods ------------------------------------------------------------------------


def _named(call: Call, names: Sequence[str], taken: int) -> dict[str, Value] | None:
    """Return the arguments after the pattern by their names, None where they do not fit."""
    positional = call.args[taken:]
    if len(positional) > len(names) or not set(call.keywords) <= {*names, "pattern"}:
        return None
    given = dict(zip(names, positional, strict=False))
    given.update((name, value) for name, value in call.keywords.items() if name != "pattern")
    return given


@MODELS.function(*(f"{package}.{name}" for package in PACKAGES for name in _PARAMETERS))
def _by_function(interpreter: Interpreter, call: Call) -> Value:
    name = call.name.rpartition(".")[2]
    given = _named(call, _PARAMETERS[name], 0 if "pattern" in call.keywords else 1)
    if given is None:
        return call.unknown()
    compiled = _compiled_of(call, call.given(0, "pattern"), given.pop("flags", None))
    return call.unknown() if compiled is None else _applied(interpreter, call, compiled, given)


@MODELS.method("Pattern", *_OF_PATTERNS)
def _by_pattern(interpreter: Interpreter, call: Call) -> Value:
    given = _named(call, _OF_PATTERNS[call.name], 0)
    held = call.held
    if given is None or held is None or "pattern" not in call.state:
        return call.unknown()
    compiled = _Compiled(call.state["pattern"], call.state["flags"], _of_package(held))
    return _applied(interpreter, call, compiled, given)


def _whole(given: Mapping[str, Value], name: str, default: int) -> int | None:
    """Return a whole number among arguments, None where it is not known."""
    data = given[name].data if name in given else default
    return data if isinstance(data, int) else None


def _applied(
    interpreter: Interpreter, call: Call, compiled: _Compiled, given: Mapping[str, Value]
) -> Value:
    """Return what a function of ``re`` gives for a text that is known."""
    name = call.name.rpartition(".")[2]
    text = given.get("string")
    parts = (compiled.pattern, *given.values())
    if text is None or not text.known:
        return unknown(*parts)
    if text.data is None or isinstance(text.data, (int, float, list, tuple, dict)):
        refused = type(text.data).__name__
        raise Raised("type", f"expected string or bytes-like object, got '{refused}'", text)
    if not isinstance(text.data, (str, bytes)) or len(text.data) > MAX_TEXT:
        return unknown(*parts)
    start = _whole(given, "pos", 0)
    stop = _whole(given, "endpos", len(text.data))
    found = compiled.found(text.data)
    if found is None or start is None or stop is None:
        return unknown(*parts)
    if isinstance(found.pattern, str) != isinstance(text.data, str):
        raise Raised("type", "cannot use a pattern of texts on bytes", compiled.pattern, text)
    steps = steps_of(found.pattern, text.data, found.flags, once=name == "fullmatch")
    taken = _STEPS.get(interpreter, 0)
    if steps is None or taken + steps > MOST_STEPS_OF_RUN:
        return unknown(*parts)
    _STEPS[interpreter] = taken + steps
    if name in ("sub", "subn"):
        return _replaced(interpreter, call, found, given, merged(*parts))
    if name == "split":
        limit = _whole(given, "maxsplit", 0)
        return unknown(*parts) if limit is None else _split(found, text, limit, merged(*parts))
    if name in _ONE_MATCH:
        return _match(call, getattr(found, name)(text.data, start, stop), merged(*parts))
    if name == "finditer":
        matches = [_match(call, m, merged(*parts)) for m in found.finditer(text.data, start, stop)]
        return Value(matches[:MOST_ITEMS], merged(*parts))
    return with_origins(found.findall(text.data, start, stop)[:MOST_ITEMS], merged(*parts))


def _split(found: re.Pattern[Any], text: Value, limit: int, origins: Origins) -> Value:
    assert isinstance(text.data, (str, bytes))
    return with_origins(found.split(text.data, maxsplit=limit)[:MOST_ITEMS], origins)


def _replaced(
    interpreter: Interpreter,
    call: Call,
    found: re.Pattern[Any],
    given: Mapping[str, Value],
    origins: Origins,
) -> Value:
    """Return a text with its matches replaced, by a text or by what a function gives for each."""
    replacement, text = given.get("repl"), given["string"].data
    limit = _whole(given, "count", 0)
    if replacement is None or limit is None or not isinstance(text, (str, bytes)):
        return Value(UNKNOWN, origins)
    matches = list(found.finditer(text))
    matches = matches[:limit] if limit > 0 else [] if limit < 0 else matches
    pieces: list[Any] = []
    written = replacement.data
    if isinstance(written, (str, bytes)):
        if type(written) is not type(text):
            raise Raised("type", "the replacement is of another type than the text", replacement)
        sizes = len(matches) * len(written)
        references = str(written).count("\\")
        sizes += references * sum(len(group) for m in matches for group in (m[0], *m.groups("")))
        if sizes > MAX_PLAIN_TEXT:
            return Value(UNKNOWN, origins)
        try:
            pieces = [match.expand(written) for match in matches]
        except (re.error, IndexError) as error:
            raise Raised("value", str(error), replacement) from None
    else:
        if len(matches) > MOST_CALLS or not replacement.known:
            return Value(UNKNOWN, origins)
        for match in matches:
            one = _match(call, match, origins)
            made = interpreter.call(replacement, (one,), {}, call.place)
            piece = text[:0] if made.data is None else made.data
            if type(piece) is not type(text):
                return Value(UNKNOWN, origins | made.origins)
            origins |= made.origins
            pieces.append(piece)
    whole = _joined(text, matches, pieces)
    if len(whole) > MAX_PLAIN_TEXT:
        return Value(UNKNOWN, origins)
    changed = Value(whole, merged(Value(None, origins)))
    if call.name.endswith("subn"):
        return Value((changed, Value(len(matches), changed.origins)), changed.origins)
    return changed


def _joined(text: Any, matches: Sequence[re.Match[Any]], pieces: Sequence[Any]) -> Any:
    """Return a text with pieces in place of the matches."""
    joined, at = [], 0
    for match, piece in zip(matches, pieces, strict=True):
        joined += [text[at : match.start()], piece]
        at = match.end()
    return text[:0].join([*joined, text[at:]])


# --- matches --------------------------------------------------------------------------------------


def _match(call: Call, match: re.Match[Any] | None, origins: Origins) -> Value:
    if match is None:
        return Value(None, origins)
    numbers = range(match.re.groups + 1)
    state = {
        "all": with_origins([match[number] for number in numbers], origins),
        "named": with_origins({n: match[n] for n in match.re.groupindex}, origins),
        "at": with_origins([match.span(number) for number in numbers], origins),
        "numbers": with_origins(dict(match.re.groupindex), origins),
        "lastindex": Value(match.lastindex, origins),
        "lastgroup": Value(match.lastgroup, origins),
        "string": Value(match.string, origins),
        "pos": Value(match.pos, origins),
        "endpos": Value(match.endpos, origins),
    }
    return Value(LibraryObject("re.Match", (), {}, call.place, state), origins)


@MODELS.method("Match", "group", "__getitem__")
def _group(_: Interpreter, call: Call) -> Value:
    """Return one group, or a tuple of several ones; raise where there is none such."""
    groups = call.state.get("all")
    if groups is None:
        return call.unknown()
    asked = [_one_group(call, key) for key in call.args or (Value(0),)]
    return asked[0] if len(asked) == 1 else Value(tuple(asked), groups.origins)


def _one_group(call: Call, key: Value) -> Value:
    groups, named = call.state["all"].data, call.state["named"].data
    if not isinstance(groups, list) or not isinstance(named, dict):
        return call.unknown()
    if not isinstance(key.data, (str, int)):
        return unknown(key, call.state["all"])
    if isinstance(key.data, str) and key.data in named:
        found = named[key.data]
    elif isinstance(key.data, int) and 0 <= key.data < len(groups):
        found = groups[key.data]
    else:
        raise Raised("index", "no such group", key)
    return found if isinstance(found, Value) else call.unknown()


@MODELS.method("Match", "groups", "groupdict")
def _groups(_: Interpreter, call: Call) -> Value:
    """Return all groups; those that took no part are the default."""
    groups, named = call.state.get("all"), call.state.get("named")
    default = call.given(0, "default") or Value(None)
    if groups is None or named is None or not isinstance(groups.data, list):
        return call.unknown()
    if call.name == "groups":
        taken = (default if item.data is None else item for item in groups.data[1:])
        return Value(tuple(taken), groups.origins)
    if not isinstance(named.data, dict):
        return call.unknown()
    entries = {k: default if v.data is None else v for k, v in named.data.items()}
    return Value(entries, named.origins)


@MODELS.method("Match", "start", "end", "span")
def _place(_: Interpreter, call: Call) -> Value:
    spans, numbers = call.state.get("at"), call.state.get("numbers")
    key = call.given(0, "group") or Value(0)
    at = numbers.data.get(key.data) if numbers and isinstance(numbers.data, dict) else None
    number = at.data if isinstance(at, Value) else key.data
    if spans is None or not isinstance(spans.data, list) or not isinstance(number, int):
        return call.unknown()
    if not 0 <= number < len(spans.data):
        raise Raised("index", "no such group", key)
    span = spans.data[number]
    if call.name == "span" or not isinstance(span.data, tuple):
        return span if isinstance(span, Value) else call.unknown()
    end = span.data[call.name == "end"]
    return end if isinstance(end, Value) else call.unknown()


_REFERENCE = re.compile(r"\\(?:(\d{1,2})|g<(\w+)>)")


@MODELS.method("Match", "expand")
def _expanded(_: Interpreter, call: Call) -> Value:
    template = call.given(0, "template")
    if template is None or not isinstance(template.data, str) or len(template.data) > MOST_PATTERN:
        return call.unknown()
    if "\\" in _REFERENCE.sub("", template.data):
        return call.unknown()
    texts: dict[str, str] = {}
    for number, name in _REFERENCE.findall(template.data):
        reference = number or name
        key = Value(int(reference) if reference.isdigit() else reference, template.origins)
        text = _one_group(call, key).data
        if not isinstance(text, (str, type(None))):
            return call.unknown()
        texts[reference] = text or ""
    whole = _REFERENCE.sub(lambda m: texts[m[1] or m[2]], template.data)
    return Value(whole, merged(template, call.state["all"]))
