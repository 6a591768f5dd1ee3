"""The graph that PyTorch records for gradients: what requires them, and what ``backward`` frees.

The graph is kept only while a failure is followed whose message speaks of it. Sources: PyTorch's
documentation, "Autograd mechanics", "Locally disabling gradient computation", and
``torch.Tensor.backward``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.libraries.torch.tensors import WHOLE, words
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.values import (
    NOWHERE,
    UNKNOWN,
    Array,
    Gradient,
    Instance,
    Lazy,
    LibraryObject,
    Origin,
    Origins,
    Raised,
    Value,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

SECOND_BACKWARD = re.compile(r"backward through the graph a second time")
NO_GRADIENT = re.compile(r"does not require grad and does not have a grad_fn")
TO_NUMPY = re.compile(r"Can't call numpy\(\) on (?:Tensor|Variable) that requires grad")
CHANGED_LEAF = re.compile(
    r"leaf Variable that requires grad is being used in an in-place operation"
)
NOTHING_TAPED = re.compile(r"No gradients provided for any variable")
NOT_ASKED = re.compile(r"of the differentiated Tensors does not require grad")
NOT_USED = re.compile(r"differentiated Tensors appears to not have been used in the graph")
FAILURES = (
    *(NOT_ASKED, NOT_USED, NOTHING_TAPED, SECOND_BACKWARD, NO_GRADIENT, TO_NUMPY, CHANGED_LEAF),
)

MODES = {
    "torch.no_grad": False,
    "torch.autograd.no_grad": False,
    "torch.inference_mode": False,
    "torch.autograd.inference_mode": False,
    "torch.enable_grad": True,
    "torch.set_grad_enabled": None,
}
"""Contexts and decorators that switch recording; None where an argument says which."""
NEW = frozenset(
    words(
        "tensor zeros ones empty full rand randn randint randperm arange linspace logspace eye "
        "normal zeros_like ones_like empty_like full_like rand_like randn_like new_zeros new_ones "
        "new_full new_empty new_tensor Tensor FloatTensor from_numpy one_hot"
    )
)
"""Functions whose result has no graph whatever they are given."""
CUTTING = frozenset(("detach", "detach_", "data", "item"))
"""What gives values outside of the graph."""
NOT_SAVING = frozenset(
    words(
        "add sub rsub neg sum mean view reshape permute transpose t T mT clone contiguous cat "
        "concat stack unsqueeze squeeze expand flatten to float double half __getitem__ Add Sub "
        "USub chunk split unbind index_select narrow select __iter__ unflatten repeat"
    )
)
"""Operations whose backward pass needs no tensor of the forward pass."""
CONTAINERS = tuple(
    f"torch.nn.{name}" for name in ("Sequential", "ModuleList", "ModuleDict", "DataParallel")
)
WITHOUT_WEIGHTS = re.compile(
    r"(?:\w*Loss|\w*Pool\d?d|\w*Pad\d?d|\w*Dropout\w*|ReLU6?|ELU|SELU|CELU|LeakyReLU|RReLU|GELU|SiLU"
    r"|Mish|Soft\w+|Hard\w+|Tanh\w*|Sigmoid|LogSigmoid|LogSoftmax|Threshold|Identity|Flatten"
    r"|Unflatten|Upsample\w*|Upsampling\w*|Pixel\w+|Fold|Unfold|GLU|ChannelShuffle|Cosine\w+"
    r"|PairwiseDistance|LocalResponseNorm)"
)
MAX_NODES = 60_000
MAX_VISITED = 2_000
MAX_PLACES = 6


@dataclass(slots=True, eq=False)
class Recorded(Gradient):
    """A tensor in the graph: what it was made of, where, and what bound it since.

    ``requires`` says whether it requires gradients, None where that is not known. ``frames`` are
    the places of the calls that led to the operation, outermost first; ``bound`` the statements
    that bound the tensor, in their order. ``freed`` holds the frames of the ``backward`` that went
    through it, ``reason`` the places that cut it off its inputs. The first ``outer`` frames lie
    outside of every module's forward pass. ``bound_at``, ``made_at`` and ``freed_at`` say when, on
    a clock that every event of the record moves on.
    """

    requires: bool | None
    name: str
    frames: tuple[Origin, ...]
    inputs: tuple[Recorded, ...] = ()
    bound: list[Origin] = field(default_factory=list)
    bound_at: list[int] = field(default_factory=list)
    made_at: int = 0
    freed_at: int = 0
    takers: list[Recorded] = field(default_factory=list)
    outer: int = 0
    freed: tuple[Origin, ...] | None = None
    reason: Origins = NOWHERE
    module: Value | None = None

    @property
    def saves(self) -> bool:
        """Whether the backward pass of the operation needs tensors that are freed after it."""
        return bool(self.inputs) and self.name not in NOT_SAVING

    @property
    def place(self) -> Origin | None:
        """The line of the operation."""
        return self.frames[-1] if self.frames else None


def recorder(message: str) -> Recorder | None:
    """Return what records the graph where a failure's message speaks of it."""
    if any(pattern.search(message) for pattern in FAILURES):
        return Recorder(message)
    return None


