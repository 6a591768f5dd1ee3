"""Functions of Python's standard library that depend on nothing but what they are given; dates.

Source: Python's documentation of ``bisect``, ``statistics``, ``textwrap``, ``json``, ``hashlib``,
``datetime``, ``time``, ``re.escape`` and ``itertools``.
"""

from __future__ import annotations

import ast
import bisect
import datetime
import fnmatch
import html
import re
import shlex
import statistics
import string
import textwrap
import unicodedata
import urllib.parse
import zlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation import arrays, operators
from dl_bug_lsp.interpretation.model_helpers import MOST_CALLS, listed, nothing, thing
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.operators import MAX_ITEMS, MAX_TEXT, NotPlain, lifted, plain
from dl_bug_lsp.interpretation.values import (
    Lazy,
    LibraryObject,
    OneShot,
    Origins,
    Raised,
    Value,
    merged,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

# --- functions that depend on nothing but what they are given -------------------------------------

PURE: dict[str, Callable[..., object]] = {
    "string.capwords": string.capwords,
    "ast.literal_eval": ast.literal_eval,
    "builtins.eval": ast.literal_eval,
    "shlex.split": shlex.split,
    "html.escape": html.escape,
    "html.unescape": html.unescape,
    "unicodedata.normalize": unicodedata.normalize,
    "unicodedata.category": unicodedata.category,
    "fnmatch.filter": fnmatch.filter,
    "fnmatch.fnmatch": fnmatch.fnmatchcase,
    "fnmatch.fnmatchcase": fnmatch.fnmatchcase,
    "urllib.parse.quote": urllib.parse.quote,
    "urllib.parse.unquote": urllib.parse.unquote,
    **{f"bisect.{n}": getattr(bisect, n) for n in ("bisect", "bisect_left", "bisect_right")},
    **{f"textwrap.{n}": getattr(textwrap, n) for n in ("dedent", "indent", "shorten", "wrap")},
    "textwrap.fill": textwrap.fill,
    "re.escape": re.escape,
}
OF_NUMBERS = ("mean", "fmean", "stdev", "pstdev", "variance", "pvariance", "median")
MOST_NUMBERS = 2_000


def pure(_: Interpreter, call: Call) -> Value:
    """Return what a function that depends on nothing else gives for known arguments."""
    try:
        given = [plain(arg) for arg in call.args]
        named = {name: plain(value) for name, value in call.keywords.items()}
    except NotPlain:
        return call.unknown()
    if any(isinstance(g, str) and len(g) > MAX_TEXT for g in given):
        return call.unknown()
    try:
        return lifted(PURE[call.name](*given, **named), *call.args)
    except (SyntaxError, ValueError) as error:
        if call.name == "builtins.eval":
            return call.unknown()
        raise Raised("value", str(error), *call.args) from None
    except (RecursionError, MemoryError):
        return call.unknown()


MODELS.function(*PURE)(pure)


@MODELS.function(*(f"statistics.{name}" for name in OF_NUMBERS))
def _statistic(interpreter: Interpreter, call: Call) -> Value:
    items = listed(interpreter, call.given(0, "data"))
    if items is None:
        return arrays.number("float64", *call.args)
    if not items:
        raise Raised("value", f"{call.name} requires at least one data point", *call.args)
    try:
        numbers = [plain(item) for item in items[: MOST_NUMBERS + 1]]
        if len(numbers) > MOST_NUMBERS or call.keywords or len(call.args) > 1:
            return arrays.number("float64", *call.args)
        function = getattr(statistics, call.name.rpartition(".")[2])
        return lifted(function(numbers), *call.args, *items[:24])
    except NotPlain:
        return arrays.number("float64", *call.args)
    except statistics.StatisticsError as error:
        raise Raised("value", str(error), *call.args) from None


HASHES = ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "blake2b", "blake2s")


@MODELS.function("zlib.crc32", "zlib.adler32", "binascii.crc32")
def _checksum(_: Interpreter, call: Call) -> Value:
    """Return the checksum of bytes that are known, by which programs number words."""
    data, start = call.given(0, "data"), call.given(1, "value")
    if data is None or not isinstance(data.data, bytes):
        return call.unknown()
    begun = 0 if start is None else start.data
    if not isinstance(begun, int):
        return call.unknown()
    work = zlib.adler32 if call.name.endswith("adler32") else zlib.crc32
    number = work(data.data) if start is None else work(data.data, begun)
    return Value(number, merged(*call.args))


@MODELS.function(*(f"hashlib.{name}" for name in HASHES))
def _hash(_: Interpreter, call: Call) -> Value:
    return thing("hashlib.HASH", call)


MODELS.method("HASH", "update")(nothing)
MODELS.function("gc.collect")(lambda _, call: arrays.number("int64"))


# --- dates and temporary files --------------------------------------------------------------------

NOW = ("now", "today", "utcnow", "fromtimestamp")


@MODELS.function(*(f"datetime.datetime.{name}" for name in NOW), "datetime.date.today")
def _now(_: Interpreter, call: Call) -> Value:
    return thing("datetime.datetime", call)


