"""The failure followed forwards: which constants, settings and data made values that do not fit.

The program is interpreted up to the failing line (`dl_bug_lsp.interpretation`). Where the failure
shows there too, both sides of it are known with everything that they were made of. What made both
sides counts little: no change of it brings them together by itself.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from weakref import WeakKeyDictionary

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.data.data_files import columns_of_text, numbers_of
from dl_bug_lsp.evidence.followed_run import CODE, follow, how_known
from dl_bug_lsp.evidence.numbers import OF_MOST, counts_axes, is_odd_one_out
from dl_bug_lsp.interpretation.interpreter import Outcome, own_end
from dl_bug_lsp.interpretation.table_values import Series, number_in
from dl_bug_lsp.interpretation.values import (
    OBJECTS,
    OF_SETTINGS,
    Array,
    Origin,
    Raised,
    Table,
    Value,
)
from dl_bug_lsp.messages import FactKind
from dl_bug_lsp.provenance.slices import Property
from dl_bug_lsp.tracebacks import FailureKind

SHARED = 0.15
"""What an origin counts that made both sides."""
CONFIRMED = 0.05
"""What an origin's share is multiplied by whose size fitted others before the failure.

None of 126 such origins was a cause in the recorded failures that were read.
"""
TELLING = {"attribute": 0.25, "arguments": 0.5}
"""What shares are multiplied by where a failure says less of the values that it shows at.

An attribute is missing on an object more often because of its class or of the name than because of
what made the object. A container, a text or an array is mostly the wrong object.
"""
OF_SIDES, OF_OPERANDS = 0.5, 0.8
"""Each of a side's own origins counts one by their number to this power.

Operands, of which none is known to be wrong, are split more steeply.
"""
OF_FITTING = 0.4
"""What the origins of sizes count that fit once the array that lacks an axis has it."""
OF_COUNTS = ("name", "empty")
"""Failures because nothing came: that a size fitted others does not acquit what made it."""
OF_UNEVEN = 0.15
"""What rows of data count that differ as most others do: what needs them alike is to blame."""
OF_TYPES = ("type", "accessor")
"""Failures in which the dtypes of arrays have a part."""
OF_CHANCE = (
    *("numbers.difference", "numbers.ratio", "rules.shift", "rules.layer", "names.near_"),
    *("names.parameter_", "names.class_", "names.key_", "printed.value", "shapes.put_together"),
    *("data_files.odd_value", "numbers.expected", "numbers.actual", "config.only_number"),
    *("config.worded_number", "config.written", "numbers.made_of_other", "numbers.bound"),
    *("names.argument_", "rules.join", "rules.same_shape", "rules.table_size", "rules.unit"),
)
"""Beginnings of the kinds of clues that lines without a part in a size have by chance."""
BY_CHANCE = 0.4
OF_VALUES = ("names.", "numbers.", "slice.", "outer_slice.")
"""Beginnings of the kinds of clues that only hold of lines which values came through."""
OF_OTHER_NOTHING = 0.15
"""What a function that may return nothing counts where the None that fails was made elsewhere."""
PASSED_BY = 0.3
"""What they count on other lines, where the failure was seen in a traced run."""
GENERATED = 0.3
"""What clues count on a file that a command before the failing one wrote: its script is to blame.