def _tensors(value: Value, depth: int = 0) -> Iterator[Array]:
    data = value.data
    if isinstance(data, Array):
        if data.library in ("torch", "tensorflow"):
            yield data
    elif isinstance(data, Lazy):
        yield from _tensors(data.item, depth + 1)
    elif isinstance(data, (list, tuple)) and depth < 4:
        for item in data[:40]:
            yield from _tensors(item, depth + 1)
    elif isinstance(data, dict) and depth < 4:
        for item in list(data.values())[:40]:
            yield from _tensors(item, depth + 1)


def _node(array: Array) -> Recorded | None:
    return array.gradient if isinstance(array.gradient, Recorded) else None


class Recorder:
    """Records the graph while a program is followed."""

    def __init__(self, message: str) -> None:
        self.message = message
        """What the failure says; empty where whatever would fail is to be followed."""
        self.visits = 0
        """How many operations the backward passes went through."""
        self.modes: list[tuple[bool | None, Origin]] = []
        self.forwards: list[int] = []
        """For each forward pass that is being followed the number of frames around it."""
        self._taped = NOTHING_TAPED.search(message) is not None
        self._is_not_asked = NOT_ASKED.search(message) is not None
        self.wants_gradients = self._is_not_asked or NO_GRADIENT.search(message) is not None
        """Whether the failure is that a tensor does not require gradients."""
        self._differentiates = bool(NOT_ASKED.search(message) or NOT_USED.search(message))
        self._untaped: tuple[Value, ...] | None = None
        self._count = 0
        self._clock = 0
        self._first: dict[tuple[Origin, ...], int] = {}
        self._last: dict[tuple[Origin, ...], int] = {}
        """When an operation was first and last done, by the places of the calls that led to it."""

    def _tick(self) -> int:
        self._clock += 1
        return self._clock

    # -- modes -----------------------------------------------------------------------------------

    def enter(self, value: Value, place: Origin) -> bool:
        """Switch recording for a context; return whether it does switch it."""
        data = value.data
        if isinstance(data, LibraryObject) and data.short == "GradientTape" and self._taped:
            self.modes.append((True, place))
            return True
        if not isinstance(data, LibraryObject) or data.name not in MODES:
            return False
        self.modes.append((_mode(data), place))
        return True

    def leave(self) -> None:
        """End the innermost context that switched recording."""
        self.modes.pop()

    def _is_on(self) -> bool | None:
        return self.modes[-1][0] if self.modes else not self._taped

    # -- recording -------------------------------------------------------------------------------

    def called(self, frames: Sequence[Origin], call: Call, result: Value) -> Value:
        """Record what a call of a library gives."""
        name = call.name.rpartition(".")[2]
        parts = [*call.args, *call.keywords.values()]
        receiver = call.receiver
        owner = None if receiver is None else receiver.data
        is_layer = isinstance(owner, LibraryObject) and (
            owner.name.startswith("torch.nn.") or ".layers." in owner.name
        )
        is_derived = isinstance(owner, Instance) and call.name.startswith("torch.nn.")
        if receiver is not None and not is_layer:
            parts.insert(0, receiver)
        if name == "requires_grad_" and receiver is not None:
            self._require(receiver, call.given(0, "requires_grad"), call.place)
            return result
        if name in ("parameters", "named_parameters") and receiver is not None:
            for array in _tensors(result):
                array.gradient = Recorded(True, name, tuple(frames), module=receiver)
            return result
        if name == "add_weight" or call.name == "tensorflow.Variable":
            return self._fresh(result, _asked(call, "trainable", default=True), name, frames)
        if name == "Parameter":
            return self._fresh(result, _asked(call, "requires_grad", default=True), name, frames)
        if name in NEW:
            return self._fresh(result, _asked(call, "requires_grad", default=False), name, frames)
        if call.name == "torch.autograd.grad":
            return self._derivatives(call, result, frames)
        if is_layer and isinstance(owner, LibraryObject) and owner.name in CONTAINERS:
            # The layers in it have recorded what they gave.
            return result
        weights: bool | None = False
        if is_layer and isinstance(owner, LibraryObject):
            weights = self._weights(owner)
        elif is_derived:
            weights = None if WITHOUT_WEIGHTS.fullmatch(name) is None else False
        return self.made(name, parts, result, frames, weights=weights)

    def made(
        self,
        name: str,
        parts: Sequence[Value],
        result: Value,
        frames: Sequence[Origin],
        *,
        weights: bool | None = False,
    ) -> Value:
        """Record what an operation on values gives; ``weights`` says whether its own require it."""
        given = {id(a) for part in parts for a in _tensors(part)}
        cut = name in CUTTING
        if cut and isinstance(result.data, Array) and id(result.data) in given:
            result = Value(copy(result.data), result.origins)
            assert isinstance(result.data, Array)
            result.data.gradient = None
        # Models may hand on what they were given, and what another model has recorded.
        tensors = [a for a in _tensors(result) if id(a) not in given and a.gradient is None]
        if not tensors:
            return result
        inputs: list[Recorded] = []
        requires: list[bool | None] = [weights]
        for part in parts:
            for array in _tensors(part):
                node = _node(array)
                requires.append(None if node is None else node.requires)
                if node is not None:
                    inputs.append(node)
            if part.data is UNKNOWN:
                requires.append(None)
        known = True if True in requires else None if None in requires else False
        reason: Origins = NOWHERE
        on = self._is_on()
        if (cut or on is not True) and known is not False:
            known = False if cut or on is False else None
            place = frames[-1] if cut and frames else self.modes[-1][1] if self.modes else None
            if place is None and frames:
                place = frames[-1]
            reason = frozenset({place}) if place is not None else NOWHERE
        made: Recorded | None = None
        for array in tensors:
            requiring = known
            if array.dtype in WHOLE:
                requiring = False
            if made is None or made.requires is not requiring:
                made = self._add(requiring, name, tuple(inputs), frames, reason)
            array.gradient = made
        return result

    def _add(
        self,
        requires: bool | None,
        name: str,
        inputs: tuple[Recorded, ...],
        frames: Sequence[Origin],
        reason: Origins,
    ) -> Recorded | None:
        self._count += 1
        if self._count > MAX_NODES:
            return None
        outer = min(self.forwards[:1] or [len(frames)])
        made = Recorded(requires, name, tuple(frames), inputs, outer=outer, reason=reason)
        made.made_at = self._tick()
        self._first.setdefault(made.frames, made.made_at)
        self._last[made.frames] = made.made_at
        for operation in inputs:
            operation.takers.append(made)
        return made

    def _fresh(
        self, result: Value, requires: bool | None, name: str, frames: Sequence[Origin]
    ) -> Value:
        for array in _tensors(result):
            requiring = False if array.dtype in WHOLE else requires
            array.gradient = Recorded(requiring, name, tuple(frames))
        return result

    def _derivatives(self, call: Call, result: Value, frames: Sequence[Origin]) -> Value:
        """Record gradients: they are part of a graph only where ``create_graph`` asks for one."""
        kept = _flag(call, "create_graph", default=False)
        made = self.made("grad", [*call.args, *call.keywords.values()], result, frames)
        for array in _tensors(made):
            node = _node(array)
            if node is not None and node.requires and kept is not True:
                cut = frozenset(frames[-1:]) if kept is False else NOWHERE
                array.gradient = self._add(kept, "grad", node.inputs, frames, cut)
        return made

    def _weights(self, layer: LibraryObject) -> bool | None:
        if WITHOUT_WEIGHTS.fullmatch(layer.short):
            return False
        frozen = layer.state.get("requires_grad")
        if frozen is None:
            return True
        return frozen.data if isinstance(frozen.data, bool) else None

    def _require(self, value: Value, asked: Value | None, place: Origin) -> None:
        wanted = True if asked is None else asked.data if isinstance(asked.data, bool) else None
        flag = Value(wanted if wanted is not None else UNKNOWN, frozenset({place}))
        data = value.data
        if isinstance(data, Array):
            node = _node(data)
            if node is not None and node.module is not None:
                _freeze(node.module, flag, set())
            elif node is None or not node.inputs or node.requires is not True:
                data.gradient = Recorded(wanted, "requires_grad_", (place,))
        else:
            _freeze(value, flag, set())

    def assigned(self, owner: Value, name: str, value: Value, place: Origin, *, sure: bool) -> None:
        """Follow ``tensor.requires_grad = …``; ``sure`` is whether it happens in any case."""
        if name == "requires_grad":
            self._require(owner, value if sure else Value(UNKNOWN), place)

    def bound(self, value: Value, place: Origin) -> None:
        """Note that a statement bound a value."""
        for array in _tensors(value):
            node = _node(array)
            if node is None and self._differentiates:
                node = array.gradient = Recorded(None, "", ())
            if node is not None and len(node.bound) < 40 and place not in node.bound[-1:]:
                node.bound.append(place)
                node.bound_at.append(self._tick())

    # -- checks ----------------------------------------------------------------------------------

    def check(self, frames: Sequence[Origin], call: Call) -> None:
        """Raise where a call fails because of the graph; ``told`` is checked before it is made."""
        name = call.name.rpartition(".")[2]
        if self._taped:
            self._tape(frames, call, name)
        elif name in ("backward", "manual_backward", "grad"):
            if name == "grad" and self._differentiates:
                self._differentiated(call)
            self._backward(frames, call)
        elif call.receiver is None and not call.name.startswith(("torch.", "builtins.")):
            for value in (*call.args, *call.keywords.values()) if arrays.is_failing() else ():
                self.to_numpy(value)
        elif call.receiver is not None and isinstance(call.receiver.data, Array):
            node = _node(call.receiver.data)
            if node is None or node.requires is not True:
                return
            if name in ("numpy", "__array__"):
                self.to_numpy(call.receiver)
            elif name.endswith("_") and not name.startswith(("_", "requires_grad", "retain_grad")):
                self.changed(call.receiver)

    def _speaks_of(self, failure: re.Pattern[str]) -> bool:
        return not self.message or failure.search(self.message) is not None

    def to_numpy(self, value: Value) -> None:
        """Raise where a tensor that requires gradients is made an array of NumPy."""
        for array in _tensors(value):
            node = _node(array)
            if node is not None and node.requires and self._speaks_of(TO_NUMPY):
                raise Raised(
                    "type", "Can't call numpy() on Tensor that requires grad", *_path(node)
                )

    def changed(self, value: Value) -> None:
        """Raise where a leaf that requires gradients is changed in place."""
        node = _node(value.data) if isinstance(value.data, Array) else None
        if node is None or node.inputs or node.requires is not True or self._is_on() is not True:
            return
        if self._speaks_of(CHANGED_LEAF):
            places = frozenset([*node.bound[:1], *node.frames[-1:]])
            raise Raised("type", "a leaf that requires grad is changed in place", _at(places))

    def _tape(self, frames: Sequence[Origin], call: Call, name: str) -> None:
        """Follow ``tape.gradient`` and the optimizer that gets what it gives.

        Source: TensorFlow's guide "Introduction to gradients and automatic differentiation".
        """
        if name == "gradient" and call.args:
            roots = [node for node in map(_node, _tensors(call.args[0])) if node is not None]
            cuts = {place for root in roots for place in _untaped(root, frames)}
            all_cut = bool(roots) and all(root.requires is False for root in roots)
            self._untaped = (_at(sorted(cuts)),) if all_cut and cuts else None
        elif name == "apply_gradients" and self._untaped is not None:
            raise Raised("value", "No gradients provided for any variable", *self._untaped)

    def _differentiated(self, call: Call) -> None:
        """Raise where derivatives are asked for by a tensor that the output does not hang on."""
        outputs, inputs = call.given(0, "outputs"), call.given(1, "inputs")
        if outputs is None or inputs is None:
            return
        asked = [node for node in map(_node, _tensors(inputs)) if node is not None]
        sure = [node for node in asked if node.requires is False]
        if not sure and arrays.is_failing() and self._is_not_asked:
            sure = [node for node in asked if node.requires is None]
        if sure:
            places = [place for node in sure for place in _unasked(node)]
            message = "One of the differentiated Tensors does not require grad"
            raise Raised("type", message, _at(dict.fromkeys(places)))
        used = _inputs_of([node for node in map(_node, _tensors(outputs)) if node is not None])
        unused = [node for node in asked if id(node) not in used and node.module is None]
        if used and unused and _flag(call, "allow_unused", default=False) is False:
            places = [place for node in unused for place in (*node.bound[:1], *node.frames[-1:])]
            message = "One of the differentiated Tensors appears to not have been used in the graph"
            raise Raised("value", message, _at(dict.fromkeys(places)))

    def _backward(self, frames: Sequence[Origin], call: Call) -> None:
        value = call.receiver
        tensors = [] if value is None else list(_tensors(value))
        if not tensors:
            tensors = [a for part in call.args[:1] for a in _tensors(part)]
        roots = [node for node in map(_node, tensors) if node is not None]
        if not roots:
            return
        stops = self._speaks_of(NO_GRADIENT) or self._speaks_of(SECOND_BACKWARD)
        if stops and all(root.requires is False for root in roots):
            places = frozenset(place for root in roots for place in _cuts(root))
            message = "element 0 of tensors does not require grad and does not have a grad_fn"
            raise Raised("type", message, _at(places))
        visited = _visited(roots)
        self.visits += len(visited)
        if self._speaks_of(SECOND_BACKWARD):
            _not_freed(roots, visited, frames, self._first, self._last)
        if _flag(call, "create_graph", default=False) is not False:
            return
        if _flag(call, "retain_graph", default=False) is False:
            now = self._tick()
            for node in visited:
                node.freed, node.freed_at = tuple(frames), now