DATE_PARTS = ("year", "month", "day")
SPAN_PARTS = ("days", "seconds", "microseconds")
TIME_PARTS = ("hour", "minute", "second", "microsecond")


@MODELS.function("datetime.datetime", "datetime.date")
def _date(_: Interpreter, call: Call) -> Value:
    """Return a date with its parts; raise where a part is out of its range."""
    made = thing(call.name, call)
    made.origins = merged(*call.args, *call.keywords.values())
    try:
        moment = _moment(made)
    except (ValueError, TypeError, OverflowError) as error:
        kind = "type" if isinstance(error, TypeError) else "value"
        raise Raised(kind, str(error), *call.args, *call.keywords.values()) from None
    if moment is not None and isinstance(made.data, LibraryObject):
        parts = DATE_PARTS if call.name.endswith(".date") else (*DATE_PARTS, *TIME_PARTS)
        made.data.state.update((part, Value(getattr(moment, part), made.origins)) for part in parts)
    return made


@MODELS.function("datetime.datetime.strptime")
def _parsed_date(_: Interpreter, call: Call) -> Value:
    given = [part.data for part in call.args]
    if len(given) != 2 or not all(isinstance(part, str) and len(part) < 200 for part in given):
        return call.unknown()
    try:
        moment = datetime.datetime.strptime(str(given[0]), str(given[1]))
    except ValueError as error:
        raise Raised("value", str(error), *call.args) from None
    parts = [
        Value(getattr(moment, name), merged(*call.args)) for name in (*DATE_PARTS, *TIME_PARTS)
    ]
    if moment.tzinfo is not None:
        return thing("datetime.datetime", call)
    return _date(_, Call("datetime.datetime", tuple(parts), {}, call.place))


@MODELS.method("datetime", "strftime", "isoformat", "ctime")
@MODELS.method("date", "strftime", "isoformat", "ctime")
def _formatted(_: Interpreter, call: Call) -> Value:
    try:
        given = [plain(arg) for arg in call.args]
        moment = _moment(call.receiver)
    except (NotPlain, ValueError, TypeError):
        return call.unknown()
    if moment is None or call.keywords:
        return call.unknown()
    return lifted(getattr(moment, call.name)(*given), *call.args)


def _made(moment: datetime.date, call: Call, origins: Origins) -> Value:
    """Return a date that was computed, with its parts; of another time zone without them."""
    name = "datetime" if isinstance(moment, datetime.datetime) else "date"
    if isinstance(moment, datetime.datetime) and moment.tzinfo is not None:
        return thing(f"datetime.{name}", call)
    parts = DATE_PARTS if name == "date" else (*DATE_PARTS, *TIME_PARTS)
    values = {part: Value(getattr(moment, part), origins) for part in parts}
    made = LibraryObject(f"datetime.{name}", tuple(values.values()), {}, call.place, values)
    return Value(made, origins)


def _span_made(span: datetime.timedelta, call: Call, origins: Origins) -> Value:
    values = {part: Value(getattr(span, part), origins) for part in SPAN_PARTS}
    return Value(LibraryObject("datetime.timedelta", (), {}, call.place, values), origins)


def _span_of(value: Value | None) -> datetime.timedelta | None:
    """Return the span of time that an object is, None where it is none or not known."""
    data = None if value is None else value.data
    if not isinstance(data, LibraryObject) or data.name != "datetime.timedelta":
        return None
    numbers = {part: arrays.size(data.state.get(part)) for part in SPAN_PARTS}
    known = {part: number for part, number in numbers.items() if number is not None}
    return datetime.timedelta(**known) if len(known) == len(SPAN_PARTS) else None


def _time_of(value: Value) -> datetime.date | datetime.timedelta | None:
    """Return the date or span that an object is compared by, None of other values."""
    try:
        return _span_of(value) or _moment(value)
    except (ValueError, TypeError, OverflowError):
        return None


operators.STANDING_FOR.append(_time_of)


def _of_times(kind: type[ast.operator], a: Value, b: Value) -> Value | None:
    """Return what a sum or difference of dates and spans of time comes to."""
    dates = ("datetime.datetime", "datetime.date", "datetime.timedelta")
    held = [v.data for v in (a, b) if isinstance(v.data, LibraryObject) and v.data.name in dates]
    if kind not in (ast.Add, ast.Sub) or len(held) != 2:
        return None
    call = Call("datetime", (a, b), {}, held[0].made)
    x, y = _time_of(a), _time_of(b)
    if x is None or y is None:
        is_span = kind is ast.Sub and held[1].name != "datetime.timedelta"
        return thing("datetime.timedelta" if is_span else held[0].name, call)
    try:
        made: object = x + y if kind is ast.Add else x - y  # type: ignore[operator]
    except TypeError as error:
        raise Raised("type", str(error), a, b) from None
    except OverflowError:
        return None
    if isinstance(made, datetime.timedelta):
        return _span_made(made, call, merged(a, b))
    return _made(made, call, merged(a, b)) if isinstance(made, datetime.date) else None


operators.OF_OBJECTS.append(_of_times)


