"""What expressions come to: plain values, arrays in outline, objects, an explicit unknown."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from dl_bug_lsp.workspace.configs.extensions import SETTINGS_ONLY_EXTENSIONS, SHELL_EXTENSIONS

Origin: TypeAlias = tuple[str, int]
"""A workspace file and a 1-based line where something that made a value is written."""
Origins: TypeAlias = frozenset[Origin]
NOWHERE: Origins = frozenset()
GUESSED: Origin = ("", 0)
"""Stands among the origins of what is only likely."""
MAX_ORIGINS = 24
MOST_VIEWS = 64
"""Arrays of one memory that are noted."""
PARTS = "modules of this"
"""Under which name a container of modules keeps them (``torch.nn.ModuleList``)."""


def of_dtype(place: Origin) -> Origin:
    """Return the mark among origins of a place that decided a dtype alone: its line is negative."""
    return (place[0], -place[1])


class Unknown:
    """A value of which nothing is known."""

    def __repr__(self) -> str:
        return "unknown"


UNKNOWN = Unknown()


@dataclass(slots=True, eq=False)
class Value:
    """A value and where it comes from.

    ``data`` is one of: None, bool, int, float, str, bytes; ``list[Value]``, ``tuple[Value, ...]``,
    ``dict`` from plain keys to ``Value``, ``set`` of plain values; `Array`, `Table`, `Instance`,
    `ClassValue`, `FunctionValue`, `BoundMethod`, `ModuleValue`, `Library`, `LibraryObject`, `Lazy`,
    or ``UNKNOWN``.
    """

    data: object
    origins: Origins = NOWHERE

    @property
    def known(self) -> bool:
        """Whether anything is known of the value."""
        return self.data is not UNKNOWN


@dataclass(slots=True, eq=False)
class Element(Value):
    """One element of an array of whole numbers; ``least`` is the least of them, where known."""

    least: int | None = None


class OneShot(list[Value]):
    """What an iterator has left to give: who iterates over it takes it away."""

    __slots__ = ("made", "used")

    def __init__(self, items: Iterable[Value], made: Origin | None) -> None:
        """Hold the items of an iterator that was made at a place."""
        super().__init__(items)
        self.made = made
        self.used: Origin | None = None
        """Where all of them were taken."""


class Keys(list[Value]):
    """The keys of a dictionary as they are iterated over, which are joined as sets are."""

    __slots__ = ()


class Words(list[Value]):
    """The words of a command line, of which one that is taken out is a text."""

    __slots__ = ()


class Named(tuple[Value, ...]):
    """A tuple whose items have names as well, those of ``names``."""

    names: tuple[str, ...]

    def __new__(cls, items: Iterable[Value], names: tuple[str, ...]) -> Named:
        """Hold the items with their names."""
        made = super().__new__(cls, tuple(items))
        made.names = names
        return made


class OpenDict(dict[Any, Value]):
    """A dictionary with other keys as well, nobody knows which; ``rest`` is like their values."""

    __slots__ = ("rest",)

    def __init__(self, held: Mapping[Any, Value], rest: Value) -> None:
        """Hold the entries that are known."""
        super().__init__(held)
        self.rest = rest


def rest_of(data: object) -> Value | None:
    """Return what stands for the values whose keys are not known, None where all keys are."""
    return getattr(data, "rest", None) if isinstance(data, dict) else None


class OneNumber(Value):
    """A number that is not known, for models that ask no more of it than that it is one."""

    __slots__ = ()


class NumpyFloat(Value):
    """A number of the class ``numpy.float64``: PyTorch makes a tensor of float64 of it."""

    __slots__ = ()


class Uneven(Value):
    """A number of batches of which the last is smaller than the others."""

    __slots__ = ()


class AtMost(Value):
    """A number of items that is not known, but at most ``highest``, which ``bounding`` made."""

    __slots__ = ("bounding", "highest")

    def __init__(self, highest: int, origins: Origins, bounding: Origins | None = None) -> None:
        """Hold the bound; all origins made it where ``bounding`` is not given."""
        super().__init__(UNKNOWN, origins)
        self.highest = highest
        self.bounding = origins if bounding is None else bounding


class Remainder(Value):
    """A number of items that is not known: how many another number lacks to ``total``."""

    __slots__ = ("of", "total")

    def __init__(self, total: Value, of: Value, origins: Origins) -> None:
        """Hold both, as a list is filled up to ``total`` that has ``of`` items."""
        super().__init__(UNKNOWN, origins)
        self.total, self.of = total, of


class Longest(Value):
    """The length of the longest of sequences that were padded to it."""

    __slots__ = ()


class MadeText(Value):
    """A text, which may not be known, of which it is known what it was made of."""

    __slots__ = ()


class JsonText(MadeText):
    """A JSON text; ``document`` is what it is read as."""

    __slots__ = ("document",)

    def __init__(self, document: Value, text: object = UNKNOWN) -> None:
        """Hold the document."""
        super().__init__(text, document.origins)
        self.document = document


class RowText(MadeText):
    """A line of delimited text; ``cells`` are the values that were written."""

    __slots__ = ("cells", "separator")

    def __init__(
        self, cells: tuple[Value, ...], separator: str = ",", text: object = UNKNOWN
    ) -> None:
        """Hold the cells."""
        super().__init__(text, merged(*cells))
        self.cells, self.separator = cells, separator


class Word(MadeText):
    """A text that is not known, but that it is no number."""

    __slots__ = ()


class NumberText(MadeText):
    """The text of a number that is not known; ``of`` is the number."""

    __slots__ = ("of",)

    def __init__(self, of: Value) -> None:
        """Hold the number."""
        super().__init__(UNKNOWN, of.origins)
        self.of = of


def with_places(value: Value, origins: Origins) -> Value:
    """Return a value with other origins; a text stays what it was made of."""
    if not isinstance(value, MadeText):
        return Value(value.data, origins)
    made = copy(value)
    made.origins = origins
    return made


def read_as_text(value: Value, *places: Origin) -> Value:
    """Return a text with the places that decided that what was read is no number."""
    if not isinstance(value.data, str):
        return value
    return Value(value.data, value.origins.union(of_dtype(place) for place in places))


def unknown(*parts: Value) -> Value:
    """Return an unknown value that was made of others."""
    return Value(UNKNOWN, merged(*parts))


def merged(*parts: Value) -> Origins:
    """Return the origins of all parts, at most `MAX_ORIGINS`.

    Rows of data are left out first, then code, as settings are few and said on purpose.
    """
    origins: Origins = NOWHERE
    for part in parts:
        if part.origins and not part.origins <= origins:
            origins |= part.origins
    if len(origins) <= MAX_ORIGINS:
        return origins
    return frozenset(sorted(origins, key=_order)[:MAX_ORIGINS])


def typed_by(result: Value, *parts: Value | None) -> Value:
    """Return an array without the marks of what decided the dtype of parts that have another one.

    They stay where nothing else is known to have decided the array's own dtype.
    """
    data = result.data
    marks = {origin for origin in result.origins if origin[1] < 0}
    if not marks or not isinstance(data, Array) or data.dtype is None:
        return result
    kept, other = set[Origin](), set[Origin]()
    for part in parts:
        held = part.data if part is not None else None
        items = held[:MOST_TYPED] if isinstance(held, (list, tuple)) else (part,)
        for item in items:
            made = item.data if isinstance(item, Value) else None
            if isinstance(made, Array) and made.dtype is not None and isinstance(item, Value):
                (kept if made.dtype == data.dtype else other).update(item.origins & marks)
    dropped = other - kept
    if not dropped or dropped == marks:
        return result
    return Value(data, result.origins - dropped)


MOST_TYPED = 8
"""Items of a list of which the dtypes are looked at."""
OF_SETTINGS = (*SETTINGS_ONLY_EXTENSIONS, *SHELL_EXTENSIONS)
"""Files that surely hold settings: configs, and scripts with the options of commands."""
OF_CODE = (".py", ".ipynb")


def _order(origin: Origin) -> tuple[int, Origin]:
    file = origin[0]
    return 0 if file.endswith(OF_SETTINGS) else 1 if file.endswith(OF_CODE) else 2, origin


MOST_OF_KEY = 2
"""Origins of a key up to which they are those of what it is looked up for: others only find it."""


def looked_up(part: Value, key: Value) -> Origins:
    """Return the origins of what a table has under a key."""
    made = sum(line >= 0 for _, line in key.origins)
    return merged(part, key) if made <= MOST_OF_KEY else part.origins


class Gradient:
    """What is recorded of a tensor for gradients (`autograd`)."""

    __slots__ = ()


@dataclass(slots=True, eq=False)
class Array:
    """A tensor or array: its dimensions, dtype and device as far as they are known.

    ``shape`` is None where not even the number of axes is known; each dimension is a `Value` whose
    data is an int or ``UNKNOWN``. ``dtype`` is NumPy's name (``"float32"``, ``"int64"``,
    ``"object"``), ``library`` one of ``"torch"``, ``"numpy"``, ``"tensorflow"``, ``"jax"``, or
    ``"python"`` of a number whose value is not known (`arrays.number`).
    ``lowest`` and ``highest`` bound whole numbers where they are known (labels, indices).
    ``attained`` tells that items which are there have these bounds. ``columns_first`` tells that
    the last axis of an array was moved to the front: a part of it is a column.
    ``last`` is the last dimension where that alone is known, as after a dense layer, ``first`` the
    first one, as of an array made of a list of unknown rows. ``gradient`` is what `autograd`
    has recorded of a tensor. ``scores`` are the places of the layer that made floats on both sides
    of 0 and beyond 1, as dense layers do, and of those behind it, None where the range of the
    floats is not known. ``memory`` holds the arrays that show the same memory (views), itself
    included, None where there are no others (NumPy, "Copies and views").
    """

    shape: tuple[Value, ...] | None
    dtype: str | None = None
    library: str = "numpy"
    device: str | None = None
    lowest: int | None = None
    highest: int | None = None
    attained: bool = field(default=False, kw_only=True)
    columns_first: bool = field(default=False, kw_only=True)
    last: Value | None = field(default=None, kw_only=True)
    first: Value | None = field(default=None, kw_only=True)
    gradient: Gradient | None = field(default=None, kw_only=True)
    scores: Origins | None = field(default=None, kw_only=True)
    memory: list[Array] | None = field(default=None, kw_only=True)

    def forget_bounds(self) -> None:
        """Let nothing be known of which whole numbers the array holds."""
        self.lowest = self.highest = None
        self.attained = False

    def forget_contents(self) -> None:
        """Let nothing be known of what the array holds; what is outlined has only bounds."""
        self.forget_bounds()

    def note_written(self) -> None:
        """Forget what the other arrays hold that show the memory of this one."""
        for other in self.memory or ():
            if other is not self:
                other.forget_contents()

    def note_overwritten(self) -> None:
        """Forget what this array and the others of its memory hold."""
        self.forget_contents()
        self.note_written()

    def share_memory(self, other: Array) -> None:
        """Note that another array shows the memory of this one."""
        if other is self:
            return
        own = self.memory if self.memory is not None else [self]
        if len(own) < MOST_VIEWS:
            own.append(other)
        self.memory = other.memory = own

    @property
    def sizes(self) -> tuple[int | None, ...] | None:
        """The dimensions as plain numbers, None for those that are not known."""
        if self.shape is None:
            return None
        return tuple(d.data if isinstance(d.data, int) else None for d in self.shape)

    @property
    def sizes_text(self) -> str:
        """The dimensions as a text, ``(2, ?, 3)``."""
        return "(" + ", ".join("?" if n is None else str(n) for n in self.sizes or ()) + ")"


@dataclass(slots=True, eq=False)
class Count(Array):
    """How many items something has of which that is not known: the number of Python's.

    ``of`` is the very length that was taken; the number is ``plus`` and ``times`` (1 or -1) this.
    """

    of: Value = field(kw_only=True)
    times: int = field(default=1, kw_only=True)
    plus: Value = field(default_factory=lambda: Value(0), kw_only=True)


@dataclass(slots=True, eq=False)
class Ordered(Array):
    """Whole numbers of one axis from ``lowest`` to ``highest``, each of them once."""


@dataclass(slots=True, eq=False)
class Table:
    """A pandas table: dtypes by column name (in order), and the number of rows.

    ``index_names`` are the names of the levels of its index, empty where it has none. ``removed``
    tells of columns that it had which lines took them away.
    """

    columns: dict[object, str | None]
    rows: Value
    origins_of: dict[object, Origins] = field(default_factory=dict)
    index_names: tuple[object, ...] = field(default=(), kw_only=True)
    removed: dict[object, Origins] = field(default_factory=dict, kw_only=True)

    def has_level(self, label: object) -> bool:
        """Whether a label is the upper one of columns that have several levels of labels."""
        return any(isinstance(name, tuple) and name[:1] == (label,) for name in self.columns)

    def width(self, origins: Origins) -> Value:
        """Return the number of columns, made by ``origins`` and by what has added single columns.

        Where many places have done so, none of them is singled out.
        """
        made = (place for own in self.origins_of.values() for place in own)
        counts = Counter(place for place in made if place[1] >= 0)
        few = frozenset(p for p, count in counts.items() if count <= len(self.columns) // 3)
        return Value(len(self.columns), origins | few if len(few) <= MOST_ADDING else origins)


MOST_ADDING = 4
"""Places that add columns to a table, up to which each is a part of what made its width."""


@dataclass(slots=True, eq=False)
class Library:
    """Something of a library or a builtin by its dotted name (``"torch.nn.Linear"``)."""

    name: str

    @property
    def short(self) -> str:
        """The last name."""
        return self.name.rpartition(".")[2]


@dataclass(slots=True, eq=False)
class LibraryObject:
    """What a library's class was called with: a layer, a loss, a loader, an optimizer."""

    name: str
    args: tuple[Value, ...]
    keywords: Mapping[str, Value]
    made: Origin
    state: dict[str, Value] = field(default_factory=dict)

    @property
    def short(self) -> str:
        """The class's last name."""
        return self.name.rpartition(".")[2]