def _mode(data: LibraryObject) -> bool | None:
    known = MODES[data.name]
    given = data.args[0] if data.args else data.keywords.get("mode")
    if given is not None and data.name.endswith(("inference_mode", "set_grad_enabled")):
        if not isinstance(given.data, bool):
            return None
        return given.data if known is None else not given.data
    return known


def _asked(call: Call, name: str, *, default: bool) -> bool | None:
    given = call.keywords.get(name)
    if given is None:
        return default
    return given.data if isinstance(given.data, bool) else None


def _flag(call: Call, name: str, *, default: bool) -> bool | None:
    given = call.keywords.get(name)
    if given is None:
        return default
    return given.data if isinstance(given.data, bool) else None if given.data is UNKNOWN else False


def _freeze(value: Value, flag: Value, seen: set[int]) -> None:
    """Let the parameters of a module and of the modules in it require gradients or not."""
    data = value.data
    if id(data) in seen or len(seen) > 400:
        return
    seen.add(id(data))
    inner: Iterable[Value] = ()
    if isinstance(data, LibraryObject):
        data.state["requires_grad"] = flag
        inner = [*data.args, *data.state.values()]
    elif isinstance(data, Instance):
        inner = data.attributes.values()
    elif isinstance(data, (list, tuple)):
        inner = data
    elif isinstance(data, dict):
        inner = data.values()
    for item in list(inner):
        _freeze(item, flag, seen)


