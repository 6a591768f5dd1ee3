"""Environments of Gymnasium and Gym: their spaces, and what ``reset`` and ``step`` give.

Sources: Gymnasium's documentation ("Env", "Spaces", the pages of its environments), and Gym's
"Migration Guide" for the versions before 0.26.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.libraries.torch.tensors import dims_of
from dl_bug_lsp.interpretation.model_helpers import listed, nothing, thing
from dl_bug_lsp.interpretation.models import MODELS, Call, state_of
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    LibraryObject,
    Value,
    merged,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

SPACES: dict[str, tuple[int | tuple[int, ...], int | tuple[int, ...]]] = {
    "CartPole": ((4,), 2),
    "MountainCar": ((2,), 3),
    "MountainCarContinuous": ((2,), (1,)),
    "Pendulum": ((3,), (1,)),
    "Acrobot": ((6,), 3),
    "LunarLander": ((8,), 4),
    "LunarLanderContinuous": ((8,), (2,)),
    "BipedalWalker": ((24,), (4,)),
    "CarRacing": ((96, 96, 3), (3,)),
    "FrozenLake": (16, 4),
    "FrozenLake8x8": (64, 4),
    "Taxi": (500, 6),
    "CliffWalking": (48, 4),
    "Hopper": ((11,), (3,)),
    "HalfCheetah": ((17,), (6,)),
    "Walker2d": ((17,), (6,)),
    "Swimmer": ((8,), (2,)),
    "InvertedPendulum": ((4,), (1,)),
    "Reacher": ((11,), (2,)),
}
"""Observations and actions: a number of an environment's states, or the shape of an array."""
BYTES = ("CarRacing",)
WIDE = ("Hopper", "HalfCheetah", "Walker2d", "Swimmer", "InvertedPendulum", "Reacher")
LIBRARIES = ("gymnasium", "gym")
OF_MAKE = ("max_episode_steps", "autoreset", "apply_api_compatibility", "disable_env_checker")
"""What ``make`` takes for itself; the environment gets the other arguments."""


def _space(kind: int | tuple[int, ...], call: Call, dtype: str) -> Value:
    place = frozenset({call.place})
    if isinstance(kind, int):
        return thing("gymnasium.spaces.Discrete", call, n=Value(kind, place))
    shape = tuple(Value(n, place) for n in kind)
    made = Value(Array(shape, dtype, "numpy"), place)
    state = {"low": made, "high": made, "shape": Value(shape, place)}
    return thing("gymnasium.spaces.Box", call, **state)


REGISTERED: WeakKeyDictionary[Interpreter, dict[str, tuple[Value, Value | None]]] = (
    WeakKeyDictionary()
)
"""The entry points that a program registers for environments, with the arguments they get."""


@MODELS.function(
    *(
        f"{library}.{module}register"
        for library in LIBRARIES
        for module in ("", "envs.", "envs.registration.")
    )
)
def _register(interpreter: Interpreter, call: Call) -> Value:
    name, entry = call.given(0, "id"), call.given(1, "entry_point")
    if name is not None and isinstance(name.data, str) and entry is not None:
        known = REGISTERED.setdefault(interpreter, {})
        known[name.data] = (entry, call.keywords.get("kwargs"))
    return Value(None)


def _registered(interpreter: Interpreter, given: Value | None, call: Call) -> Value | None:
    """Return an environment of the program: its class called, or a name that it registered.

    A name may have the module before it that registers it (``"module:Name-v0"``).
    """
    name = given.data if given is not None else None
    if not isinstance(name, str):
        return None
    module, mark, short = name.rpartition(":")
    if mark and (file := interpreter.workspace.module_file(module, call.place[0])) is not None:
        interpreter.module(file, module)
    entry, kwargs = REGISTERED.get(interpreter, {}).get(short, (None, None))
    if entry is None:
        return None
    target = entry
    if isinstance(entry.data, str):
        module, _, short = entry.data.partition(":")
        file = interpreter.workspace.module_file(module, call.place[0])
        if file is None:
            return None
        target = interpreter.attribute(interpreter.module(file, module), short, call.place)
    fixed = kwargs.data if kwargs is not None and isinstance(kwargs.data, dict) else {}
    own = {name: value for name, value in call.keywords.items() if name not in OF_MAKE}
    return interpreter.call(target, (), {**fixed, **own}, call.place)


