"""Functions of Python's standard library that depend on nothing but what they are given; dates.

Source: Python's documentation of ``bisect``, ``statistics``, ``textwrap``, ``json``, ``hashlib``,
``datetime``, ``time``, ``re.escape`` and ``itertools``.
"""

from __future__ import annotations

import ast
import bisect
import datetime
import re
import statistics
import textwrap
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.model_helpers import MOST_CALLS, listed, nothing, thing
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.operators import MAX_ITEMS, MAX_TEXT, NotPlain, lifted, plain
from dl_bug_lsp.interpretation.values import (
    Lazy,
    LibraryObject,
    OneShot,
    Raised,
    Value,
    merged,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

# --- functions that depend on nothing but what they are given -------------------------------------

PURE: dict[str, Callable[..., object]] = {
    **{f"bisect.{n}": getattr(bisect, n) for n in ("bisect", "bisect_left", "bisect_right")},
    **{f"textwrap.{n}": getattr(textwrap, n) for n in ("dedent", "indent", "shorten", "wrap")},
    "textwrap.fill": textwrap.fill,
    "re.escape": re.escape,
}
OF_NUMBERS = ("mean", "fmean", "stdev", "pstdev", "variance", "pvariance", "median")
MOST_NUMBERS = 2_000


def _pure(_: Interpreter, call: Call) -> Value:
    try:
        given = [plain(arg) for arg in call.args]
        named = {name: plain(value) for name, value in call.keywords.items()}
    except NotPlain:
        return call.unknown()
    if any(isinstance(g, str) and len(g) > MAX_TEXT for g in given):
        return call.unknown()
    return lifted(PURE[call.name](*given, **named), *call.args)


MODELS.function(*PURE)(_pure)


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
    parts = ("days", "seconds", "microseconds")
    return thing(call.name, call, **{part: Value(getattr(span, part), origins) for part in parts})


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