def _at(places: Iterable[Origin]) -> Value:
    return Value(UNKNOWN, frozenset(list(places)[:MAX_PLACES]))


def _visited(roots: Sequence[Recorded]) -> list[Recorded]:
    """Return the operations that a backward pass goes through."""
    visited: dict[int, Recorded] = {}
    queue = list(roots)
    while queue and len(visited) < MAX_VISITED:
        node = queue.pop()
        if id(node) in visited or node.requires is not True or not node.frames:
            continue
        visited[id(node)] = node
        queue.extend(node.inputs)
    return list(visited.values())


def _not_freed(
    roots: Sequence[Recorded],
    visited: Sequence[Recorded],
    frames: Sequence[Origin],
    first: Mapping[tuple[Origin, ...], int],
    last: Mapping[tuple[Origin, ...], int],
) -> None:
    """Raise where a backward pass comes to what an earlier one has freed.

    ``first`` and ``last`` say when the operation at some frames was first and last done.
    """
    for root in roots:
        if root.freed is not None and _saving([root]):
            # What runs the backward pass a second time is wrong where another statement ran it.
            again = root.freed[-1:] == frames[-1:]
            raise _second(*[_at(root.bound[-1:])] if again else [])
    freed = [
        (node, taker)
        for node in visited
        if node.freed is not None and _saving([node])
        for taker in node.takers
        if taker.freed is None and taker.requires
    ]
    reached = {id(node) for node in visited}
    freed = [(node, taker) for node, taker in freed if id(taker) in reached]
    if not freed:
        return
    carried: set[Origin] = set()
    before: set[Origin] = set()
    entered: set[Origin] = set()
    for node, taker in freed:
        # What is made anew in each round is carried over by what binds it; what two losses share
        # is taken by the call that belongs to the loss before.
        earlier = [item for item in node.takers if item.freed is not None]
        is_carried = node.frames == taker.frames
        apart = [item for item in earlier if item.frames != taker.frames and not is_carried]
        carried.update(node.bound[-2:] or node.frames[-1:])
        for item in apart:
            outside = item.frames[: item.outer]
            before.update(_apart(outside, node.freed or ())[:2])
            # The call that leads there hands on what both losses take.
            before.update(_apart(outside, frames)[:1])
        if earlier and not apart and not is_carried:
            entered.update(_entered(node, taker, frames))
    freed_at = max(node.freed_at for node, _ in freed)
    over = set(_carried_over(visited, freed_at, first, last))
    # To cut off what they share where it is made would take the gradients from the later one, too.
    raise _second(_at(sorted(over or before or carried | entered)))


