"""Models of pandas: dates, times and what is computed of them.

Dates are no cells: of columns and indexes of them their number and dtype are known.
Source: the pandas 2.2 reference ("Time series / date functionality").
"""

from __future__ import annotations

import datetime
import re
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.libraries.effects import some_number, words
from dl_bug_lsp.interpretation.libraries.numpy.functions import as_array, new
from dl_bug_lsp.interpretation.libraries.pandas.unknown_cells import otherwise
from dl_bug_lsp.interpretation.model_helpers import state_of
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.table_values import Series, cell_at, series_of
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    LibraryObject,
    Raised,
    Table,
    Value,
    merged,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

TIMES = "datetime64"
SPANS = "timedelta64"
SECONDS = {"s": 1, "min": 60, "T": 60, "h": 3600, "H": 3600, "D": 86400, "W": 604800, "S": 1}
FREQUENCY = re.compile(r"(\d*)([A-Za-z]+)")
FIELDS = words(
    "year month day hour minute second microsecond nanosecond dayofweek day_of_week weekday "
    "dayofyear day_of_year quarter days_in_month daysinmonth"
)
TRUTHS = words(
    "is_month_start is_month_end is_quarter_start is_quarter_end is_year_start is_year_end "
    "is_leap_year"
)


def dates(rows: Value, *parts: Value, dtype: str = TIMES) -> Value:
    """Return an index or a column of dates."""
    made = Series((rows,), dtype, "numpy", index=())
    made.index_names = ()
    return Value(made, merged(*parts))


def _moment(value: Value | None) -> datetime.datetime | None:
    """Return the date that a text or a timestamp stands for, None where it is not known."""
    data = None if value is None else value.data
    if isinstance(data, LibraryObject) and data.short in ("Timestamp", "datetime", "date"):
        if len(data.args) == 1:
            return _moment(data.args[0])
        numbers = [size(argument) for argument in data.args]
        if len(numbers) < 3 or None in numbers or data.keywords:
            return None
        try:
            return datetime.datetime(*(n for n in numbers if n is not None))  # type: ignore[arg-type]
        except (ValueError, TypeError):
            return None
    if not isinstance(data, str):
        return None
    try:
        return datetime.datetime.fromisoformat(data.strip())
    except ValueError:
        return None


def _step(value: Value | None) -> int | None:
    """Return the seconds of a fixed frequency, None of months and the like."""
    if value is None:
        return SECONDS["D"]
    frequency = FREQUENCY.fullmatch(value.data) if isinstance(value.data, str) else None
    unit = None if frequency is None else SECONDS.get(frequency[2])
    if frequency is None or unit is None:
        return None
    return unit * int(frequency[1] or 1)