@MODELS.method("datetime", "date", "replace", "weekday", "isoweekday", "toordinal")
@MODELS.method("date", "replace", "weekday", "isoweekday", "toordinal")
def _of_date(_: Interpreter, call: Call) -> Value:
    try:
        moment = _moment(call.receiver)
        named = {name: plain(value) for name, value in call.keywords.items()}
        given = [plain(arg) for arg in call.args]
    except (NotPlain, ValueError, TypeError):
        return call.unknown()
    own = [call.receiver] if call.receiver is not None else []
    origins = merged(*own, *call.args, *call.keywords.values())
    if moment is None:
        if call.name in ("date", "replace"):
            is_date = call.name == "date" or (call.held is not None and call.held.short == "date")
            return thing("datetime.date" if is_date else "datetime.datetime", call)
        return arrays.number("int64", *own)
    try:
        made = getattr(moment, call.name)(*given, **named)
    except (ValueError, TypeError) as error:
        kind = "type" if isinstance(error, TypeError) else "value"
        raise Raised(kind, str(error), *call.args, *call.keywords.values()) from None
    return _made(made, call, origins) if isinstance(made, datetime.date) else Value(made, origins)


@MODELS.function("datetime.datetime.fromisoformat", "datetime.date.fromisoformat")
def _from_iso(_: Interpreter, call: Call) -> Value:
    text = call.given(0, "date_string")
    if text is None or not isinstance(text.data, str) or len(text.data) > MOST_OF_DATE:
        return call.unknown()
    kind = datetime.date if ".date." in call.name else datetime.datetime
    try:
        return _made(kind.fromisoformat(text.data), call, text.origins)
    except ValueError as error:
        raise Raised("value", str(error), text) from None


MOST_OF_DATE = 100


def _moment(value: Value | None) -> datetime.date | None:
    """Return the date that an object was made with, None where it is not known.

    Raises what ``datetime`` raises of parts that it refuses.
    """
    data = None if value is None else value.data
    if not isinstance(data, LibraryObject) or not (data.args or data.keywords):
        return None
    if data.name not in ("datetime.datetime", "datetime.date") or "tzinfo" in data.keywords:
        return None
    try:
        numbers = [plain(arg) for arg in data.args]
        named: Mapping[str, int] = {name: plain(v) for name, v in data.keywords.items()}
    except NotPlain:
        return None
    make = datetime.datetime if data.short == "datetime" else datetime.date
    return make(*numbers, **named)


@MODELS.function("datetime.timedelta")
def _span(_: Interpreter, call: Call) -> Value:
    try:
        numbers = [plain(arg) for arg in call.args]
        named = {name: plain(value) for name, value in call.keywords.items()}
    except NotPlain:
        return thing(call.name, call)
    try:
        span = datetime.timedelta(*numbers, **named)
    except (TypeError, OverflowError) as error:
        raise Raised("type", str(error), *call.args, *call.keywords.values()) from None
    origins = merged(*call.args, *call.keywords.values())
    return _span_made(span, call, origins)


@MODELS.method("timedelta", "total_seconds")
def _total(_: Interpreter, call: Call) -> Value:
    parts = {name: arrays.size(value) for name, value in call.state.items()}
    whole = {name: number for name, number in parts.items() if number is not None}
    if call.receiver is None or not whole or len(whole) != len(parts):
        return _seconds(_, call)
    return Value(datetime.timedelta(**whole).total_seconds(), merged(*call.state.values()))


@MODELS.method("datetime", "timestamp")
def _seconds(_: Interpreter, call: Call) -> Value:
    return arrays.number("float64", *([call.receiver] if call.receiver is not None else []))


@MODELS.function("time.strftime")
def _time_written(_: Interpreter, call: Call) -> Value:
    """Return a format without directives as it is: the others show when a program ran."""
    given = call.given(0, "format")
    if given is None:
        return call.unknown()
    if not isinstance(given.data, str) and isinstance(given.data, (int, float, list, tuple)):
        raise Raised("type", "strftime() argument 1 must be str", given)
    is_plain = isinstance(given.data, str) and "%" not in given.data
    return given if is_plain else call.unknown()


@MODELS.function("itertools.accumulate")
def _accumulated(interpreter: Interpreter, call: Call) -> Value:
    """Return the running totals: sums, or what a function gives for each total and item."""
    items = listed(interpreter, call.given(0, "iterable"))
    function, start = call.given(1, "func"), call.keywords.get("initial")
    if items is None:
        return call.unknown()
    if start is not None and start.data is not None:
        items = [start, *items]
    if not items:
        return Value([])
    is_sum = function is None or function.data is None
    if len(items) > (MAX_ITEMS if is_sum else MOST_CALLS):
        return Value(Lazy(unknown(*items[:24]), Value(len(items))))
    totals = items[:1]
    for item in items[1:]:
        if is_sum or function is None:
            total = interpreter.operated(ast.Add, totals[-1], item, call.place)
        else:
            total = interpreter.call(function, (totals[-1], item), {}, call.place)
        totals.append(total)
    return Value(OneShot(totals, call.place), merged(*call.args))
