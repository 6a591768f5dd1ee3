"""How calls are followed: of functions, methods, classes and libraries; what is iterated."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Literal

from dl_bug_lsp.interpretation import arrays, operators
from dl_bug_lsp.interpretation.callbacks import declared
from dl_bug_lsp.interpretation.libraries.python import builtins as builtin_models
from dl_bug_lsp.interpretation.libraries.python.written_text import forget
from dl_bug_lsp.interpretation.libraries.settings.commands import run_command
from dl_bug_lsp.interpretation.libraries.settings.gin import fields_with_bindings, with_bindings
from dl_bug_lsp.interpretation.libraries.settings.pydantic import fill, is_validated
from dl_bug_lsp.interpretation.libraries.torch.autocast import AUTOCAST, under_autocast
from dl_bug_lsp.interpretation.models import MODELS, Call, Model, keep_in
from dl_bug_lsp.interpretation.operators import NotPlain, alike, plain
from dl_bug_lsp.interpretation.run_state import (
    RunState,
    _last_line,
    _Return,
)
from dl_bug_lsp.interpretation.table_values import as_column
from dl_bug_lsp.interpretation.values import (
    ATTRIBUTE_TABLES,
    UNKNOWN,
    Array,
    BoundMethod,
    ClassValue,
    Deferred,
    Environment,
    FunctionValue,
    Instance,
    Lazy,
    Library,
    LibraryObject,
    Method,
    ModuleValue,
    Named,
    NumpyFloat,
    OneNumber,
    OneShot,
    Origin,
    Raised,
    Table,
    Value,
    merged,
    of_dtype,
    rest_of,
    typed_by,
    unknown,
)
from dl_bug_lsp.provenance.binder import open_ends
from dl_bug_lsp.provenance.scopes import called_name
from dl_bug_lsp.workspace.elements import expression_of, syntax_of

MAX_DEPTH = 40
MAX_RECURSION = 12
"""Calls of one function within itself that are followed."""
MAX_ROUNDS = 3_000
LONG_ROUND = 400
"""Steps of a round from which on a loop is followed for `FEW_ROUNDS` only."""
MAX_WHILE = 200
MODULE_FIELDS = {"name", "parent"}
"""Fields that every module of Flax has."""
FIELDLESS = {"object", "ABC", "Generic", "Protocol", "Module", "NamedTuple", "Dataset", "Exception"}
"""Classes of libraries, by their last name, that give a dataclass no fields."""
RECORDS = {"NamedTuple", "BaseModel", "flax.linen.Module", "equinox.Module"}
SIZED = (list, tuple, dict, set, str, bytes)
FEW_ROWS = 8
"""Rows of an array of JAX that are taken one by one."""
FORWARDS = ("forward", "call", "__call__")
"""Methods that calling an object of a class of a library runs."""
BEFORE, AFTER = "hooks before this", "hooks after this"
"""Under which names modules keep the functions that their calls call first and last."""
OF_UNKNOWN = {"open": "Path", "read_text": "Path", "to_csv": "table"}
"""Methods that tell what kind of object something is of which nothing else is known."""
"""Methods of paths; what has them and is not known is taken to be a path."""
MODEL_ERRORS = (
    *(LookupError, TypeError, ValueError, AttributeError, AssertionError),
    *(ArithmeticError, MemoryError),
)
"""What a model may stumble over where a program hands it what it was not written for."""
MAX_SIDES = 3
MOST_EVALUATED = 2_000
"""Characters of a text of the program's own that ``eval`` or ``exec`` is given."""
SUPER = "builtins.super()"
OF_POSITIONS = ("values", "array", "to_numpy", "unique", "factorize", "reshape", "ravel", "flatten")
"""Methods of columns that give arrays without labels."""
SHIFTING = {
    *("sum", "mean", "max", "min", "prod", "std", "var", "norm", "argmax", "argmin", "logsumexp"),
    *("median", "any", "all", "nansum", "nanmean", "amax", "amin", "cumsum", "average"),
    *(f"reduce_{name}" for name in ("sum", "mean", "max", "min", "prod", "any", "all")),
    *("squeeze", "unsqueeze", "expand_dims", "select", "take"),
}
"""Functions that take an axis away or put one in: where the others then stand is their doing."""
VIEWS = {
    *("reshape", "view", "ravel", "transpose", "T", "mT", "t", "swapaxes", "moveaxis", "permute"),
    *("squeeze", "unsqueeze", "expand_dims", "atleast_2d", "asarray", "as_tensor", "from_numpy"),
    *("numpy", "detach", "data", "narrow", "select", "expand", "broadcast_to", "flip", "real"),
    *("flatten", "diagonal", "values", "to_numpy", "movedim", "swapdims", "view_as"),
}
"""Functions, methods and attributes of arrays whose result shows the same memory, or may do so."""
UNWRITABLE = ("jax", "tensorflow", "python")
"""Libraries whose arrays are not changed."""
WRITING = {
    *("fill", "put", "partition", "sort", "itemset"),
    *("put_along_axis", "fill_diagonal", "place"),
}
"""Methods of arrays, and functions of NumPy, that write to their array and give nothing."""
STORING = ("fastcore.all.store_attr", "fastcore.basics.store_attr", "fastai.basics.store_attr")
"""Functions that make attributes of the arguments of the function that calls them (fastcore)."""
OF_LESS_BITS = ("numpy.float32", "numpy.float16", "numpy.single", "numpy.half")
"""Classes of NumPy's numbers that are no float64."""
TABLES = ATTRIBUTE_TABLES | {"AttrDict", "AttributeDict", "BatchEncoding", "NpzFile"}
"""Classes of libraries whose objects are tables of settings."""
NO_MAPPINGS = (bool, int, float, str, bytes, list, tuple, set, frozenset, Array)
"""Types of values that cannot be unpacked as keyword arguments."""
STOPPING = ast.ExceptHandler(ast.Name("StopIteration", ast.Load()), None, [])
"""What catches the end of an iterator."""
CATCHING = ast.ExceptHandler(ast.Name("Exception", ast.Load()), None, [])
"""What catches the exceptions of functions that a library checks values with."""
EXCEPTIONS = frozenset(
    name
    for name, kind in vars(builtins).items()
    if isinstance(kind, type) and issubclass(kind, BaseException)
)
UNBOUND = tuple(f"builtins.{kind}." for kind in ("dict", "list", "str", "set", "tuple", "object"))
"""How the names of methods begin that are called with their object as the first argument."""


class _Endless(Exception):
    """A generator has given as many items as are looked at."""


class _Leave(Exception):
    """A ``raise`` of the program itself, or ``sys.exit``."""

    def __init__(self, raised: Raised) -> None:
        super().__init__(raised.message)
        self.raised = raised


SHAPING = ("squeeze_", "unsqueeze_", "transpose_", "t_", "resize_")
"""Methods that change the shape of their tensor in place."""
KEEPING = ("requires_grad_", "detach_", *SHAPING)


def _forget_bounds(data: Array, name: str, result: Value) -> None:
    """Let an array that a method has changed in place have the bounds of what it gives."""
    if name.startswith("_") or name in KEEPING:
        return
    made = result.data if isinstance(result.data, Array) else None
    same = made is not None and made.dtype == data.dtype and name in ("clamp_", "clip_", "zero_")
    data.lowest = made.lowest if same and made is not None else None
    data.highest = made.highest if same and made is not None else None
    data.attained = False