Such a file stands only for what the script made of its own inputs.
"""
FEWEST_PASSED = 8
"""Lines of a dynamic slice from which on what is not in it counts less."""
_PASSED: WeakKeyDictionary[Case, frozenset[Origin]] = WeakKeyDictionary()
_MADE: WeakKeyDictionary[Case, frozenset[Origin]] = WeakKeyDictionary()
MOST_ITEMS = 20
MOST_TEXT = 40
MADE = "a value of this line goes into"
IN_DATA = "what stands here goes into"
IN_FILE = "the file that is named here goes into"
IS_SIDE = "this setting"
TAKES_PART = "this call takes part in"
"""The same of a line of data, of a file's name, of a setting that is a value itself, and of a call
whose result nothing keeps."""
OPERAND, VALUE = "the failing expression", "the value that fails"
MEANT = "a value that the message may mean"
THROUGH = "what fails may have come through this line"
WORDLESS = (
    THROUGH,
    *(f"{way} {what}" for way in (MADE, IN_DATA, IN_FILE) for what in (OPERAND, VALUE, MEANT)),
)
"""Beginnings of sentences that only say that a value arrives."""
UNNAMED_CHANGE = "after a small change of this line the program may get past the failing one"
MAY_DEPEND = "the failing line may depend on this one"
"""What is said of an edit that passes: that hides more often than it mends, and that changes what
goes into something of which it is not known whether it would take it, or what the data mean."""
IS_FAILING = "this is the line that fails"
"""The same of the failing line."""
UNNAMED = (UNNAMED_CHANGE, MAY_DEPEND, IS_FAILING)


def find(case: Case) -> Iterator[Clue]:
    """Yield what made the two sides of a failure that interpretation reproduces."""
    if case.failure.kind is not FailureKind.EXCEPTION or not case.places:
        return
    outcome = follow(case)
    certainty = how_known(case)
    raised = outcome.raised
    yield from _went_through(case, outcome, certainty)
    if raised is None or raised.weight < 1.0:
        yield from _operands(case, outcome, certainty)
    if raised is None:
        return
    target = (case.places[-1].file, case.places[-1].line)
    why = _whys(case, raised, certainty)
    sides = _misplaced(case, raised.sides)
    is_bound = raised.what == "attribute" and any(n < 0 for s in sides for _, n in s.origins)
    telling = 1.0 if is_bound or _is_plain(raised) else TELLING.get(raised.what, 1.0)
    of_texts = columns_of_text(case)
    of_types = raised.what in OF_TYPES or is_bound
    held = (origin for side in sides for origin in side.origins if of_types)
    typing = {(file, -line) for file, line in held if line < 0}
    odd = raised.odd
    if odd is None and len(sides) == 2 and raised.what == "size" and is_odd_one_out(case):
        odd = 1
    shares = _shares(
        sides,
        of_sizes=sides is raised.sides,
        of_types=of_types,
        odd=odd,
        decides=partial(_is_written, case) if raised.what in ("size", "index") else None,
    )
    for (file, stated), share in shares.items():
        # What ends too early fails after its last line.
        line = min(stated, len(case.workspace.lines(file)))
        if line > 0 and (file, line) != target and file not in of_texts:
            fits = (file, stated) in outcome.agreed and raised.what not in OF_COUNTS
            # That sizes agree says nothing of who decided a dtype.
            fits = fits and (file, stated) not in typing
            share *= OF_FITTING if raised.lacking else 1.0
            share *= OF_UNEVEN if raised.uneven and not file.endswith(CODE) else 1.0
            share *= OF_UNEVEN if of_types and _is_untyped(case, raised, file, line) else 1.0
            score = (share * CONFIRMED if fits else share) * telling
            score *= raised.weight
            last = _last_of_counted(case, raised, file, line)
            if last:
                reason = f"the last of the items that the index goes beyond {certainty}"
                yield Clue("interpretation.origin", file, last, score, reason)
            if not last or case.workspace.source_line(file, line).strip() not in BRACKETS:
                reason = why((file, stated), _way(case, file, line))
                yield Clue("interpretation.origin", file, line, score, reason)
    reasons = explained(case)
    for (file, line), reason in reasons.items():
        kind = "rules.strong" if file.endswith((".py", ".ipynb")) else "data_files.explains"
        yield Clue(kind, file, line, 1.0 / len(reasons) ** 0.5, f"{reason} {certainty}")


NUMBER = re.compile(r"(?<![\w.])\d")


def _is_written(case: Case, place: Origin) -> bool:
    """Whether a place holds a setting or a number, and does not only hand values on."""
    file, line = place
    if not file.endswith(CODE):
        return file.endswith(OF_SETTINGS)
    return NUMBER.search(case.workspace.source_line(file, line)) is not None


BRACKETS = ("{", "[")
"""Lines on which a document begins without saying anything."""
DOCUMENTS = (".json", ".yaml", ".yml", ".toml")
"""Ends of names of files whose tables and lists have a line for each item."""
UNTYPED = (".csv", ".tsv", ".tab", ".psv", ".txt")
"""Ends of names of files in which all is text: what reads them decides the types."""


def _last_of_counted(case: Case, raised: Raised, file: str, line: int) -> int | None:
    """Return the line of the last item of a table or list that has as many as an index may reach.

    What lacks there would follow it. None where the index is beyond something else.
    """
    items = raised.sides[-1] if raised.what == "index" and len(raised.sides) > 1 else Value(None)
    bound = items.data
    if type(bound) is not int or file.endswith(CODE) or not file.endswith(DOCUMENTS):
        return None
    if (file, line) not in items.origins:
        return None
    entries = case.workspace.config_entries(file)
    tables = [entry.path for entry in entries if entry.line == line and entry.length == bound]
    if line == 1:
        tables.append(())
    for path in tables:
        inner = [e.line for e in entries if e.path[:-1] == path and e.path]
        if len(inner) == bound and inner[-1] > line:
            return inner[-1]
    return None


def _is_untyped(case: Case, raised: Raised, file: str, line: int) -> bool:
    """Whether a line of data has no part in a type: a header, and what was read as it stands."""
    if not file.endswith(UNTYPED):
        return False
    if any(isinstance(side.data, str) for side in raised.sides):
        return True
    table = case.workspace.table(file)
    return table is not None and line == table.header_line


def _is_plain(raised: Raised) -> bool:
    """Whether an attribute is missing on a container, a text or an array."""
    owner = raised.sides[0].data if raised.what == "attribute" and raised.sides else None
    return isinstance(owner, (list, tuple, dict, set, str, bytes, Array))


def clue_factor(case: Case, clue: Clue) -> float:
    """Return a clue's factor: less where it has no part in the values, or fits one by chance.

    Where the failure was seen in a traced run, words, numbers and steps of slices say little of a
    line that no failing value went through. In 47 traced runs of public repositories clues of words
    and numbers were on a cause for one in 170 of such lines, and for one in 11 of the others; those
    of slices for one in 97 and one in 20 (a local count).

    Where the run was followed and it is known what made both sizes, a line that made neither of
    them and only has the difference, a factor or a word of the message is mostly no cause: of 521
    such clues of 96 failures two were on one (a local count over cached clues,
    `benchmarks/interpreter.md`).
    """
    place = (clue.file, clue.line)
    share = 1.0
    if case.places and clue.file in follow(case).generated:
        share = GENERATED
    if _is_other_nothing(case, clue):
        share = OF_OTHER_NOTHING
    if _is_other_number(case, clue):
        share = min(share, BY_CHANCE)
    if clue.kind.startswith(OF_NAMED_ARGUMENTS) and case.places and _is_worked_out(case):
        share = min(share, OF_WORKED_OUT)
    passed = _passed(case) if clue.kind.startswith(OF_VALUES) and case.places else None
    if passed and place not in passed and clue.file.endswith(".py"):
        share = PASSED_BY
    if not clue.kind.startswith(OF_CHANCE):
        return share
    made = _made(case)
    return share if not made or place in made else min(share, BY_CHANCE)


OF_NAMED_ARGUMENTS = ("names.argument_", "names.near_", "focus.")
OF_WORKED_OUT = 0.4
"""What they count where a library worked out the number that it names of two that it was given."""


def _is_worked_out(case: Case) -> bool:
    """Whether the number of the message is the difference of the two values that are refused.

    The argument that the message names is then one of another function, which the library called.
    """
    raised = follow(case).raised
    sides = [side.data for side in raised.sides] if raised is not None else []
    if raised is None or raised.weight < 1.0 or raised.what != "value" or len(sides) != 2:
        return False
    told = {fact.value for fact in case.facts.of(FactKind.NUMBER)}
    whole, part = sides
    if not isinstance(whole, (int, float)) or not isinstance(part, (int, float)):
        return False
    return whole - part in told and not told & {whole, part}


KINDS_OF_SETTINGS = ("config.", "names.", "numbers.", "slice.config", "slice.argument")


def _is_other_number(case: Case, clue: Clue) -> bool:
    """Whether a clue is on a number of a config file that went into nothing that is refused.

    The failure was followed, and what it refuses is known with what made it.
    """
    if not clue.kind.startswith(KINDS_OF_SETTINGS) or clue.file.endswith(".py") or not case.places:
        return False
    raised = follow(case).raised
    if raised is None or raised.weight < 1.0 or raised.what not in ("type", "value"):
        return False
    made = [places_of(origins_of(side), of_types=True) for side in raised.sides]
    if not made or not all(made) or any((clue.file, clue.line) in places for places in made):
        return False
    entries = case.workspace.config_entries(clue.file)
    values = [entry.value for entry in entries if entry.line == clue.line]
    return bool(values) and all(type(value) in (int, float) for value in values)


OF_MISSING_RETURNS = ("missing.return", "types.no_return")


def _is_other_nothing(case: Case, clue: Clue) -> bool:
    """Whether a clue explains a None, and that of the failure is known to come from elsewhere."""
    if not clue.kind.startswith(OF_MISSING_RETURNS) or not case.places:
        return False
    raised = follow(case).raised
    sides = raised.sides if raised is not None and raised.weight >= 1.0 else ()
    made = {place for side in sides if side.data is None for place in side.origins}
    return bool(made) and (clue.file, clue.line) not in made


def is_by_chance(case: Case, clue: Clue) -> bool:
    """Whether a clue is on a number that made neither of the two sizes that do not fit.

    It is known what made both.
    """
    if not clue.kind.startswith((*OF_CHANCE, "numbers.", "config.number")):
        return False
    made = _made(case)
    return bool(made) and (clue.file, clue.line) not in made


def _made(case: Case) -> frozenset[Origin]:
    """Return what made a size and the size or index that does not fit it.

    There is nothing where what made one of them is not known.
    """
    if case not in _MADE:
        outcome = follow(case) if case.places else None
        raised = outcome.raised if outcome is not None else None
        made: frozenset[Origin] = frozenset()
        if raised is not None and raised.weight >= 1.0 and raised.what in ("size", "index"):
            sides = [_makers(side) for side in raised.sides[:2]]
            if len(sides) > 1 and all(sides):
                made = frozenset().union(*sides)
        _MADE[case] = made
    return _MADE[case]


def _passed(case: Case) -> frozenset[Origin]:
    """Return all lines of the statements that the failing values went through in a traced run.

    There are none where the failure was not seen in it, or hardly anything is known of the values.
    """
    if case not in _PASSED:
        outcome = follow(case)
        is_seen = outcome.raised is not None and outcome.raised.weight == 1.0
        places = outcome.dynamic_slice if is_seen else {}
        lines: set[Origin] = set()
        for file in {file for file, _ in places} if len(places) >= FEWEST_PASSED else ():
            tree = case.workspace.tree(file)
            for node in ast.walk(tree) if tree is not None else ():
                if isinstance(node, ast.stmt):
                    whole = range(node.lineno, own_end(node) + 1)
                    if any((file, line) in places for line in whole):
                        lines.update((file, line) for line in whole)
        _PASSED[case] = frozenset(lines)
    return _PASSED[case]


def explained(case: Case) -> dict[Origin, str]:
    """Return the places that the failure comes from and of which the followed run shows why."""
    outcome = follow(case)
    raised = outcome.raised
    sides = raised.sides if raised is not None and raised.weight >= 1.0 else ()
    origins = {origin for side in sides for origin in origins_of(side)}
    failing = [(place.file, place.line) for place in case.places[-1:]]
    # A line that fails has taken nothing away yet.
    told = {p: w for p, w in outcome.reasons.items() if p not in failing or "after this" not in w}
    return {place: told[place] for place in sorted(origins & told.keys())}


@dataclass(frozen=True, slots=True)
class Side:
    """One of two values that do not fit: as the message has it, and all places that made it."""

    text: str
    places: frozenset[Origin]


def sides(case: Case) -> tuple[Side, Side] | None:
    """Return both sides of a failing check of sizes or of an index; None where they are not sure.

    They are where following the program led to the failure, and all numbers of both stand in the
    message: what is followed may fail in another way than the run did.
    """
    raised = follow(case).raised if case.places else None
    if raised is None or raised.weight < 1.0 or raised.supposed or len(raised.sides) < 2:
        return None
    first, second = raised.sides[:2]
    numbers = numbers_of(case)
    if not all(
        set(_numbers_in(side)) and numbers.issuperset(_numbers_in(side)) for side in (first, second)
    ):
        return None
    texts = _shown(first), _shown(second)
    if raised.what == "index" and isinstance(first.data, int) and isinstance(second.data, int):
        if 0 <= first.data < second.data:
            return None
        texts = f"index {first.data}", f"size {second.data}"
    elif raised.what != "size" or texts[0] == texts[1]:
        return None
    made = [
        frozenset(
            (file, line)
            for file, line in _makers(side)
            if 0 < line <= len(case.workspace.lines(file))
        )
        for side in (first, second)
    ]
    if not all(made):
        return None
    is_cell = raised.what == "index"
    held = [
        _holding(case, side, places, may_be_cell=is_cell)
        for side, places in zip((first, second), made, strict=True)
    ]
    return Side(texts[0], held[0]), Side(texts[1], held[1])


def _holding(
    case: Case, side: Value, places: frozenset[Origin], *, may_be_cell: bool
) -> frozenset[Origin]:
    """Return places with those rows of tables only that hold a side's number.

    Of a table whose rows are not known to hold it, the header stands for all of them.
    """
    if not isinstance(side.data, int):
        return places
    found = {place for place in places if not place[0].endswith(UNTYPED)}
    for file in sorted({file for file, _ in places if file.endswith(UNTYPED)}):
        lines = {line for at, line in places if at == file}
        rows = case.workspace.table_rows(file, str(side.data))
        own = lines & {line for line, _ in rows}
        # A size counts rows or columns: a cell with the same number did not make it.
        if may_be_cell and not own and len({column for _, column in rows}) == 1:
            own = {rows[0][0]}
        table = case.workspace.table(file)
        header = table.header_line if table is not None else None
        found.update((file, line) for line in own or {header or 1})
    return frozenset(found)


def _numbers_in(side: Value) -> tuple[int, ...]:
    """Return the number that a side is, or the sizes of an array where all are known."""
    data = side.data
    if isinstance(data, int) and not isinstance(data, bool):
        return (data,)
    if isinstance(data, Array) and data.library != "python" and data.sizes is not None:
        sizes = tuple(size for size in data.sizes if isinstance(size, int))
        return sizes if len(sizes) == len(data.sizes) else ()
    return ()


def _went_through(case: Case, outcome: Outcome, certainty: str) -> Iterator[Clue]:
    """Yield the lines that the failing values went through where the run was traced, all alike."""
    target = (case.places[-1].file, case.places[-1].line)
    for file, line in outcome.dynamic_slice:
        if (file, line) != target:
            yield Clue("interpretation.slice", file, line, 1.0, f"{THROUGH} {certainty}")


def _operands(case: Case, outcome: Outcome, certainty: str) -> Iterator[Clue]:
    """Yield what made the failing expression's operands, of which none is known to be wrong."""
    target = (case.places[-1].file, case.places[-1].line)
    operands = outcome.operands
    if case.category.id == "tensor_mismatch":
        operands = tuple(value for value in operands if _may_shape(case, value))
    misplaced = _misplaced(case, operands)
    of_types = bool(case.facts.of(FactKind.DTYPE))
    shares = _shares(misplaced, OF_OPERANDS, of_sizes=misplaced is operands, of_types=of_types)
    for (file, line), share in shares.items():
        if 0 < line <= len(case.workspace.lines(file)) and (file, line) != target:
            score = share * CONFIRMED if (file, line) in outcome.agreed else share
            why = f"{_way(case, file, line)} {OPERAND} {certainty}"
            yield Clue("interpretation.operand", file, line, score, why)


