"""Python's operators as functions, and functions that take an item or an attribute.

Source: Python's documentation of ``operator``.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation import operators
from dl_bug_lsp.interpretation.libraries.python.collections import DefaultDict
from dl_bug_lsp.interpretation.model_helpers import thing
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.operators import binary, compare, truth
from dl_bug_lsp.interpretation.values import Array, Instance, LibraryObject, Raised, Value, merged

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

BINARY: dict[str, type[ast.operator]] = {
    "add": ast.Add,
    "sub": ast.Sub,
    "mul": ast.Mult,
    "truediv": ast.Div,
    "floordiv": ast.FloorDiv,
    "mod": ast.Mod,
    "pow": ast.Pow,
    "matmul": ast.MatMult,
    "and_": ast.BitAnd,
    "or_": ast.BitOr,
    "xor": ast.BitXor,
    "lshift": ast.LShift,
    "rshift": ast.RShift,
    "concat": ast.Add,
}
IN_PLACE = {f"i{name.rstrip('_')}": kind for name, kind in BINARY.items()}
COMPARING: dict[str, type[ast.cmpop]] = {
    "lt": ast.Lt,
    "le": ast.LtE,
    "gt": ast.Gt,
    "ge": ast.GtE,
    "eq": ast.Eq,
    "ne": ast.NotEq,
    "is_": ast.Is,
    "is_not": ast.IsNot,
}


@MODELS.numbers
@MODELS.function(*(f"operator.{name}" for name in (*BINARY, *IN_PLACE)))
def _operated(interpreter: Interpreter, call: Call) -> Value:
    name = call.name.rpartition(".")[2]
    if len(call.args) != 2:
        return call.unknown()
    kind = BINARY.get(name) or IN_PLACE[name]
    return interpreter.operated(kind, *call.args, call.place)


@MODELS.numbers
@MODELS.function(*(f"operator.{name}" for name in COMPARING))
def _compared(_: Interpreter, call: Call) -> Value:
    if len(call.args) != 2 or any(isinstance(arg.data, Instance) for arg in call.args):
        return call.unknown()
    return compare(COMPARING[call.name.rpartition(".")[2]], *call.args)


@MODELS.function("operator.contains")
def _contains(_: Interpreter, call: Call) -> Value:
    if len(call.args) != 2 or isinstance(call.args[0].data, (Instance, LibraryObject)):
        return call.unknown()
    return compare(ast.In, call.args[1], call.args[0])


@MODELS.function("operator.not_", "operator.truth")
def _truth(_: Interpreter, call: Call) -> Value:
    known = truth(call.args[0]) if call.args else None
    if known is None:
        return call.unknown()
    return Value(known != call.name.endswith("not_"), merged(*call.args))


@MODELS.numbers
@MODELS.function("operator.neg", "operator.pos", "operator.abs", "operator.index")
def _signed(_: Interpreter, call: Call) -> Value:
    name = call.name.rpartition(".")[2]
    given = call.args[0] if call.args else None
    if given is None:
        return call.unknown()
    if isinstance(given.data, Array) and name == "neg":
        return binary(ast.Mult, given, Value(-1))
    if not isinstance(given.data, (int, float)):
        return call.unknown()
    if name == "index":
        if isinstance(given.data, float):
            raise Raised("type", "'float' object cannot be interpreted as an integer", given)
        return given
    changed = {"neg": -given.data, "pos": +given.data, "abs": abs(given.data)}
    return Value(changed[name], given.origins)


# --- items and attributes -------------------------------------------------------------------------


@MODELS.function("operator.getitem")
def _item(interpreter: Interpreter, call: Call) -> Value:
    return _taken(interpreter, call, *call.args) if len(call.args) == 2 else call.unknown()


def _taken(interpreter: Interpreter, call: Call, base: Value, key: Value) -> Value:
    """Return an item; of what a class or a library holds, what its ``__getitem__`` gives."""
    method = interpreter.method_of(base, "__getitem__")
    if method is not None:
        return interpreter.call(method, (key,), {}, call.place)
    if isinstance(base.data, DefaultDict) and isinstance(key.data, operators.PLAIN):
        return base.data[key.data]
    if isinstance(base.data, (Instance, LibraryObject)):
        return Call(call.name, (base, key), {}, call.place).unknown()
    return operators.indexed(base, [key], [None])


@MODELS.function("operator.itemgetter", "operator.attrgetter", "operator.methodcaller")
def _getter(_: Interpreter, call: Call) -> Value:
    return thing(call.name, call)


def _getting(call: Call) -> tuple[tuple[Value, ...], Value] | None:
    """Return what a getter was made with, and the object that it is called with."""
    given, held = call.given(0), call.held
    return None if held is None or not held.args or given is None else (held.args, given)


@MODELS.object("operator.itemgetter")
def _call_itemgetter(interpreter: Interpreter, call: Call) -> Value:
    getting = _getting(call)
    if getting is None:
        return call.unknown()
    items = tuple(_taken(interpreter, call, getting[1], key) for key in getting[0])
    return items[0] if len(items) == 1 else Value(items, merged(*items))


@MODELS.object("operator.attrgetter")
def _call_attrgetter(interpreter: Interpreter, call: Call) -> Value:
    getting = _getting(call)
    if getting is None or not all(isinstance(name.data, str) for name in getting[0]):
        return call.unknown()
    found = []
    for path in getting[0]:
        value = getting[1]
        for name in str(path.data).split("."):
            value = interpreter.attribute(value, name, call.place)
        found.append(value)
    return found[0] if len(found) == 1 else Value(tuple(found), merged(*found))


@MODELS.object("operator.methodcaller")
def _call_methodcaller(interpreter: Interpreter, call: Call) -> Value:
    getting, held = _getting(call), call.held
    if getting is None or held is None or not isinstance(getting[0][0].data, str):
        return call.unknown()
    method = interpreter.attribute(getting[1], getting[0][0].data, call.place)
    return interpreter.call(method, getting[0][1:], held.keywords, call.place)
