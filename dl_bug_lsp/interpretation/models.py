"""The models of libraries: what a call, a method, an operator of theirs gives, by shape and type.

A model is a function that takes the interpreter and a `Call` and returns a `Value`, or raises
`Raised` where the library would. It never guesses: what it does not know it leaves unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from dl_bug_lsp.interpretation.values import (
    PARTS,
    Instance,
    LibraryObject,
    Origin,
    Value,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter


@dataclass(slots=True)
class Call:
    """A call of a library function, class, object or method.

    ``name`` is the dotted name (``"torch.nn.functional.relu"``), of a method its own name;
    ``receiver`` is what a method or a library object's call belongs to, None for functions.
    """

    name: str
    args: tuple[Value, ...]
    keywords: Mapping[str, Value]
    place: Origin
    receiver: Value | None = None

    def given(self, position: int, *names: str) -> Value | None:
        """Return an argument by its 0-based position or one of its names, None where not given."""
        for name in names:
            if name in self.keywords:
                return self.keywords[name]
        return self.args[position] if position < len(self.args) else None

    @property
    def held(self) -> LibraryObject | None:
        """The library's object that a method belongs to, or that is called; None for others."""
        data = None if self.receiver is None else self.receiver.data
        return data if isinstance(data, LibraryObject) else None

    @property
    def state(self) -> dict[str, Value]:
        """What the library's object that a method belongs to holds by name; empty for others."""
        return {} if self.held is None else self.held.state

    def unknown(self) -> Value:
        """Return an unknown value made of all arguments."""
        parts = [*self.args, *self.keywords.values()]
        if self.receiver is not None:
            parts.append(self.receiver)
        return unknown(*parts)


def state_of(value: Value | None) -> dict[str, Value] | None:
    """Return what a layer or model holds by name, of an object of the workspace its attributes."""
    if value is None:
        return None
    if isinstance(value.data, LibraryObject):
        return value.data.state
    return value.data.attributes if isinstance(value.data, Instance) else None


def keep_in(state: dict[str, Value], name: str, value: Value) -> None:
    """Set an attribute; a container of modules has an object under its name among its parts."""
    held = state.get(PARTS)
    state[name] = value
    if held is None or name == PARTS or not isinstance(value.data, (LibraryObject, Instance)):
        return
    if isinstance(held.data, list):
        entries = {str(number): part for number, part in enumerate(held.data)}
        held = state[PARTS] = Value(entries, held.origins)
    if isinstance(held.data, dict):
        held.data[name] = value


Model: TypeAlias = "Callable[[Interpreter, Call], Value]"


@dataclass(slots=True)
class Models:
    """Models by name.

    ``functions`` by dotted name as imports give it (aliases are resolved: ``np.zeros``
    is ``numpy.zeros``, ``F.relu`` is ``torch.nn.functional.relu``); a name that is not found is
    tried as ``root.last``. ``objects`` by the same names: what calling an object of a library's
    class gives (a layer's forward). ``methods`` by (kind of receiver, method name), kind being
    ``"array"``, ``"table"``, ``"str"``, ``"list"``, ``"dict"``, ``"set"`` or a library object's
    short class name. ``attributes`` likewise. ``subscripts`` by the dotted name of what a library
    has that is indexed (``numpy.mgrid``). ``numeric`` are the models that cope with numbers whose
    value is not known (`arrays.number`). ``stand_ins`` by ``Class.method`` are of methods of known
    packages whose sources, where the workspace has them, cannot be followed; None where the sources
    are to be followed all the same.
    """

    functions: dict[str, Model] = field(default_factory=dict)
    objects: dict[str, Model] = field(default_factory=dict)
    methods: dict[tuple[str, str], Model] = field(default_factory=dict)
    attributes: dict[tuple[str, str], Model] = field(default_factory=dict)
    subscripts: dict[str, Model] = field(default_factory=dict)
    numeric: set[Model] = field(default_factory=set)
    stand_ins: dict[str, Callable[[Interpreter, Call], Value | None]] = field(default_factory=dict)

    def numbers(self, model: Model) -> Model:
        """Let a model have numbers of which only the type is known, which others get as unknown."""
        self.numeric.add(model)
        return model

    def function(self, *names: str) -> Callable[[Model], Model]:
        """Register a model of functions or classes."""
        return self._add(self.functions, names)

    def object(self, *names: str) -> Callable[[Model], Model]:
        """Register a model of what calling an object of these classes gives."""
        return self._add(self.objects, names)

    def method(self, kind: str, *names: str) -> Callable[[Model], Model]:
        """Register a model of methods."""
        return self._add(self.methods, [(kind, name) for name in names])

    def attribute(self, kind: str, *names: str) -> Callable[[Model], Model]:
        """Register a model of attributes; the `Call` has the receiver and no arguments."""
        return self._add(self.attributes, [(kind, name) for name in names])

    def subscript(self, *names: str) -> Callable[[Model], Model]:
        """Register a model of indexing something of a library."""
        return self._add(self.subscripts, names)

    def stand_in(
        self, *names: str
    ) -> Callable[
        [Callable[[Interpreter, Call], Value | None]], Callable[[Interpreter, Call], Value | None]
    ]:
        """Register what stands in for methods of the workspace."""

        def keep(
            model: Callable[[Interpreter, Call], Value | None],
        ) -> Callable[[Interpreter, Call], Value | None]:
            self.stand_ins.update(dict.fromkeys(names, model))
            return model

        return keep

    @staticmethod
    def _add(table: dict[Any, Model], names: Iterable[Any]) -> Callable[[Model], Model]:
        def keep(model: Model) -> Model:
            for name in names:
                table[name] = model
            return model

        return keep


MODELS = Models()
"""All models; modules of this package add theirs when they are imported."""