@MODELS.function("pandas.date_range", "pandas.bdate_range", "pandas.timedelta_range")
@MODELS.function("pandas.period_range")
def _date_range(_: Interpreter, call: Call) -> Value:
    """Count the dates between two, or as many as are asked for."""
    periods = call.given(2, "periods")
    given = [*call.args, *call.keywords.values()]
    if periods is not None and periods.data is not None:
        rows = Value(periods.data if size(periods) is not None else UNKNOWN, periods.origins)
        return dates(rows, *given)
    start, end = _moment(call.given(0, "start")), _moment(call.given(1, "end"))
    step = _step(call.given(3, "freq")) if call.name.endswith("date_range") else None
    number: object = UNKNOWN
    usual = not call.keywords.keys() & {"inclusive", "closed", "tz", "normalize"}
    usual = usual and not call.name.endswith("bdate_range")
    if step is not None and step % SECONDS["W"] == 0:
        usual = False
    if start is not None and end is not None and step and usual and start.tzinfo == end.tzinfo:
        number = max(int((end - start).total_seconds() // step) + 1, 0)
    return dates(Value(number, merged(*given)), *given)


def _outlined(value: Value, dtype: str) -> Value:
    """Return an array of the same rows with another dtype, a column where it was one."""
    made = as_array(value)
    data = made.data
    if not isinstance(data, Array) or data.shape is None:
        return new(None, dtype, value.origins)
    series = Series(data.shape, dtype, "numpy", index=())
    if isinstance(data, Series):
        series.index, series.name, series.index_names = data.index, data.name, data.index_names
    return Value(series, value.origins)


@MODELS.function("pandas.to_datetime", "pandas.to_timedelta", "pandas.DatetimeIndex")
@MODELS.function("pandas.TimedeltaIndex", "pandas.PeriodIndex")
def _to_dates(_: Interpreter, call: Call) -> Value:
    given = call.given(0, "arg", "data")
    if given is None or not given.known:
        return call.unknown()
    span = "imedelta" in call.name
    if call.name.endswith("to_datetime"):
        _check_dates(given, call)
    if isinstance(given.data, (str, int, float)):
        name = "pandas.Timedelta" if span else "pandas.Timestamp"
        return Value(LibraryObject(name, (given,), {}, call.place), given.origins)
    if isinstance(given.data, Table):
        return dates(given.data.rows, given)
    if isinstance(given.data, LibraryObject):
        return given
    return _outlined(given, SPANS if span else TIMES)


USUAL = ("%Y-%m-%d", "%Y/%m/%d", "%m/%d/%Y", "%d/%m/%Y", "%m-%d-%Y", "%d-%m-%Y", "%d.%m.%Y")
"""Forms of dates that pandas recognizes in a first cell, those with the month first before others
(``dayfirst=False``)."""
CLOCKS = ("", " %H:%M", " %H:%M:%S", "T%H:%M:%S", "T%H:%M", " %H:%M:%S.%f", "T%H:%M:%S.%f")
MOST_DATES = 20_000
FEW_ROWS = 3
"""Rows that do not fit a form and are rather wrong themselves than the form."""


def _check_dates(given: Value, call: Call) -> None:
    """Raise where a cell is no date of the form that is told, or of that of the first cell."""
    held, errors = series_of(given), call.given(1, "errors")
    if held is None or held.cells is None or (errors is not None and errors.data != "raise"):
        return
    texts = [cell for cell in dict.fromkeys(held.cells) if isinstance(cell, str) and cell.strip()]
    if not texts or len(texts) > MOST_DATES or call.keywords.keys() & {"unit", "origin", "exact"}:
        return
    date_format, first = call.keywords.get("format"), call.keywords.get("dayfirst")
    if date_format is None:
        days = first is not None and first.data is True
        usual = sorted(USUAL, key=lambda form: form.startswith("%m") == days)
        forms = [form + clock for form in usual for clock in CLOCKS]
        form = next((item for item in forms if _is_date(texts[0].strip(), item)), None)
    else:
        form = date_format.data if isinstance(date_format.data, str) else None
    if form is None or form in ("mixed", "ISO8601"):
        return
    odd = [
        text for text in texts if not _is_date(text.strip() if date_format is None else text, form)
    ]
    if not odd:
        return
    rows = [i for i, cell in enumerate(held.cells) if cell in odd[:FEW_ROWS]]
    for row in rows if len(odd) <= FEW_ROWS and len(rows) <= FEW_ROWS else ():
        for origin in held.lines[row : row + 1]:
            why = f"`{str(held.cells[row])[:40]}` is no date of the form `{form}`"
            arrays.note_reason(origin, why)
    sides = [cell_at(given, rows[0]), *([date_format] if date_format is not None else [])]
    raise Raised("value", f"time data {odd[0][:40]!r} doesn't match format {form!r}", *sides)


def _is_date(text: str, form: str) -> bool:
    try:
        datetime.datetime.strptime(text, form)
    except (ValueError, re.error):
        return False
    return True


@MODELS.function("pandas.Timestamp.now", "pandas.Timestamp.today", "pandas.Timestamp.utcnow")
def _now(_: Interpreter, call: Call) -> Value:
    made = LibraryObject("pandas.Timestamp", (Value(UNKNOWN),), {}, call.place)
    return Value(made, frozenset({call.place}))


@MODELS.attribute("Timestamp", *FIELDS)
def _of_moment(_: Interpreter, call: Call) -> Value:
    held = _moment(call.receiver)
    if held is None or call.receiver is None:
        return some_number(call, "int64")
    known = {"dayofweek": held.weekday(), "day_of_week": held.weekday()}
    known |= {"dayofyear": held.timetuple().tm_yday, "day_of_year": held.timetuple().tm_yday}
    known["quarter"] = (held.month + 2) // 3
    number = known.get(call.name, getattr(held, call.name, None))
    if not isinstance(number, int):
        return some_number(call, "int64")
    return Value(number, call.receiver.origins)


# --- the accessor of columns, and indexes of dates ------------------------------------------------


def _part(call: Call) -> Value:
    """Return the column or index that a field or method is taken of."""
    data = call.held
    if data is not None:
        return state_of(call.receiver, "of")
    return call.receiver if call.receiver is not None else Value(UNKNOWN)


def _is_dates(value: Value) -> bool:
    data = value.data
    if not isinstance(data, Array) or data.library != "numpy":
        return False
    return data.dtype is None or data.dtype.startswith(("datetime", "timedelta"))


@MODELS.attribute("dt_accessor", *FIELDS, *TRUTHS, "date", "time", "days", "seconds", "tz")
@MODELS.attribute("array", *(name for name in FIELDS if name not in ("second", "day")), *TRUTHS)
def _field(_: Interpreter, call: Call) -> Value:
    whole = _part(call)
    if not _is_dates(whole) and not isinstance(getattr(call.receiver, "data", 0), LibraryObject):
        return call.unknown()
    if not isinstance(whole.data, Array) or call.name == "tz":
        return unknown(whole)
    if call.name in TRUTHS:
        return _outlined(whole, "bool")
    if call.name in ("date", "time"):
        return _outlined(whole, "object")
    return _outlined(whole, "int64" if call.name == "days" else "int32")


@MODELS.method("dt_accessor", "day_name", "month_name", "strftime")
@MODELS.method("array", "day_name", "month_name", "strftime")
def _named(_: Interpreter, call: Call) -> Value:
    whole = _part(call)
    return _outlined(whole, "object") if isinstance(whole.data, Array) else unknown(whole)


_SAME = ("floor", "ceil", "round", "normalize", "tz_localize", "tz_convert", "to_timestamp")


@MODELS.method("dt_accessor", *_SAME, "to_period")
@MODELS.method("array", "normalize", "tz_localize", "tz_convert", "to_period", "to_timestamp")
def _rounded(_: Interpreter, call: Call) -> Value:
    whole = _part(call)
    data = whole.data
    if not isinstance(data, Array):
        return unknown(whole)
    return _outlined(whole, data.dtype or TIMES)


@MODELS.method("dt_accessor", "total_seconds")
@MODELS.method("array", "total_seconds")
def _seconds(_: Interpreter, call: Call) -> Value:
    whole = _part(call)
    return _outlined(whole, "float64") if isinstance(whole.data, Array) else unknown(whole)


@MODELS.method("dt_accessor", "isocalendar")
@MODELS.method("array", "isocalendar")
def _weeks(_: Interpreter, call: Call) -> Value:
    data = _part(call).data
    if not isinstance(data, Array) or not data.shape:
        return call.unknown()
    return Value(Table(dict.fromkeys(("year", "week", "day"), "uint32"), data.shape[0]))


# --- rows by time ---------------------------------------------------------------------------------


def _fewer(call: Call, data: object) -> Value:
    """Return the same columns with rows of which the number is not known."""
    origins = merged(*([call.receiver] if call.receiver is not None else []), *call.args)
    rows = Value(UNKNOWN, origins | {call.place})
    if isinstance(data, Table):
        result = Table(dict(data.columns), rows, dict(data.origins_of))
        result.index_names = data.index_names
        return Value(result, origins)
    if not isinstance(data, Array) or not data.shape:
        return call.unknown()
    made = Series((rows, *data.shape[1:]), data.dtype, "numpy", index=())
    if isinstance(data, Series):
        made.name, made.index_names = data.name, data.index_names
    return Value(made, origins)


@MODELS.method("table", "between_time", "at_time", "first", "last", "truncate", "asfreq")
@MODELS.method("array", "between_time", "at_time", "truncate", "asfreq")
def _some_times(_: Interpreter, call: Call) -> Value:
    return _fewer(call, None if call.receiver is None else call.receiver.data)


@MODELS.method("table", "resample")
@MODELS.method("array", "resample")
def _resample(_: Interpreter, call: Call) -> Value:
    """Return groups of rows by time; their number is not known."""
    if call.receiver is None:
        return call.unknown()
    whole = call.receiver
    if "on" in call.keywords and isinstance(whole.data, Table):
        on = call.keywords["on"].data
        kept = {name: dtype for name, dtype in whole.data.columns.items() if name != on}
        whole = Value(Table(kept, whole.data.rows, index_names=(on,)), whole.origins)
    made = LibraryObject("pandas.Resampler", (), {}, call.place, {"of": whole})
    return Value(made, merged(call.receiver, *call.args))


@MODELS.method("Resampler", "__getitem__")
def _of_resampler(interpreter: Interpreter, call: Call) -> Value:
    whole, key = state_of(call.receiver, "of"), call.given(0)
    if not isinstance(whole.data, Table) or key is None:
        return call.unknown()
    model = MODELS.methods["table", "__getitem__"]
    part = model(interpreter, Call("__getitem__", (key,), {}, call.place, whole))
    made = LibraryObject("pandas.Resampler", (), {}, call.place, {"of": part})
    return Value(made, merged(whole, key))


@otherwise("array", "searchsorted")
def _searched(_: Interpreter, call: Call) -> Value:
    value = call.given(0, "value", "v")
    data = None if call.receiver is None else call.receiver.data
    if not isinstance(data, Array) or value is None or not isinstance(value.data, ONE):
        return call.unknown()
    return some_number(call, "int64")


ONE = (str, int, float, LibraryObject)


@MODELS.function("pandas.IntervalIndex.from_arrays", "pandas.IntervalIndex.from_tuples")
@MODELS.function("pandas.IntervalIndex.from_breaks", "pandas.interval_range")
def _intervals(_: Interpreter, call: Call) -> Value:
    first = as_array(call.given(0, "left", "data", "breaks")).data
    rows = first.shape[0] if isinstance(first, Array) and first.shape else Value(UNKNOWN)
    number = size(rows)
    if call.name.endswith("from_breaks") and number is not None:
        rows = Value(number - 1, rows.origins)
    if call.name.endswith("interval_range"):
        rows = Value(UNKNOWN, merged(*call.args))
    return dates(rows, *call.args, dtype="interval")


@MODELS.method("array", "contains", "overlaps")
def _inside(_: Interpreter, call: Call) -> Value:
    data = None if call.receiver is None else call.receiver.data
    if not isinstance(data, Array) or not data.shape or data.dtype != "interval":
        return call.unknown()
    return new(data.shape, "bool", merged(*call.args))


@MODELS.function("pandas.api.types.is_datetime64_any_dtype", "pandas.infer_freq")
def _tested(_: Interpreter, call: Call) -> Value:
    return call.unknown()