def _misplaced(case: Case, values: Sequence[Value]) -> Sequence[Value]:
    """Return the values that lie on the CPU where devices differ, all where that is not known.

    Programs move to the GPU what they work with, and forget one part of it.
    """
    if case.asked is not Property.DEVICE:
        return values
    devices = [_device(value) for value in values]
    if not any(device and device.startswith("cuda") for device in devices):
        return values
    on_cpu = [v for v, device in zip(values, devices, strict=True) if device == "cpu"]
    return on_cpu or values


def _device(value: Value) -> str | None:
    return value.data.device if isinstance(value.data, Array) else None


def _may_shape(case: Case, value: Value) -> bool:
    """Whether a value may be why shapes differ: of plain ones, the numbers of the message alone."""
    if isinstance(value.data, int) and not isinstance(value.data, bool):
        return value.data in numbers_of(case)
    return value.data is not None and not isinstance(value.data, (bool, float, str))


def _whys(case: Case, raised: Raised, certainty: str) -> Callable[[Origin, str], str]:
    """Return what says of a place, and of its way there, into which of the values it went."""
    if raised.weight < 1.0:
        return lambda _, way: f"{way} {MEANT} {certainty}"
    shown = [text for text in map(_shown, raised.sides[:2]) if text]
    is_pair = (
        raised.what in ("size", "index")
        and not raised.supposed
        and len(shown) == 2
        and shown[0] != shown[1]
    )
    if not is_pair or len({text[0] == "(" for text in shown}) > 1 or _may_count_axes(case, raised):
        return lambda _, way: f"{way} {VALUE} {certainty}"
    first, second = map(_makers, raised.sides[:2])

    def why(place: Origin, way: str) -> str:
        if place in first and place in second:
            both = f"both values that do not fit each other, {shown[0]} and {shown[1]}"
            return f"{way} {both} {certainty}"
        own, other = shown if place in first else reversed(shown)
        key = _setting_at(case, place, own) if way == IN_DATA else None
        way = f"{IS_SIDE} (`{key}`) is" if key else way
        if raised.what == "index" and all(type(side.data) is int for side in raised.sides[:2]):
            nouns = ("index", "size") if place in first else ("size", "index")
            unfit = f"the {nouns[0]} {own}, which the {nouns[1]} {other} does not fit"
            return f"{way} {unfit} {certainty}"
        if key:
            pair = f"one of two values that do not fit each other, {own} and {other}"
            return f"{way} {pair} {certainty}"
        noun = "the size " if raised.what == "size" and own[:1].isdigit() else ""
        return f"{way} {noun}{own}; {own} and {other} do not fit each other {certainty}"

    return why