@MODELS.function(
    *(f"{library}.{module}make" for library in LIBRARIES for module in ("", "envs.registration."))
)
def _make(interpreter: Interpreter, call: Call) -> Value:
    given = call.given(0, "id")
    own = _registered(interpreter, given, call)
    if own is not None:
        return own
    name = given.data if given is not None and isinstance(given.data, str) else ""
    short = name.rpartition("/")[2].partition("-")[0]
    spaces = SPACES.get(short)
    state: dict[str, Value] = {"old": Value(call.name.startswith("gym."))}
    state["render_mode"] = call.keywords.get("render_mode", Value(None))
    if spaces is not None and not (short == "FrozenLake" and "desc" in call.keywords):
        dtype = "uint8" if short in BYTES else "float64" if short in WIDE else "float32"
        state["observation_space"] = _space(spaces[0], call, dtype)
        state["action_space"] = _space(spaces[1], call, "float32")
    return thing("gymnasium.Env", call, **state)


def drawn(space: Value | None) -> Value:
    """Return an element of a space, unknown of one that is not known."""
    data = None if space is None else space.data
    if not isinstance(data, LibraryObject):
        return Value(UNKNOWN)
    if data.short == "Discrete":
        count = size(data.state.get("n"))
        high = None if count is None else count - 1
        return Value(Array((), "int64", "numpy", None, 0, high), merged(space or Value(None)))
    if data.short == "Box":
        inner = data.state.get("low", Value(UNKNOWN)).data
        if isinstance(inner, Array):
            made = Array(inner.shape, inner.dtype, "numpy")
            return Value(made, merged(space or Value(None)))
    return Value(UNKNOWN)


def _observed(call: Call) -> Value:
    space = (state_of(call.receiver) or {}).get("observation_space")
    observation = drawn(space)
    if (
        isinstance(observation.data, Array)
        and observation.data.shape == ()
        and observation.data.dtype == "int64"
    ):
        # The states of tables are plain numbers.
        data = observation.data
        return arrays.number("int64", observation, lowest=data.lowest, highest=data.highest)
    return observation


@MODELS.method("Env", "reset")
def _reset(_: Interpreter, call: Call) -> Value:
    old = (state_of(call.receiver) or {}).get("old", Value(UNKNOWN)).data
    if old is not False:
        # Gym gave only the observation before version 0.26.
        return call.unknown()
    return Value((_observed(call), Value({})), frozenset({call.place}))


@MODELS.method("Env", "step")
def _step(_: Interpreter, call: Call) -> Value:
    old = (state_of(call.receiver) or {}).get("old", Value(UNKNOWN)).data
    reward = arrays.number("float64", *call.args)
    ended = arrays.number("bool", *call.args)
    if old is not False:
        return call.unknown()
    return Value((_observed(call), reward, ended, ended, Value({})), frozenset({call.place}))


MODELS.method("Env", "close")(nothing)


@MODELS.method("Env", "render")
def _rendered(_: Interpreter, call: Call) -> Value:
    """Return a picture where the environment was made to give one (Gymnasium, ``Env.render``)."""
    state = state_of(call.receiver) or {}
    mode = state.get("render_mode", Value(UNKNOWN))
    if mode.data == "rgb_array":
        sides = (Value(UNKNOWN), Value(UNKNOWN), Value(3))
        return Value(Array(sides, "uint8", "numpy"), mode.origins)
    is_shown = mode.data in (None, "human") and not call.args and not call.keywords
    return Value(None, mode.origins) if is_shown else call.unknown()


@MODELS.method("Env", "seed")
def _seeded(_: Interpreter, call: Call) -> Value:
    return Value([*call.args])


@MODELS.function(*(f"{library}.spaces.Discrete" for library in LIBRARIES))
def _discrete(_: Interpreter, call: Call) -> Value:
    return thing("gymnasium.spaces.Discrete", call, n=call.given(0, "n") or Value(UNKNOWN))


@MODELS.function(*(f"{library}.spaces.Box" for library in LIBRARIES))
def _box(interpreter: Interpreter, call: Call) -> Value:
    asked = call.given(2, "shape")
    low = call.given(0, "low")
    inner = None if low is None else low.data
    shape: tuple[Value, ...] | None = inner.shape if isinstance(inner, Array) else None
    if asked is not None and asked.data is not None:
        items = listed(interpreter, asked)
        shape = None if items is None else dims_of((Value(tuple(items), asked.origins),))
    wanted = call.given(3, "dtype")
    dtype = getattr(wanted.data, "name", "").rpartition(".")[2] if wanted is not None else "float32"
    made = Value(Array(shape, dtype or None, "numpy"), merged(*call.args))
    state = {"low": made, "high": made}
    if shape is not None:
        state["shape"] = Value(shape, made.origins)
    return thing("gymnasium.spaces.Box", call, **state)


@MODELS.method("Discrete", "sample")
@MODELS.method("Box", "sample")
def _sampled(_: Interpreter, call: Call) -> Value:
    return drawn(call.receiver)


MODELS.method("Discrete", "seed", "contains")(lambda _, call: call.unknown())
MODELS.method("Box", "seed", "contains")(lambda _, call: call.unknown())