def _entered(node: Recorded, taker: Recorded, frames: Sequence[Origin]) -> Sequence[Origin]:
    """Return the calls that hand what one module has made to another module in each round.

    Where only the second one learns there, as the critic does in several rounds on the same fakes,
    it has to be given what is cut off the graph of the first.
    """
    learns = taker.outer < len(taker.frames) or (
        taker.name[:1].isupper() and WITHOUT_WEIGHTS.fullmatch(taker.name) is None
    )
    is_module = node.outer < len(node.frames) or node.name[:1].isupper()
    outside = taker.frames[: taker.outer]
    if not learns or not is_module or outside == node.frames[: node.outer]:
        return ()
    return _apart(outside, frames)[:2]


def _carried_over(
    visited: Sequence[Recorded],
    freed_at: int,
    first: Mapping[tuple[Origin, ...], int],
    last: Mapping[tuple[Origin, ...], int],
) -> Iterator[Origin]:
    """Yield the statements that kept what a round had computed for the next round's graph.

    A round does again what the one before it did, at the same places; what was made once before
    all rounds is nothing that a round has computed.
    """
    for node in visited:
        if node.made_at > freed_at >= first.get(node.frames, node.made_at):
            for old in node.inputs:
                is_again = last.get(old.frames, 0) > freed_at
                if old.requires and is_again and 0 < old.made_at < freed_at:
                    kept = [
                        place
                        for place, time in zip(old.bound, old.bound_at, strict=True)
                        if time < freed_at
                    ]
                    yield from kept[-1:] or old.frames[-1:]