MOST_AXES = 5


def _may_count_axes(case: Case, raised: Raised) -> bool:
    """Whether the sides may be numbers of axes, or others than those that the message has."""
    if counts_axes(case):
        return True
    numbers = numbers_of(case)
    sizes = [side.data for side in raised.sides[:2] if type(side.data) is int]
    if raised.axes != 0 or (numbers and not numbers.issuperset(sizes)):
        return True
    return not numbers and len(sizes) == 2 and max(sizes) <= MOST_AXES


def _setting_at(case: Case, place: Origin, value: str) -> str | None:
    """Return the key of the one setting of a line that has a value, None where there is none."""
    entries = (e for e in case.workspace.config_entries(place[0]) if e.line == place[1])
    keys = [e.key for e in entries if e.length is None and repr(e.value) == value]
    return keys[0] if len(keys) == 1 else None


def _way(case: Case, file: str, line: int) -> str:
    """Return how a sentence on a line begins: what it makes, holds or only takes part in."""
    if not file.endswith((".py", ".ipynb")):
        settings = (e for e in case.workspace.config_entries(file) if e.line == line)
        texts = [str(e.value) for e in settings if isinstance(e.value, str) and "." in e.value]
        names_file = any(case.workspace.file_named(text) is not None for text in texts)
        return IN_FILE if names_file else IN_DATA
    tree = case.workspace.tree(file) if file.endswith(".py") else None
    for node in ast.walk(tree) if tree is not None else ():
        if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
            continue
        if node.lineno <= line <= (node.end_lineno or 0):
            return TAKES_PART
    return MADE