ATTRIBUTE_DICTS = frozenset(("EasyDict", "AddictDict", "Munch", "SettingsBox"))
"""Classes of libraries, by their last name here, that are dictionaries: the state, their items."""
ATTRIBUTE_TABLES = ATTRIBUTE_DICTS | {"DictConfig", "CfgNode", "ConfigDict", "FrozenConfigDict"}
"""These, and classes that are no dictionaries but tables whose entries are their state."""


@dataclass(slots=True, eq=False)
class Lazy:
    """Something to iterate over: ``length`` items (UNKNOWN where not known), each like ``item``.

    ``others`` are items that stand among them as well, nobody knows where. Of a list that a loop
    filled, ``parts`` are what was put into it one after the other: the first ``lead`` are its first
    items, each of the rest stands for some.
    """

    item: Value
    length: Value
    others: tuple[Value, ...] = ()
    parts: tuple[Value, ...] = field(default=(), kw_only=True)
    lead: int = field(default=0, kw_only=True)


@dataclass(slots=True, eq=False)
class Environment:
    """Names and their values, with the scopes around."""

    names: dict[str, Value]
    outer: Environment | None
    file: str
    owner: ClassValue | None = None


@dataclass(slots=True, eq=False)
class FunctionValue:
    """A workspace function with its closure and the defaults of its parameters."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    closure: Environment
    file: str
    defaults: dict[str, Value]
    owner: ClassValue | None = None
    kind: str = ""
    """``"property"``, ``"staticmethod"``, ``"classmethod"`` or empty."""
    gives_context: bool = False
    """Whether ``contextlib.contextmanager`` decorates it."""
    configurable: str = ""
    """Under which name a library of settings gives it the parameters that calls leave out."""


@dataclass(slots=True, eq=False)
class ClassValue:
    """A workspace class: its members, and its bases (`ClassValue` or `Library`)."""

    name: str
    node: ast.ClassDef
    file: str
    bases: tuple[Value, ...]
    members: dict[str, Value]
    is_dataclass: bool = False
    configurable: str = ""
    """The name of a class without a constructor of its own (`FunctionValue.configurable`)."""


@dataclass(slots=True, eq=False)
class Instance:
    """An object of a workspace class; ``made`` is the place of the call that made it."""

    cls: ClassValue
    attributes: dict[str, Value] = field(default_factory=dict)
    made: Origin | None = None


@dataclass(slots=True, eq=False)
class Method:
    """A method of a plain value, an array or a library's object, by its name.

    Of a library's object it may be an attribute that no model has.
    """

    receiver: Value
    name: str


@dataclass(slots=True, eq=False)
class BoundMethod:
    """A function with the object that it was taken from."""

    function: FunctionValue
    receiver: Value


@dataclass(frozen=True, slots=True)
class Deferred:
    """What an import gives that is followed only where its name is used.

    ``module`` is as written, with its dots; ``name`` is what is taken from it, None for itself.
    """

    module: str
    name: str | None
    importer: str


@dataclass(slots=True, eq=False)
class ModuleValue:
    """A workspace module."""

    environment: Environment


class Raised(Exception):
    """An exception that the program would raise.

    ``sides`` are the values that do not fit (two sizes, an index and a bound, a key and a table);
    ``what`` is one of ``"size"``, ``"type"``, ``"index"``, ``"key"``, ``"attribute"``, ``"name"``,
    ``"none"``, ``"file"``, ``"arguments"``, ``"value"``, ``"empty"``, ``"accessor"`` (a column that
    ``.dt`` or ``.str`` does not take), ``"raised"``.
    """

    def __init__(self, kind: str, message: str, *sides: Value) -> None:
        super().__init__(message)
        self.what = kind
        self.message = message
        self.sides = sides
        self.place: Origin | None = None
        self.exception: Value | None = None
        """The exception's object, where the program made one."""
        self.kinds: frozenset[str] = frozenset()
        """The names of the exception's class and of its bases, where they are known."""
        self.weight = 1.0
        """How much the sides tell, less where the message alone chose them among the operands."""
        self.makers: tuple[Origin, ...] = ()
        """Where the objects were made whose methods failed, the innermost one first."""
        self.available: Mapping[str, frozenset[Origin]] = {}
        """For ``"key"``: the keys that are there, with what made them, where they are known."""
        self.odd: int | None = None
        """The number of the side that most others of its kind differ from, None where none does."""
        self.uneven = False
        """Whether most values of the kind of the sides differ from one another."""
        self.lacking: frozenset[Origin] = frozenset()
        """What made the axes for which an array that is broadcast lacks axes of size 1: with them
        all sizes would fit."""
        self.supposed = False
        """Whether one side was not known, and got the other number of the message."""
        self.axes = 0
        """How many axes an array has too few; below zero those that it has too many."""


def refused_axes(message: str, value: Value, rank: int, wanted: Value) -> Raised:
    """Return the failure of an array that has another number of axes than is wanted."""
    raised = Raised("size", message, Value(rank, value.origins), wanted)
    raised.axes = wanted.data - rank if isinstance(wanted.data, int) else 0
    return raised


OBJECTS = (LibraryObject, Instance, FunctionValue, BoundMethod, Method, ClassValue)
"""What a name may stand for where the result of calling it was meant."""