class Calls(RunState):
    """Follows calls into functions, classes and the models of libraries."""

    def open_dict(self, value: Value, rest: Value) -> None:
        """Let a dictionary hold something under a key that is not known, for all that share it."""
        before = value.data
        operators.opened(value, rest)
        if type(before) is dict:
            self.opened[id(before)] = before, value

    def _filled(
        self, value: Value, args: tuple[Value, ...], keywords: Mapping[str, Value]
    ) -> Value | None:
        """Fill an object of a subclass of ``dict`` or ``list`` as its base's constructor does."""
        held = self.held_in(value)
        if held is None:
            return None
        name = "update" if isinstance(held.data, dict) else "extend"
        given = tuple(self.held_in(argument) or argument for argument in args)
        if given or keywords:
            call = Call(name, given, keywords, self.stack[-1], held)
            builtin_models.plain_method(self.interpreter, call)
        return Value(None)

    def _of_held(
        self,
        base: Value,
        held: Value,
        parts: Sequence[Value],
        slices: Sequence[tuple[Value | None, ...] | None],
    ) -> Value:
        try:
            return operators.indexed(held, parts, slices)
        except Raised as raised:
            missing = self.method_of(base, "__missing__")
            if raised.what != "key" or missing is None:
                raise
            return self.call(missing, tuple(parts), {}, self.stack[-1])

    def _call_of_unknown(
        self,
        callee: Value,
        args: tuple[Value, ...],
        keywords: Mapping[str, Value],
        node: ast.Call,
        env: Environment,
    ) -> Value | None:
        """Follow a call of what is not known, whose method may tell it; None where it does not."""
        method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        if method in CHANGING:
            self.disk.partly.add(".")
        if method in OF_UNKNOWN:
            owned = Method(Value(UNKNOWN, callee.origins), method)
            return self._call_method(owned, args, keywords, (env.file, node.lineno))
        return self._call_unknown(args, keywords, node, env.file)

    def _of_Call(self, node: ast.Call, env: Environment) -> Value:
        if isinstance(node.func, ast.Name) and node.func.id == "super":
            return self._super(env)
        callee = self.value(node.func, env)
        args: list[Value] = []
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                given = self.value(argument.value, env)
                if given.data is None or isinstance(given.data, (bool, int, float)):
                    raise Raised("type", "argument after * must be an iterable", given)
                items = self.iterate(given)
                if isinstance(items, Lazy):
                    columns = _columns(callee, node, items)
                    if columns is not None:
                        return columns
                    missing = self._missing(callee, len(args), node)
                    if missing is None:
                        return self._not_followed(callee, (items.item,))
                    args.extend(items.item for _ in range(missing))
                else:
                    args.extend(items)
            else:
                given = self.value(argument, env)
                args.append(_taken_over(callee, argument, given, (env.file, node.lineno)))
        keywords: dict[str, Value] = {}
        for keyword in node.keywords:
            value = self.value(keyword.value, env)
            if keyword.arg is not None:
                keywords[keyword.arg] = value
            elif isinstance((held := self.held_in(value) or value).data, dict):
                arrays.note_look_up(*held.data.values())
                keywords.update({str(k): v for k, v in held.data.items()})
            elif isinstance(value.data, LibraryObject) and value.data.short in TABLES:
                keywords.update(value.data.state)
            else:
                if value.data is None or isinstance(value.data, NO_MAPPINGS):
                    raise Raised("type", "argument after ** must be a mapping", value)
                return self._not_followed(callee, (value, *args))
        self.stack[-1] = (env.file, node.lineno)
        self._calling = node if self._values is not None else None
        if isinstance(callee.data, Library) and callee.data.name in (
            "builtins.locals",
            "builtins.vars",
        ):
            return self._names(callee.data.name, args, env)
        if isinstance(callee.data, Library) and callee.data.name in STORING:
            return _store_arguments(args, env)
        if isinstance(callee.data, Library) and callee.data.name == "builtins.globals":
            return self._names_of(_module_of(env))
        if isinstance(callee.data, Library) and callee.data.name == "builtins.exec" and args:
            return self._exec(args, env, node.lineno)
        if isinstance(callee.data, Library) and callee.data.name == "builtins.eval" and args:
            return self._eval(args, env, node.lineno)
        if callee.data is UNKNOWN and self.GUESSES:
            output = self._call_of_unknown(callee, tuple(args), keywords, node, env)
            if output is not None:
                return output
        place = (env.file, node.lineno)
        if not self._in_progress.is_other(place, node):
            return self.call(callee, tuple(args), keywords, place)
        self._in_progress.aside.append(place)
        try:
            return self.call(callee, tuple(args), keywords, place)
        finally:
            self._in_progress.aside.pop()

    def _exec(self, args: Sequence[Value], env: Environment, line: int) -> Value:
        """Follow the statements of the text that ``exec`` is given, in the scope of the call.

        Another dictionary as its scope gets the names; variables of a function stay as they are.
        The statements of a file of the workspace lie in that file, those of a text that the program
        composed on the line of the call.
        Source: Python's documentation of ``exec`` and ``locals``.
        """
        text, given = args[0], args[1].data if len(args) > 1 else None
        files = {file for file, _ in text.origins}
        file = next((f for f in files if self.workspace.text(f) == text.data), None)
        if file is not None:
            tree: ast.AST | None = self._executed(file)
        else:
            tree = _read(text.data, "exec", line) if isinstance(text.data, str) else None
        if not isinstance(tree, ast.Module) or len(self.stack) > MAX_DEPTH:
            return Value(None)
        names = given if isinstance(given, dict) else env.names
        outer = None if isinstance(given, dict) else env.outer
        before = dict(names)
        self.stack.append((env.file, line) if file is None else (file, 0))
        try:
            self.block(tree.body, Environment(names, outer, file or env.file, None))
        finally:
            self.stack.pop()
        if not isinstance(given, dict) and _is_local(env):
            names.update(before)
        # What chose the words of a text chose what its names stand for, too.
        for name, value in names.items() if file is None else ():
            if value is not before.get(name) and not isinstance(value.data, Deferred):
                names[name] = Value(value.data, merged(value, text))
        return Value(None)

    def _eval(self, args: Sequence[Value], env: Environment, line: int) -> Value:
        """Return what an expression in a text comes to, in the scope of the call or another."""
        text, scope = args[0], env
        if not isinstance(text.data, str):
            return unknown(*args)
        if len(self.stack) > MAX_DEPTH:
            return unknown(*args)
        for given in args[1:3]:
            if isinstance(given.data, dict):
                scope = Environment(given.data, scope if scope is not env else None, env.file)
        tree = _read(text.data.strip(), "eval", line)
        if not isinstance(tree, ast.Expression):
            return unknown(text)
        # A text may evaluate itself.
        self.stack.append((env.file, line))
        try:
            result = self.value(tree.body, scope)
        finally:
            self.stack.pop()
        # What chose the names in it has made it, too.
        return Value(result.data, merged(result, text))

    def _executed(self, file: str) -> ast.Module | None:
        """Return a file's statements, of one that is not named as Python, too."""
        tree = self.workspace.tree(file)
        if tree is None and not file.endswith(".py"):
            with suppress(SyntaxError, ValueError, RecursionError):
                tree = syntax_of(self.workspace.text(file) or "")
        return tree

    def _missing(self, callee: Value, given: int, node: ast.Call) -> int | None:
        """Return how many more positional arguments a function needs, None where not known."""
        data = callee.data
        receivers = 0
        if isinstance(data, BoundMethod):
            data, receivers = data.function, 1
        elif isinstance(data, ClassValue):
            start = self._member(data, "__init__")
            data, receivers = None if start is None else start.data, 1
        elif isinstance(data, Instance):
            members = (self._member(data.cls, name) for name in FORWARDS)
            start = next((member for member in members if member is not None), None)
            data, receivers = None if start is None else start.data, 1
        if not isinstance(data, FunctionValue):
            return None
        arguments = data.node.args
        names = [p.arg for p in (*arguments.posonlyargs, *arguments.args)][given + receivers :]
        named = {keyword.arg for keyword in node.keywords}
        return sum(name not in data.defaults and name not in named for name in names)

    def _not_followed(self, callee: Value, parts: Sequence[Value]) -> Value:
        """Return what a call gives whose arguments are not known one by one."""
        del callee
        return unknown(*parts)

    def _names(self, name: str, args: Sequence[Value], env: Environment) -> Value:
        if not args:
            return Value(dict(env.names))
        data = args[0].data
        if isinstance(data, (Instance, ClassValue, ModuleValue)):
            return self.interpreter.attribute(args[0], "__dict__", self.stack[-1])
        if isinstance(data, LibraryObject):
            is_record = data.short in ("Namespace", "SimpleNamespace")
            # What changes the dictionary of a namespace changes its attributes.
            return Value(data.state if is_record else dict(data.state), args[0].origins)
        return Value(UNKNOWN)

    def _super(self, env: Environment) -> Value:
        scope: Environment | None = env
        while scope is not None:
            receiver = scope.names.get("self", scope.names.get("cls"))
            owner = scope.owner
            if receiver is not None and owner is not None:
                state = {"self": receiver, "owner": Value(owner)}
                return Value(LibraryObject(SUPER, (), {}, (env.file, 0), state))
            scope = scope.outer
        return Value(UNKNOWN)

    def apply(self, model: Model, call: Call) -> Value:
        """Return what a model gives; unknown where it does not cope with what it was given."""
        if self.gradients is not None:
            self.gradients.check(self.stack, call)
        if self.disk.writes_text:
            _forget_handed_on(call)
        if model not in MODELS.numeric:
            call = _without_numbers(call)
        try:
            result = model(self.interpreter, call)
        except MODEL_ERRORS:
            return call.unknown()
        if (
            isinstance(result.data, Array)
            and call.receiver is None
            and _chooses_dtype(call, result.data)
        ):
            # The dtype is decided here, by an argument or by leaving it out.
            result = Value(result.data, result.origins | {of_dtype(call.place)})
        elif type(result.data) is Array and _decides_dtype(call, result.data):
            others = frozenset(origin for origin in result.origins if origin[1] >= 0)
            result = Value(result.data, others | {of_dtype(call.place)})
        result = typed_by(result, call.receiver, *call.args, *call.keywords.values())
        if isinstance(result.data, tuple) and isinstance(
            call.receiver and call.receiver.data, Array
        ):
            # That it is a tuple is decided here (``x.max(dim=1)``).
            result = Value(result.data, result.origins | {of_dtype(call.place)})
        if type(result.data) is Array and result.data.shape is not None:
            result = _with_sizes_made(result, call.place)
        if isinstance(result.data, LibraryObject) and (
            call.receiver is not None and result.data is call.receiver.data
        ):
            # That it is the object itself is decided here (``model.fit(x)``).
            result = Value(result.data, result.origins | {of_dtype(call.place)})
        if result.origins and call.name.rpartition(".")[2] in COUNTING and _is_one(result.data):
            # A number of data is made where it is taken, whatever the data come from.
            result = Value(result.data, merged(result, Value(None, frozenset({call.place}))))
        if type(result.data) is Array and call.name.rpartition(".")[2].lstrip("_") in SHIFTING:
            before = call.receiver or next(iter(call.args), None)
            result = arrays.shifted(before, result, call.place)
        _note_memory(call, result)
        if (
            type(result.data) is float
            and call.name.startswith("numpy.")
            and call.name not in OF_LESS_BITS
        ):
            result = NumpyFloat(result.data, result.origins)
        if self in AUTOCAST:
            result = under_autocast(self.interpreter, call.name, result)
        if self.gradients is None:
            return result
        return self.gradients.called(self.stack, call, result)

    def _recorded(self, name: str, result: Value, *parts: Value) -> Value:
        """Record in the graph of tensors what an operator gives."""
        if self.gradients is None:
            return result
        return self.gradients.made(name, parts, result, self.stack)

    def call(
        self, callee: Value, args: tuple[Value, ...], keywords: Mapping[str, Value], place: Origin
    ) -> Value:
        """Return what a call gives; raise where it is known to fail."""
        data = callee.data
        if isinstance(data, FunctionValue):
            if data.kind == "command":
                return run_command(self.interpreter, data, Call("command", args, keywords, place))
            return self._enter(data, args, keywords)
        if isinstance(data, BoundMethod):
            return self._enter(data.function, (data.receiver, *args), keywords)
        if isinstance(data, ClassValue):
            return self._instance(data, args, keywords, place)
        if isinstance(data, Instance):
            return self._call_instance(callee, data, args, keywords, place)
        if isinstance(data, Method):
            return self._call_method(data, args, keywords, place)
        if isinstance(data, Library):
            result = self._call_library(data.name, args, keywords, place)
            # What chose a class or function among others has made what it gives, too.
            if callee.origins and isinstance(result.data, (LibraryObject, Array)):
                result = Value(result.data, merged(result, callee))
            if callee.origins and isinstance(result.data, Array) and data.short in CREATING:
                marks = {of_dtype(chosen) for chosen in callee.origins if chosen[1] > 0}
                result = Value(result.data, result.origins | marks)
            return result
        if isinstance(data, LibraryObject):
            return self._call_object(callee, data, args, keywords, place)
        if data is None:
            raise Raised("none", "'NoneType' object is not callable", callee)
        if isinstance(data, (*operators.PLAIN, list, tuple, dict, set, Array, Table)):
            raise Raised("type", "object is not callable", callee)
        return unknown(callee, *args, *keywords.values())

    def _call_object(
        self,
        callee: Value,
        data: LibraryObject,
        args: tuple[Value, ...],
        keywords: Mapping[str, Value],
        place: Origin,
    ) -> Value:
        """Return what calling an object of a library's class gives, with the hooks that it has."""
        args = self._before_forward(callee, data.state, args, place)
        call = Call(data.name, args, keywords, place, callee)
        model = find_model(MODELS.objects, data.name)
        result = self.apply(model, call) if model is not None else self._not_modelled(call)
        return self._after_forward(callee, data.state, args, result, place)

    def _before_forward(
        self, module: Value, state: Mapping[str, Value], args: tuple[Value, ...], place: Origin
    ) -> tuple[Value, ...]:
        """Call the hooks of ``register_forward_pre_hook``; return what the module is called with.

        Source: PyTorch, ``Module.register_forward_pre_hook``.
        """
        for hook in _hooks(state, BEFORE):
            changed = self.call(hook, (module, Value(args, merged(*args))), {}, place)
            if changed.known and changed.data is not None:
                args = changed.data if isinstance(changed.data, tuple) else (changed,)
        return args

    def _after_forward(
        self,
        module: Value,
        state: Mapping[str, Value],
        args: tuple[Value, ...],
        result: Value,
        place: Origin,
    ) -> Value:
        """Call the hooks of ``register_forward_hook``; return what the module gives.

        Source: PyTorch, ``Module.register_forward_hook``.
        """
        for hook in _hooks(state, AFTER):
            given = (module, Value(args, merged(*args)), result)
            changed = self.call(hook, given, {}, place)
            if changed.known and changed.data is not None:
                result = changed
        return result

    def _call_unbound(self, name: str, call: Call) -> Value | None:
        """Return what a method gives that is taken from a library's class, with its object first.

        None where it is none, or no model of it is known.
        """
        around, _, last = name.rpartition(".")
        if not call.args or not around.rpartition(".")[2][:1].isupper():
            return None
        receiver = call.args[0]
        if not isinstance(receiver.data, (Instance, LibraryObject)):
            return None
        inner = Call(last, call.args[1:], call.keywords, call.place, receiver)
        model = MODELS.methods.get((around.rpartition(".")[2], last))
        if model is None and last in FORWARDS:
            model, inner.name = find_model(MODELS.objects, around), around
        return None if model is None else self.apply(model, inner)

    def _forward_of(self, receiver: Value, call: Call) -> Value | None:
        """Return what ``forward`` of a library's class gives, None where it has no model."""
        data = receiver.data
        names = [data.name] if isinstance(data, LibraryObject) else []
        if isinstance(data, Instance):
            names = self.library_bases(data.cls)
        for name in names if call.name in FORWARDS else ():
            model = find_model(MODELS.objects, name)
            if model is not None:
                inner = Call(name, call.args, call.keywords, call.place, receiver)
                return self.apply(model, inner)
        return None

    def _call_library(
        self, name: str, args: tuple[Value, ...], keywords: Mapping[str, Value], place: Origin
    ) -> Value:
        call = Call(name, args, keywords, place)
        model = find_model(MODELS.functions, name)
        if model is not None:
            return self.apply(model, call)
        unbound = self._call_unbound(name, call)
        if unbound is not None:
            return unbound
        last = name.rpartition(".")[2]
        if last in EXCEPTIONS and name == f"builtins.{last}":
            state = {"args": Value(args, merged(*args))}
            return Value(LibraryObject(name, args, dict(keywords), place, state), merged(*args))
        if name == "builtins.object.__new__" and args and isinstance(args[0].data, ClassValue):
            return Value(Instance(args[0].data, made=place))
        if args and name.startswith(UNBOUND) and name.count(".") == 2:
            if isinstance(args[0].data, Instance) and last == "__setattr__" and len(args) == 3:
                if isinstance(args[1].data, str):
                    args[0].data.attributes[args[1].data] = args[2]
                return Value(None)
            held = self.held_in(args[0])
            if held is not None:
                return self._call_held(args[0], held, Call(last, args[1:], keywords, place))
            return self._call_method(Method(args[0], last), args[1:], keywords, place)
        if last in ("__init__", "__init_subclass__", "__post_init__"):
            return Value(None)
        if last[:1].isupper() and name.partition(".")[0] != "builtins":
            return Value(LibraryObject(name, args, dict(keywords), place), merged(*args))
        return self._not_modelled(call)

    def _call_method(
        self, method: Method, args: tuple[Value, ...], keywords: Mapping[str, Value], place: Origin
    ) -> Value:
        receiver, name = method.receiver, method.name
        if isinstance(receiver.data, LibraryObject) and receiver.data.name == SUPER:
            return self._call_super(receiver.data, name, args, keywords, place)
        call = Call(name, args, keywords, place, receiver)
        model = MODELS.methods.get((kind_of(receiver), name))
        if model is not None:
            result = self.apply(model, call)
            if isinstance(receiver.data, Array) and name.endswith("_"):
                _forget_bounds(receiver.data, name, result)
                if name not in KEEPING:
                    receiver.data.note_written()
                if name in SHAPING and isinstance(result.data, Array):
                    receiver.data.shape = result.data.shape
            return result if name in OF_POSITIONS else as_column(result, receiver)
        given = self._forward_of(receiver, call)
        if given is not None:
            return given
        if isinstance(receiver.data, (Instance, ClassValue)):
            mixed = operators.as_mixed(receiver)
            if mixed is not receiver and hasattr(type(mixed.data), name):
                return self._call_method(Method(mixed, name), args, keywords, place)
            cls = receiver.data.cls if isinstance(receiver.data, Instance) else receiver.data
            model = self._inherited_model(cls, name)
            held = self.held_in(receiver) if model is None else None
            if held is not None and hasattr(type(held.data), name):
                return self._call_held(receiver, held, call)
            return self._not_modelled(call) if model is None else self.apply(model, call)
        if receiver.data is UNKNOWN and name in OF_UNKNOWN and self.GUESSES:
            return self.apply(MODELS.methods[OF_UNKNOWN[name], name], call)
        if isinstance(receiver.data, LibraryObject) or receiver.data is UNKNOWN:
            return self._not_modelled(call)
        return builtin_models.plain_method(self.interpreter, call)

    def _call_held(self, receiver: Value, held: Value, call: Call) -> Value:
        """Return what a method of ``dict`` or ``list`` gives for an object of a subclass."""
        args = tuple(self.held_in(argument) or argument for argument in call.args)
        if call.name == "__init__":
            return self._filled(receiver, args, call.keywords) or Value(None)
        if call.name == "__getitem__" and args:
            return self._of_held(receiver, held, args[:1], [None])
        if call.name == "__contains__" and args:
            return operators.compare(ast.In, args[0], held)
        if call.name == "__len__":
            return Value(len(held.data), receiver.origins) if isinstance(held.data, SIZED) else held
        if call.name == "__setitem__" and len(args) == 2:
            if isinstance(held.data, dict):
                with suppress(NotPlain, TypeError):
                    held.data[plain(args[0])] = args[1]
            return Value(None)
        asked = Call(call.name, args, call.keywords, call.place, held)
        return builtin_models.plain_method(self.interpreter, asked)

    def _inherited_attribute(self, base: Value, name: str, place: Origin) -> Value | None:
        """Return an attribute that an object has from a library's class, None where not known."""
        assert isinstance(base.data, Instance)
        for library in self.library_bases(base.data.cls):
            model = MODELS.attributes.get((library.rpartition(".")[2], name))
            if model is not None:
                attribute = self.apply(model, Call(name, (), {}, place, base))
                return attribute if attribute.known else None
        return None

    def _inherited_model(self, cls: ClassValue, name: str) -> Model | None:
        """Return the model of a method that a class has from a library's."""
        for base in self.library_bases(cls):
            model = MODELS.methods.get((base.rpartition(".")[2], name))
            if model is not None:
                return model
        return MODELS.methods.get(("instance", name)) if cls.is_dataclass else None

    def latest_of(self, cls: ClassValue) -> Value | None:
        """Return the object of a class of the program that was made last, None without one."""
        return self._instances.get((cls.file, cls.node.lineno))

    def method_of(self, value: Value, name: str) -> Value | None:
        """Return a method that a class of the program defines, None where it does not."""
        if not isinstance(value.data, Instance):
            return None
        member = self._member(value.data.cls, name)
        if member is None or not isinstance(member.data, FunctionValue):
            return None
        return Value(BoundMethod(member.data, value), value.origins)

    def most_arguments(self, callee: Value) -> int:
        """Return how many positional arguments a function of the program takes at most."""
        data, receivers = callee.data, 0
        if isinstance(data, BoundMethod):
            data, receivers = data.function, 1
        if not isinstance(data, FunctionValue):
            return MAX_DEPTH
        arguments = data.node.args
        if arguments.vararg is not None:
            return MAX_DEPTH
        return len(arguments.posonlyargs) + len(arguments.args) - receivers

    def called_back(self, call: Call) -> Value:
        """Return what a call of a library gives that may call the program back."""
        return self._not_modelled(call)

    def _not_modelled(self, call: Call) -> Value:
        """Follow the stack through a library that calls the program back; its result is unknown."""
        if self.gradients is not None:
            self.gradients.check(self.stack, call)
        if self.disk.writes_text:
            _forget_handed_on(call)
        own_place = self.stack[-1] if self.stack else call.place
        at = next((i for i, place in enumerate(self.order[:-1]) if place == own_place), None)
        if at is not None and own_place not in self._followed:
            self._followed.add(own_place)
            following = self.order[at + 1]
            given = [*call.args, *call.keywords.values()]
            given.extend([call.receiver] if call.receiver is not None else [])
            output = self._function_around(following, given)
            if output is not None:
                function, receiver = output
                self._enter(function, self._arguments_for(function, receiver, given), {})
        return call.unknown()

    def _function_around(
        self, place: Origin, given: Sequence[Value]
    ) -> tuple[FunctionValue, Value | None] | None:
        """Return the function among the given values and their methods that holds a place."""
        queue = list(given)
        for value in queue[:60]:
            data = value.data
            if isinstance(data, LibraryObject):
                queue.extend((*data.args, *data.keywords.values(), *data.state.values()))
            elif isinstance(data, (list, tuple)):
                queue.extend(data[:10])
            elif isinstance(data, (FunctionValue, BoundMethod)):
                bound = isinstance(data, BoundMethod)
                function = data.function if isinstance(data, BoundMethod) else data
                if _is_around(function, place):
                    return function, data.receiver if bound else None  # type: ignore[union-attr]
            elif isinstance(data, Instance):
                for cls in self.lineage(data.cls):
                    for member in cls.members.values():
                        if isinstance(member.data, FunctionValue) and _is_around(
                            member.data, place
                        ):
                            return member.data, value
        return None

    def _arguments_for(
        self, function: FunctionValue, receiver: Value | None, given: Sequence[Value]
    ) -> tuple[Value, ...]:
        """Return what a library may call a function with: a batch of its data first."""
        parameters = [*function.node.args.posonlyargs, *function.node.args.args]
        arguments = [] if receiver is None else [receiver]
        needed = parameters[len(arguments) : len(parameters) - len(function.node.args.defaults)]
        for number, parameter in enumerate(needed):
            if parameter.arg.endswith(("idx", "index", "step")):
                arguments.append(Value(0))
            else:
                arguments.append(self._batch(given) if number == 0 else Value(UNKNOWN))
        return tuple(arguments)

    def _batch(self, given: Sequence[Value]) -> Value:
        """Return a batch of the first loader that a library was given, unknown without one."""
        for value in given:
            data = value.data
            loader = value if isinstance(data, LibraryObject) and "Loader" in data.short else None
            if isinstance(data, Instance):
                method = self._member(data.cls, "train_dataloader")
                if method is not None and isinstance(method.data, FunctionValue):
                    setup = self._member(data.cls, "setup")
                    if setup is not None and isinstance(setup.data, FunctionValue):
                        self._enter(setup.data, (value, Value("fit")), {})
                    loader = self._enter(method.data, (value,), {})
            if loader is not None:
                items = self.iterate(loader)
                if isinstance(items, Lazy):
                    return items.item
                return items[0] if items else Value(UNKNOWN)
        return Value(UNKNOWN)

    def _call_super(
        self,
        proxy: LibraryObject,
        name: str,
        args: tuple[Value, ...],
        keywords: Mapping[str, Value],
        place: Origin,
    ) -> Value:
        owner, receiver = proxy.state["owner"].data, proxy.state["self"]
        assert isinstance(owner, ClassValue)
        own = receiver.data.cls if isinstance(receiver.data, Instance) else receiver.data
        order = self.lineage(own if isinstance(own, ClassValue) else owner)
        if owner not in order:
            order = self.lineage(owner)
        for base in order[order.index(owner) + 1 :]:
            member = base.members.get(name)
            if member is not None and isinstance(member.data, FunctionValue):
                return self._enter(member.data, (receiver, *args), keywords)
        if name == "__new__" and args and isinstance(args[0].data, ClassValue):
            made = Value(Instance(args[0].data, made=place))
            self._instances[args[0].data.file, args[0].data.node.lineno] = made
            if len(args) == 1 and not keywords:
                return made
            return self._built(made, args[0].data, Call(name, args[1:], keywords, place))
        asked = args[0].data if len(args) == 1 else None
        if name == "__getattr__" and isinstance(asked, str) and isinstance(receiver.data, Instance):
            # Modules keep their parts among the attributes: what is asked for here is none of them.
            held = receiver.data.attributes.get(asked)
            if held is not None:
                return held
            message = f"'{receiver.data.cls.name}' object has no attribute '{asked}'"
            raise Raised("attribute", message, receiver)
        for library in self.library_bases(owner):
            model = MODELS.methods.get((library.rpartition(".")[2], name))
            if model is not None:
                return self.apply(model, Call(name, args, keywords, place, receiver))
        if name == "__setattr__" and len(args) == 2 and isinstance(receiver.data, Instance):
            if isinstance(args[0].data, str):
                keep_in(receiver.data.attributes, args[0].data, args[1])
            return Value(None)
        forwarded = self._forward_of(receiver, Call(name, args, keywords, place, receiver))
        if forwarded is not None:
            return forwarded
        held = self.held_in(receiver)
        if held is not None and hasattr(type(held.data), name):
            return self._call_held(receiver, held, Call(name, args, keywords, place, receiver))
        return Value(None) if name.startswith("__init") else unknown(receiver, *args)

    def _call_instance(
        self,
        callee: Value,
        data: Instance,
        args: tuple[Value, ...],
        keywords: Mapping[str, Value],
        place: Origin,
    ) -> Value:
        if BEFORE in data.attributes or AFTER in data.attributes:
            args = self._before_forward(callee, data.attributes, args, place)
            result = self._forward(callee, data, args, keywords, place)
            return self._after_forward(callee, data.attributes, args, result, place)
        return self._forward(callee, data, args, keywords, place)

    def _forward(
        self,
        callee: Value,
        data: Instance,
        args: tuple[Value, ...],
        keywords: Mapping[str, Value],
        place: Origin,
    ) -> Value:
        own = self._member(data.cls, "__call__")
        if own is not None and isinstance(own.data, LibraryObject):
            return self.call(own, (callee, *args), keywords, place)
        # A ``forward`` of the program takes the place of its base's.
        inherits = own is None and self._member(data.cls, "forward") is None
        for base in self.library_bases(data.cls) if inherits else ():
            model = find_model(MODELS.objects, base)
            if model is not None:
                return self.apply(model, Call(base, args, keywords, place, callee))
        names = FORWARDS if own is None else ("__call__",)
        for name in names:
            member = self._member(data.cls, name)
            if member is not None and isinstance(member.data, FunctionValue):
                given = {k: v for k, v in keywords.items() if k != "training" or own is not None}
                if self.gradients is None:
                    return self._enter(member.data, (callee, *args), given)
                self.gradients.forwards.append(len(self.stack))
                try:
                    return self._enter(member.data, (callee, *args), given)
                finally:
                    self.gradients.forwards.pop()
        return unknown(callee, *args)

    def _instance(
        self,
        cls: ClassValue,
        args: tuple[Value, ...],
        keywords: Mapping[str, Value],
        place: Origin,
    ) -> Value:
        if self._is_enum(cls) and args:
            member = self._member_for(cls, args[0], "value")
            return unknown(*args) if member is None else member
        start = self.constructor_of(cls)
        new = self._member(cls, "__new__")
        if new is not None and isinstance(new.data, FunctionValue):
            made = self._enter(new.data, (Value(cls), *args), keywords)
            if isinstance(made.data, Instance) and made.data.cls is cls and start is not None:
                self._enter(start, (made, *args), keywords)
            return made
        made = Value(Instance(cls, made=place))
        self._instances[cls.file, cls.node.lineno] = made
        if start is not None:
            self._enter(start, (made, *args), keywords)
            return made
        return self._built(made, cls, Call(cls.name, args, keywords, place))

    def constructor_of(self, cls: ClassValue) -> FunctionValue | None:
        """Return the ``__init__`` that a class has, None where a decorator or a library gives it.

        That of a dataclass takes the place of its bases' (PEP 557).
        """
        for base in self.lineage(cls):
            start = base.members.get("__init__")
            if start is not None:
                return start.data if isinstance(start.data, FunctionValue) else None
            if any("dataclass" in ast.unparse(d) for d in base.node.decorator_list):
                return None
        return None

    def _built(self, made: Value, cls: ClassValue, call: Call) -> Value:
        """Fill an object of a class whose constructor is not written in the program."""
        args, keywords, place = call.args, call.keywords, call.place
        if is_validated(self.interpreter, cls):
            if args:
                raise Raised("arguments", f"{cls.name}() takes 1 positional argument", *args)
            fill(self.interpreter, made, cls, keywords)
            return made
        if cls.configurable:
            args, keywords = fields_with_bindings(self.interpreter, cls, args, keywords, place)
        if cls.is_dataclass or self._is_record(cls):
            self._fill(made, cls, args, keywords, place)
            return made
        if self._filled(made, args, keywords) is not None:
            return made
        for base in self.library_bases(cls):
            model = MODELS.methods.get((base.rpartition(".")[2], "__init__"))
            if model is not None and base.startswith("torch.nn."):
                self.apply(model, Call("__init__", args, keywords, place, made))
                break
            model = find_model(MODELS.functions, base)
            if model is not None:
                built = self.apply(model, Call(base, args, keywords, place))
                if isinstance(built.data, LibraryObject) and isinstance(made.data, Instance):
                    made.data.attributes.update(built.data.state)
                break
        return made

    def _is_record(self, cls: ClassValue) -> bool:
        """Whether a library makes the class's annotations the parameters of its constructor."""
        bases = self.library_bases(cls)
        return any(b in RECORDS or b.rpartition(".")[2] in RECORDS for b in bases)

    def _fill(
        self,
        made: Value,
        cls: ClassValue,
        args: tuple[Value, ...],
        keywords: Mapping[str, Value],
        place: Origin,
    ) -> None:
        """Set the fields of a dataclass (PEP 557)."""
        assert isinstance(made.data, Instance)
        fields = self.fields_of(cls)
        names = list(fields)
        if len(args) > len(names):
            raise Raised("arguments", "too many arguments", *args)
        given = dict(zip(names, args, strict=False))
        inherited: dict[str, Value] = {}
        with_fields = self._bases_with_fields(cls)
        for name, value in keywords.items():
            if name in MODULE_FIELDS and name not in fields and self._has_library_base(cls):
                made.data.attributes[name] = value
                continue
            if name in fields:
                given[name] = value
            elif with_fields:
                inherited[name] = value
            else:
                raise Raised("arguments", f"unexpected keyword argument '{name}'", Value(name))
        self._inherit(made, with_fields, inherited, place)
        for name, default in fields.items():
            field = given.get(name, default)
            if field is None:
                raise Raised("arguments", f"missing argument '{name}'", Value(name))
            made.data.attributes[name] = self._default(field)
        after = self._member(cls, "__post_init__")
        if after is not None and isinstance(after.data, FunctionValue):
            self._enter(after.data, (made,), {})

    def fields_of(self, cls: ClassValue) -> dict[str, Value | None]:
        """Return the fields of a dataclass with their defaults, None where there is none (PEP 557).

        Those of bases in libraries are not among them.
        """
        fields: dict[str, Value | None] = {}
        for base in reversed(self.lineage(cls)):
            for statement in base.node.body:
                if not isinstance(statement, ast.AnnAssign) or "ClassVar" in ast.unparse(
                    statement.annotation
                ):
                    continue
                if isinstance(statement.target, ast.Name):
                    fields[statement.target.id] = base.members.get(statement.target.id)
        return fields

    def has_fields_of_libraries(self, cls: ClassValue) -> bool:
        """Whether a dataclass has bases in libraries that may give it fields."""
        return bool(self._bases_with_fields(cls))

    def _bases_with_fields(self, cls: ClassValue) -> list[str]:
        """Return the bases of a dataclass in libraries, whose fields it takes as well (PEP 557)."""
        if not cls.is_dataclass:
            return []
        bases = self.library_bases(cls)
        return [base for base in bases if base.rpartition(".")[2] not in FIELDLESS]

    def _inherit(
        self, made: Value, bases: Sequence[str], given: Mapping[str, Value], place: Origin
    ) -> None:
        """Set the fields that a dataclass has from bases in libraries."""
        assert isinstance(made.data, Instance)
        for base in bases:
            model = find_model(MODELS.functions, base)
            built = None if model is None else self.apply(model, Call(base, (), given, place))
            if built is not None and isinstance(built.data, LibraryObject):
                made.data.attributes.update(built.data.state)
        made.data.attributes.update(given)

    def record(self, cls: ClassValue, fields: Mapping[str, Value], place: Origin) -> Value:
        """Return an object of a dataclass with its fields, the others as the class says."""
        made = Value(Instance(cls, dict(fields)))
        assert isinstance(made.data, Instance)
        for base in self.lineage(cls):
            for statement in base.node.body:
                if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                    name = statement.target.id
                    if name not in made.data.attributes and name in base.members:
                        made.data.attributes[name] = self._default(base.members[name])
        self._instances[cls.file, cls.node.lineno] = made
        return made

    def _default(self, value: Value) -> Value:
        data = value.data
        if isinstance(data, LibraryObject) and data.short in ("field", "Field"):
            if "default" in data.keywords:
                return data.keywords["default"]
            factory = data.keywords.get("default_factory")
            return self.call(factory, (), {}, data.made) if factory is not None else Value(UNKNOWN)
        return value

    def enter(
        self, function: FunctionValue, args: tuple[Value, ...], keywords: Mapping[str, Value]
    ) -> Value:
        """Return what the body of a function of the program comes to."""
        return self._enter(function, args, keywords)

    def caught(
        self, function: FunctionValue, args: tuple[Value, ...]
    ) -> tuple[Value, Raised | None]:
        """Return what a function gives, and what it raises where its caller catches that."""
        self._guards.append([CATCHING])
        try:
            return self._enter(function, args, {}), None
        except _Leave as end:
            return Value(UNKNOWN), end.raised
        finally:
            self._guards.pop()

    def member_of(self, cls: ClassValue, name: str) -> Value | None:
        """Return what a class of the program, or a base of it, has under a name."""
        return self._member(cls, name)

    def value_of_annotation(self, annotation: ast.expr, cls: ClassValue) -> Value:
        """Return what an annotation of a class stands for, unknown where it cannot be told."""
        scope = self.modules.get(cls.file)
        env = getattr(None if scope is None else scope.data, "environment", None)
        if env is None:
            return Value(UNKNOWN)
        with suppress(Raised):
            return self.value(annotation, env)
        return Value(UNKNOWN)

    def _enter(
        self, function: FunctionValue, args: tuple[Value, ...], keywords: Mapping[str, Value]
    ) -> Value:
        """Run a function's body with its parameters bound."""
        if len(self.stack) > MAX_DEPTH or self._recurs(function):
            return unknown(*args)
        caller = self.stack[-1] if self.stack else (function.file, 0)
        self.callees.setdefault(caller, {})[function.file, function.node.lineno] = None
        standing_in = self._standing_in(function, args, keywords)
        return self._run(function, args, keywords) if standing_in is None else standing_in

    def _recurs(self, function: FunctionValue) -> bool:
        """Whether a function calls itself so often that its end is mostly not known."""
        if len(self.entered) <= MAX_RECURSION:
            return False
        node = function.node
        return sum(entered.node is node for entered, _ in self.entered) > MAX_RECURSION

    def _run(
        self, function: FunctionValue, args: tuple[Value, ...], keywords: Mapping[str, Value]
    ) -> Value:
        node = function.node
        names = self._bound(function, args, keywords)
        env = Environment(names, function.closure, function.file, function.owner)
        if isinstance(node, ast.Lambda):
            return self._lambda(function, node, env)
        yields = self._is_generator(node)
        if yields:
            names["yielded values"] = Value([])
        self.stack.append((function.file, node.lineno))
        self._starts.append((node.lineno, _last_line(node)))
        self.reach.left_out.append(False)
        left_out = False
        self.entered.append((function, dict(names)))
        endless = False
        given = _iterators((*args, *keywords.values()))
        try:
            try:
                returned = self._body(node, env)
            except _Endless:
                returned, endless = None, True
            if self._must_repeat(env, (function.file, node.lineno)):
                # The run did come to a place in here: it took the blocks that lead there.
                _give_back(given)
                names.clear()
                names.update(self._bound(function, args, keywords))
                if yields:
                    names["yielded values"] = Value([])
                self._entering, before = True, self._entering
                try:
                    returned = self._body(node, env)
                finally:
                    self._entering = before
            if returned is not None and not yields:
                return returned
        finally:
            self._starts.pop()
            left_out = self.reach.left_out.pop()
            self.entered.pop()
            self.stack.pop()
        if function.gives_context:
            entered = names["yielded values"].data if yields else None
            return entered[0] if isinstance(entered, list) and entered else Value(UNKNOWN)
        if endless:
            items = _items(names["yielded values"])
            if isinstance(names["yielded values"].data, Lazy):
                return names["yielded values"]
            return Value(Lazy(alike(items), Value(UNKNOWN)), merged(*items))
        if not yields:
            # Where it is not known that nothing was returned, a message that is about it tells.
            is_open = left_out and "None" not in self.message
            return Value(UNKNOWN if is_open else None, self._ends_of(function))
        yielded = names["yielded values"]
        if isinstance(yielded.data, Lazy):
            return Value(yielded.data, yielded.origins)
        caller = self.stack[-1] if self.stack else None
        return Value(OneShot(_items(yielded), caller))

    def _lambda(self, function: FunctionValue, node: ast.Lambda, env: Environment) -> Value:
        # Its frame stands in the line of what fails, which need not be the first.
        line = self.target[1] if _is_around(function, self.target) else node.lineno
        self.stack.append((function.file, line))
        try:
            return self.value(node.body, env)
        except Raised as raised:
            raised.place = raised.place or self.stack[-1]
            raise
        finally:
            self.stack.pop()

    def _standing_in(
        self, function: FunctionValue, args: tuple[Value, ...], keywords: Mapping[str, Value]
    ) -> Value | None:
        """Return what a model gives for a method of a known package, None where it has none."""
        if function.owner is None or isinstance(function.node, ast.Lambda):
            return None
        model = MODELS.stand_ins.get(f"{function.owner.name}.{function.node.name}")
        if model is None:
            return None
        place = (function.file, function.node.lineno)
        return model(self.interpreter, Call(function.node.name, args, keywords, place))

    def follow_part(self, statements: Sequence[ast.stmt], env: Environment) -> None:
        """Follow statements of a file in a scope of its own."""
        if len(self.stack) > MAX_DEPTH:
            return
        self.stack.append((env.file, 0))
        try:
            self.block(statements, env)
        finally:
            self.stack.pop()

    def _is_generator(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
        yields = self._of_syntax.generators.get(node)
        if yields is None:
            yields = self._of_syntax.generators[node] = _yields(node)
        return yields

    def _ends_of(self, function: FunctionValue) -> frozenset[Origin]:
        """Return why a function comes to its end: the conditions around its ``return``s."""
        lines = self._of_syntax.ends.get(function.node)
        if lines is None:
            lines = self._of_syntax.ends[function.node] = _lines_of_ends(function.node)
        return frozenset((function.file, line) for line in lines)

    def _body(self, node: ast.FunctionDef | ast.AsyncFunctionDef, env: Environment) -> Value | None:
        """Follow a function's body; return what it returns, None where its end is come to."""
        switched = 0
        if self.gradients is not None:
            for decorator in node.decorator_list:
                mode = self._grad_mode(decorator, env)
                switched += self.gradients.enter(mode, (env.file, decorator.lineno))
        try:
            self.block(node.body, env)
        except _Return as end:
            return end.value
        finally:
            for _ in range(switched):
                assert self.gradients is not None
                self.gradients.leave()
        return None

    def _grad_mode(self, decorator: ast.expr, env: Environment) -> Value:
        """Return what a decorator stands for in the scope around its function."""
        try:
            mode = self.value(decorator, env.outer or env)
        except Raised:
            return Value(UNKNOWN)
        if isinstance(mode.data, Library):
            return Value(LibraryObject(mode.data.name, (), {}, (env.file, decorator.lineno)))
        return mode

    def _must_repeat(self, env: Environment, function: Origin) -> bool:
        """Whether a function that the stack leads to missed its place of the stack."""
        if not self.GUESSES or self._entering or function in self._repeated:
            return False
        if len(self.stack) < 2 or self.stack[-2] not in self.frames:
            return False
        if self.stack[-2] in self._in_progress.aside:
            return False
        place = self._missed(env)
        if place is None:
            return False
        at = self.order.index(place)
        if not at or self.order[at - 1] != self.stack[-2]:
            return False
        self._repeated.add(function)
        return True

    def _bound(
        self, function: FunctionValue, args: tuple[Value, ...], keywords: Mapping[str, Value]
    ) -> dict[str, Value]:
        if function.configurable:
            args, keywords = with_bindings(self.interpreter, function, args, keywords)
        arguments = function.node.args
        positional = [p.arg for p in (*arguments.posonlyargs, *arguments.args)]
        only = [p.arg for p in arguments.kwonlyargs]
        names = dict(zip(positional, args, strict=False))
        rest = args[len(positional) :]
        if arguments.vararg is not None:
            names[arguments.vararg.arg] = Value(tuple(rest))
        elif rest:
            raise Raised("arguments", "too many positional arguments", *rest)
        extra: dict[str, Value] = {}
        for name, value in keywords.items():
            if name in positional or name in only:
                names[name] = value
            elif arguments.kwarg is not None:
                extra[name] = value
            else:
                raise Raised(
                    "arguments", f"unexpected keyword argument '{name}'", Value(name), value
                )
        if arguments.kwarg is not None:
            names[arguments.kwarg.arg] = Value(dict(extra))
        for name in (*positional, *only):
            if name not in names:
                default = function.defaults.get(name)
                if default is None:
                    raise Raised("arguments", f"missing argument '{name}'", Value(name))
                names[name] = declared(default)
        return names

    def iterate(self, value: Value) -> list[Value] | Lazy:
        """Return the items that iterating gives, or a `Lazy` where they are not all known."""
        data = value.data
        if isinstance(data, OneShot):
            return self._used_up(value, data)
        if isinstance(data, (list, tuple)):
            return list(data)
        if isinstance(data, dict):
            if rest_of(data) is not None:
                key = Value(UNKNOWN, merged(value))
                return Lazy(key, key)
            return [operators.value_of(key, value.origins) for key in data]
        if isinstance(data, set):
            return [operators.value_of(item, value.origins) for item in sorted(data, key=repr)]
        if isinstance(data, str):
            return _letters(value, data)
        if isinstance(data, bytes) and len(data) <= operators.MAX_ITEMS:
            return [Value(number, value.origins) for number in data]
        if isinstance(data, Lazy):
            return data
        if isinstance(data, Array) and data.library == arrays.PYTHON:
            return Lazy(unknown(value), Value(UNKNOWN))
        if isinstance(data, Array):
            model = MODELS.methods.get(("array", "__iter__"))
            if model is not None:
                cells = self.apply(model, Call("__iter__", (), {}, self.stack[-1], value))
                if isinstance(cells.data, list):
                    return list(cells.data)
            if data.shape is None:
                return Lazy(Value(Array(None, data.dtype, data.library)), Value(UNKNOWN))
            if not data.shape:
                raise Raised("type", "iteration over a 0-d array", value)
            item = Array(
                data.shape[1:], data.dtype, data.library, data.device, data.lowest, data.highest
            )
            if data.columns_first:
                item.forget_bounds()
            if arrays.may_be_no_number(item):
                return Lazy(unknown(value), data.shape[0])
            each = self._recorded("__iter__", Value(item, value.origins), value)
            count = arrays.size(data.shape[0])
            if data.library == "jax" and count is not None and 0 < count <= FEW_ROWS:
                # Programs split keys for as many layers or weights as they name.
                return [Value(replace(item), each.origins) for _ in range(count)]
            return Lazy(each, data.shape[0])
        if isinstance(data, Table):
            return [Value(name, value.origins) for name in data.columns]
        if isinstance(data, LibraryObject):
            model = MODELS.methods.get((data.short, "__iter__"))
            if model is not None:
                call = Call("__iter__", (), {}, data.made, value)
                return self.iterate(self.apply(model, call))
            return Lazy(unknown(value), Value(UNKNOWN))
        if isinstance(data, Instance):
            return self._iterate_instance(value, data)
        if isinstance(data, ClassValue) and self._is_enum(data):
            return self._members_of(data)
        if data is None:
            raise Raised("none", "'NoneType' object is not iterable", value)
        if isinstance(data, (int, float, bool)):
            raise Raised("type", f"'{type(data).__name__}' object is not iterable", value)
        return Lazy(unknown(value), Value(UNKNOWN))

    def _used_up(self, value: Value, data: OneShot) -> list[Value]:
        """Take what an iterator has left; one that has nothing left comes from where it was made.

        The first place that iterated over it is where a new one was to be made.
        """
        items = list(data)
        place = self.stack[-1] if self.stack else None
        if items:
            data.clear()
            data.used = place
        elif data.used is not None and data.made is not None:
            file, line = data.used
            where = f"line {line}" if file == data.made[0] else f"{file}:{line}"
            why = f"what is made here can be iterated over once, and {where} did"
            arrays.note_reason(data.made, why)
            value.origins = frozenset({data.made})
        return items

    def _drained(self, following: Value) -> list[Value] | Lazy:
        """Return what calls of ``__next__`` give until it says that there is no more."""
        drained: list[Value] = []
        start = self.left
        self._guards.append([STOPPING])
        try:
            while len(drained) < MAX_WHILE and start - self.left <= LONG_ROUND:
                drained.append(self.call(following, (), {}, self.stack[-1]))
        except _Leave as end:
            if end.raised.message == "StopIteration":
                return drained
            raise
        finally:
            self._guards.pop()
        return Lazy(alike(drained), Value(UNKNOWN))

    def _is_tuple(self, cls: ClassValue) -> bool:
        """Whether the objects of a class are tuples with names."""
        return any(base.rpartition(".")[2] == "NamedTuple" for base in self.library_bases(cls))

    def _iterate_instance(self, value: Value, data: Instance) -> list[Value] | Lazy:
        if self._is_tuple(data.cls):
            return list(data.attributes.values())
        method = self._member(data.cls, "__iter__")
        if method is not None and isinstance(method.data, FunctionValue):
            given = self._enter(method.data, (value,), {})
            following = self.method_of(given, "__next__")
            if following is not None:
                return self._drained(following)
            if given.data is data:
                return Lazy(unknown(value), Value(UNKNOWN))
            return self.iterate(given)
        held = self.held_in(value)
        if held is not None:
            return self.iterate(held)
        inherited = self._inherited_model(data.cls, "__iter__")
        if inherited is not None:
            given = self.apply(inherited, Call("__iter__", (), {}, self.stack[-1], value))
            return (
                self.iterate(given)
                if given.data is not data
                else Lazy(unknown(value), Value(UNKNOWN))
            )
        method = self._member(data.cls, "__getitem__")
        if method is not None and isinstance(method.data, FunctionValue):
            length = Value(UNKNOWN)
            counted = self._member(data.cls, "__len__")
            if counted is not None and isinstance(counted.data, FunctionValue):
                length = self._enter(counted.data, (value,), {})
            if length.data == 0:
                return []
            return Lazy(self._enter(method.data, (value, Value(0)), {}), length)
        return Lazy(unknown(value), Value(UNKNOWN))

    def is_enumeration(self, value: Value) -> bool:
        """Whether a value is an enumeration of the program, or one of its members."""
        data = value.data.cls if isinstance(value.data, Instance) else value.data
        return isinstance(data, ClassValue) and self._is_enum(data)


CREATING = frozenset(
    [
        *("zeros", "ones", "full", "empty", "arange", "linspace", "eye", "identity", "tensor"),
        *("rand", "randn", "randint", "randperm", "zeros_like", "ones_like", "full_like"),
        *("empty_like", "array", "asarray", "as_tensor", "constant", "fill", "convert_to_tensor"),
        *("logspace", "fromiter", "FloatTensor", "LongTensor", "IntTensor", "Tensor"),
        "from_numpy",
    ]
)
"""Functions of libraries that make arrays of a dtype of their own."""


FILLED = frozenset(("zeros", "ones", "empty", "full", "arange", "rand", "randn"))
"""Those that are given the sizes of the array."""
COUNTING = frozenset(
    ("len", "max", "min", "amax", "amin", "nunique", "argmax", "sum", "count_nonzero")
)
"""Calls that make one number of many."""


def _read(text: str, mode: Literal["eval", "exec"], line: int) -> ast.AST | None:
    """Return the syntax of a text of the program's own as if it stood on a line, None of others."""
    if len(text) > MOST_EVALUATED:
        return None
    try:
        is_whole = mode == "exec"
        tree: ast.AST = syntax_of(text) if is_whole else ast.Expression(expression_of(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    for node in ast.walk(tree):
        if "lineno" in node._attributes:
            node.lineno = node.end_lineno = line  # type: ignore[attr-defined]
    return tree


def _is_one(data: object) -> bool:
    return type(data) is int or (isinstance(data, Array) and data.shape == ())


def _taken_over(callee: Value, argument: ast.expr, given: Value, place: Origin) -> Value:
    """Return an argument: the length of an array that is made as long as another is not new."""
    is_made = isinstance(callee.data, Library) and callee.data.name.rpartition(".")[2] in FILLED
    if not is_made or not isinstance(argument, ast.Call) or called_name(argument) != "len":
        return given
    others = given.origins - {place}
    return Value(given.data, others) if others and type(given) is Value else given


def _chooses_dtype(call: Call, made: Array) -> bool:
    """Whether a call makes an array of a dtype of its own; objects are not made of numbers."""
    if call.name.rpartition(".")[2] not in CREATING:
        return False
    data = call.args[0].data if call.args else None
    is_kept = made.dtype == "object" and isinstance(data, Array) and data.dtype == "object"
    return not is_kept or "dtype" in call.keywords


def _decides_dtype(call: Call, made: Array) -> bool:
    """Whether a call gives an array of a dtype that none of those has which it is given."""
    if made.dtype is None or made.library == arrays.PYTHON or made.shape == ():
        return False
    if call.held is not None:
        # The weights of a layer have a dtype of their own.
        return False
    given = (call.receiver, *call.args, *call.keywords.values())
    if any(value is not None and not value.known for value in given):
        return False
    held = [value.data for value in given if value is not None and isinstance(value.data, Array)]
    parts = [v.data for g in _lists_among(given) for v in g if isinstance(v.data, Array)]
    return bool(held or call.args) and all(
        data.dtype is not None and data.dtype != made.dtype for data in (*held, *parts)
    )


def _lists_among(given: Iterable[Value | None]) -> Iterator[Sequence[Value]]:
    """Yield the first items of the lists among arguments."""
    for value in given:
        if value is not None and isinstance(value.data, (list, tuple)):
            yield value.data[:4]


def _with_sizes_made(value: Value, place: Origin) -> Value:
    """Return an array of whose sizes each was made somewhere: what nothing explains, here."""
    data = value.data
    assert isinstance(data, Array) and data.shape is not None
    if all(dim.origins or not isinstance(dim.data, int) or dim.data == 1 for dim in data.shape):
        return value
    data.shape = tuple(
        dim if dim.origins or not isinstance(dim.data, int) else Value(dim.data, frozenset({place}))
        for dim in data.shape
    )
    return value


CHANGING = frozenset(
    ("mkdir", "touch", "write_text", "write_bytes", "unlink", "rmdir", "rename", "symlink_to")
)
"""Methods of paths that change which files there are."""
WRITERS = frozenset(
    ("write", "writelines", "print", "writer", "DictWriter", "dump", "safe_dump", "enter_context",
     "closing", "isinstance", "hasattr", "getattr", "setattr", "id", "append", "partial", "save")
)  # fmt: skip
"""Functions, by their last name, of which it is known what they write to files, if anything."""


def _forget_handed_on(call: Call) -> None:
    """Let nothing be known of a file of text that something may write to which is not modelled."""
    if call.name.rpartition(".")[2] in WRITERS:
        return
    for value in (*call.args, *call.keywords.values()):
        if isinstance(value.data, LibraryObject) and "written" in value.data.state:
            forget(value.data.state["written"])


def _store_arguments(args: Sequence[Value], env: Environment) -> Value:
    """Make attributes of an object of the arguments of its method, or of those that are named."""
    owner = env.names.get("self")
    wanted = args[0].data if args and isinstance(args[0].data, str) else None
    names = None if wanted is None else {name.strip() for name in wanted.split(",")}
    if owner is not None and isinstance(owner.data, Instance):
        for name, value in env.names.items():
            if name != "self" and (names is None or name in names):
                owner.data.attributes.setdefault(name, value)
    return Value(None)


def _note_memory(call: Call, result: Value) -> None:
    """Note that a result shows the memory of an array, or that an array was written to."""
    last = call.name.rpartition(".")[2]
    written = call.keywords.get("out")
    if written is not None and isinstance(written.data, Array):
        written.data.note_overwritten()
    if last not in VIEWS and last not in WRITING:
        return
    array = call.receiver or next(iter(call.args), None)
    data = None if array is None else array.data
    if not isinstance(data, Array) or data.library in UNWRITABLE:
        return
    if last in WRITING and result.data is None:
        data.note_overwritten()
    elif isinstance(result.data, Array) and last in VIEWS:
        data.share_memory(result.data)


def _without_numbers(call: Call) -> Call:
    """Return a call with numbers as unknown of which only the type is known."""
    given = (*call.args, *call.keywords.values(), call.receiver)
    if not any(map(arrays.is_number, given)):
        return call
    args = tuple(_not_known(value) for value in call.args)
    keywords = {name: _not_known(value) for name, value in call.keywords.items()}
    receiver = None if call.receiver is None else _not_known(call.receiver)
    return Call(call.name, args, keywords, call.place, receiver)


def _not_known(value: Value) -> Value:
    return OneNumber(UNKNOWN, value.origins) if arrays.is_number(value) else value


def _columns(callee: Value, node: ast.Call, rows: Lazy) -> Value | None:
    """Return what ``zip(*rows)`` gives where the rows are alike, None for another call."""
    is_zip = isinstance(callee.data, Library) and callee.data.name == "builtins.zip"
    cells = rows.item.data
    if not is_zip or len(node.args) > 1 or not isinstance(cells, (tuple, list)) or rows.others:
        return None
    return Value([Value(Lazy(cell, rows.length), cell.origins) for cell in cells])


def _items(value: Value | None) -> list[Value]:
    """Return the items of a list, none of what is no list."""
    return value.data if value is not None and isinstance(value.data, list) else []


def _module_of(env: Environment) -> Environment:
    """Return the scope of the module around a scope."""
    while env.outer is not None:
        env = env.outer
    return env


def _is_local(env: Environment) -> bool:
    """Whether a scope is that of a function's variables."""
    return env.outer is not None and (env.owner is None or env.names is not env.owner.members)


def kind_of(value: Value) -> str:
    """Return the kind of a receiver by which methods are modelled."""
    data = value.data
    if isinstance(data, Array):
        return "array"
    if isinstance(data, Table):
        return "table"
    if isinstance(data, LibraryObject):
        return data.short
    if isinstance(data, Instance):
        return "instance"
    return "tuple" if isinstance(data, Named) else type(data).__name__


def find_model(table: Mapping[str, Model], name: str) -> Model | None:
    """Return the model of a dotted name: by the whole, then without modules before its last name.

    What a module of a package defines is mostly known by the name that the package gives it.
    """
    model = table.get(name)
    around, _, last = name.rpartition(".")
    while model is None and "." in around:
        around = around.rpartition(".")[0]
        model = table.get(f"{around}.{last}")
    return model


def _iterators(values: Iterable[Value]) -> list[tuple[OneShot, list[Value]]]:
    """Return the iterators among values with what each has left."""
    return [(v.data, list(v.data)) for v in values if isinstance(v.data, OneShot)]


def _give_back(iterators: Iterable[tuple[OneShot, list[Value]]]) -> None:
    for iterator, left in iterators:
        iterator[:] = left


def _hooks(state: Mapping[str, Value], name: str) -> list[Value]:
    """Return the hooks that a module has, none where it has none."""
    held = state.get(name)
    data = None if held is None else held.data
    return list(data.values()) if isinstance(data, dict) else []


def _lines_of_ends(function: ast.AST) -> tuple[int, ...]:
    """Return the lines of the conditions around ``return`` statements, and of these.

    Without any they are those of the last statements, after which a ``return`` may be missing.
    """
    found: list[int] = []
    body: list[ast.stmt] = getattr(function, "body", [])
    own = [node for statement in body for node in own_nodes(statement)]
    if not any(isinstance(node, ast.Return) for node in own):
        return tuple(last.lineno for last in open_ends(body))[:MAX_SIDES]
    for node in own:
        if isinstance(node, ast.If):
            returns = [n for n in node.body if isinstance(n, ast.Return) and n.value is not None]
            found.extend(item.lineno for item in (node, *returns) if returns)
    return tuple(found[:MAX_SIDES])


def own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a statement and what is in it, without the bodies of functions and classes."""
    yield node
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
        for child in ast.iter_child_nodes(node):
            yield from own_nodes(child)


def _yields(node: ast.AST) -> bool:
    queue = list(ast.iter_child_nodes(node))
    while queue:
        inner = queue.pop()
        if isinstance(inner, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            queue.extend(ast.iter_child_nodes(inner))
    return False


def _is_around(function: FunctionValue, place: Origin) -> bool:
    node = function.node
    return function.file == place[0] and node.lineno <= place[1] <= (node.end_lineno or 0)


def _letters(value: Value, text: str) -> list[Value] | Lazy:
    """Return the letters of a text, which of a long one are not all kept."""
    if len(text) > operators.MAX_ITEMS:
        return Lazy(unknown(value), Value(len(text), value.origins))
    made = {letter: Value(letter, value.origins) for letter in set(text)}
    return [made[letter] for letter in text]