def _shown(value: Value) -> str:
    """Return a side as the sentence shows it, empty where it is not short."""
    data = value.data
    if isinstance(data, Array) and data.library == "python":
        return ""
    if isinstance(data, Array) and data.sizes is not None:
        return data.sizes_text
    if isinstance(data, (int, float, str)):
        text = repr(data)
        return text if len(text) <= MOST_TEXT else ""
    return ""


def _shares(
    values: Sequence[Value],
    power: float = OF_SIDES,
    *,
    of_sizes: bool = True,
    of_types: bool = False,
    odd: int | None = None,
    decides: Callable[[Origin], bool] | None = None,
) -> dict[Origin, float]:
    """Return how much each place that made a side counts; what made all sides counts little.

    With ``of_sizes``, what made the dimensions of an array counts too, with ``of_types`` what
    decided its dtype alone. ``odd`` is the number of the side that most others differ from.
    Places that ``decides`` tells to be settings or numbers share a side among themselves alone.
    """
    # What made the sizes of an array is no part of its dtype.
    held = [_typed_origins(value, of_sizes=of_sizes and not of_types) for value in values]
    deciding = {(file, -line) for origins in held for file, line in origins if line < 0}
    made = [frozenset(places_of(origins, of_types=of_types)) for origins in held]
    sides = [(number, side) for number, side in enumerate(made) if side]
    if not sides:
        return {}
    everywhere = frozenset.intersection(*(s for _, s in sides)) if len(sides) > 1 else frozenset()
    shares: dict[Origin, float] = {}
    for number, side in sides:
        part = 1.0 if odd in (None, number) else OF_MOST
        own = side - everywhere
        # What made a size or a number of the array did not decide its dtype.
        makers = own & deciding if of_types and own & deciding else own
        written = {origin for origin in makers if decides is not None and decides(origin)}
        for origin in side:
            among = written if origin in written else makers
            share = part / math.pow(len(among), power) if origin in makers else SHARED
            shares[origin] = max(shares.get(origin, 0.0), share)
    return dict(sorted(shares.items()))