def _apart(frames: Sequence[Origin], others: Sequence[Origin]) -> Sequence[Origin]:
    """Return the frames from the first one in which two stacks differ."""
    pairs = enumerate(zip(frames, others, strict=False))
    at = next((i for i, (a, b) in pairs if a != b), min(len(frames), len(others)))
    return frames[at:]


def _untaped(root: Recorded, frames: Sequence[Origin]) -> Iterator[Origin]:
    """Yield where a stack leaves the function around a tape to compute what is not recorded."""
    queue, seen = [root], set[int]()
    while queue and len(seen) < MAX_VISITED:
        node = queue.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        queue.extend(node.inputs)
        if node.reason:
            yield from _apart(node.frames[: node.outer], frames)[:2]


def _second(*sides: Value) -> Raised:
    return Raised("value", "Trying to backward through the graph a second time", *sides)


def _saving(roots: Sequence[Recorded]) -> bool:
    return any(
        node.saves or (not node.inputs and node.name[:1].isupper()) for node in _visited(roots)
    )


def _cuts(root: Recorded) -> Iterator[Origin]:
    """Yield the places that cut a tensor off the graph, else those that made it."""
    queue, cut = [root], False
    seen: set[int] = set()
    while queue and len(seen) < MAX_VISITED:
        node = queue.pop(0)
        if id(node) in seen:
            continue
        seen.add(id(node))
        if node.reason:
            cut = True
            yield from sorted(node.reason)
        elif any(operation.requires for operation in node.inputs) and node.requires is False:
            cut = True
            yield from node.frames[-1:]
        else:
            queue.extend(node.inputs)
    if not cut:
        yield from (*root.bound[:1], *root.frames[-1:])