def _typed_origins(value: Value, *, of_sizes: bool) -> set[Origin]:
    """Return the origins of a side; what has read it decided its type only if it still shows.

    A number has its type from what converted it, and a name or path is meant to be a text, as are
    the cells of a column of words.
    """
    origins = origins_of(value) if of_sizes else set(value.origins)
    data = value.data
    items = data if isinstance(data, (list, tuple)) else (value,)
    cells = (data.cells or ()) if isinstance(data, Series) else ()
    texts = [cell for cell in cells[:MOST_ITEMS] if isinstance(cell, str)]
    are_words = bool(texts) and not any(any(c.isdigit() for c in text) for text in texts)
    if isinstance(data, (Array, Table)) and not are_words:
        return origins
    if isinstance(data, OBJECTS):
        return origins
    if any(is_other_text(item) for item in items):
        return origins
    return {origin for origin in origins if origin[1] >= 0}


OTHER_TEXTS = frozenset(("true", "false", "none", "null", "yes", "no"))


def is_other_text(value: Value) -> bool:
    """Whether a value is a text that is written as a number, a truth value or None is."""
    text = value.data.strip() if isinstance(value.data, str) else ""
    return text.lower() in OTHER_TEXTS or (text[:20] == text and number_in(text) is not None)


def _makers(side: Value) -> set[Origin]:
    """Return the places that made a side, its sizes and its items, without those of its dtype."""
    return places_of(origins_of(side), of_types=False)


def places_of(origins: Iterable[Origin], *, of_types: bool) -> set[Origin]:
    """Return the places of origins, with those that decided a dtype alone or without them."""
    return {(file, abs(line)) for file, line in origins if line >= 0 or of_types}


def origins_of(value: Value) -> set[Origin]:
    """Return what made a value, the sizes of an array and the items of a container."""
    origins = set(value.origins)
    data = value.data
    if isinstance(data, Array):
        for dim in data.shape or ():
            origins |= dim.origins
    elif isinstance(data, (dict, list, tuple)):
        for item in list(data.values() if isinstance(data, dict) else data)[:MOST_ITEMS]:
            origins |= item.origins
    return origins