def _inputs_of(roots: Sequence[Recorded]) -> dict[int, Recorded]:
    """Return all that some tensors were computed from, and themselves."""
    found: dict[int, Recorded] = {}
    queue = list(roots)
    while queue and len(found) < MAX_VISITED:
        node = queue.pop()
        if id(node) not in found:
            found[id(node)] = node
            queue.extend(node.inputs)
    return found


def _unasked(root: Recorded) -> Iterator[Origin]:
    """Yield what cut a tensor off the graph in the making, else where it was made or bound."""
    yield from sorted(root.reason) or root.frames[-1:] or root.bound[:1]


def _path(root: Recorded) -> tuple[Value, ...]:
    """Return the places that bound a tensor of the graph, and those where its graph began."""
    begun: dict[Origin, None] = {}
    for node in _visited([root]):
        if not any(operation.requires for operation in node.inputs):
            begun.update(dict.fromkeys(node.frames[-3:-1] or node.frames[-1:]))
    bound = root.bound[-2:] or root.frames[-1:]
    return _at(bound), _at(list(begun)[:MAX_PLACES])


@MODELS.function(*(name for name in MODES if name != "torch.set_grad_enabled"))
def _context(_: Interpreter, call: Call) -> Value:
    return Value(LibraryObject(call.name, call.args, dict(call.keywords), call.place))
