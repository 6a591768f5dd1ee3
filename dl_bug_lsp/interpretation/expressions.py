"""How expressions are followed: names, attributes, operators, containers, subscripts."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass
from typing import Any

from dl_bug_lsp.interpretation import arrays, loops, opaque_packages, operators
from dl_bug_lsp.interpretation import matrix_values as grids
from dl_bug_lsp.interpretation import table_values as cells
from dl_bug_lsp.interpretation.calls import (
    MAX_DEPTH,
    MAX_ROUNDS,
    SIZED,
    TABLES,
    Calls,
    _Leave,
    kind_of,
)
from dl_bug_lsp.interpretation.estimator_parameters import PARAMETERS
from dl_bug_lsp.interpretation.libraries.python import builtins as builtin_models
from dl_bug_lsp.interpretation.libraries.python.environment import set_variable
from dl_bug_lsp.interpretation.libraries.python.introspection import (
    MEMBERS,
    OF_PYTHON,
    RECENT,
    order_of,
)
from dl_bug_lsp.interpretation.libraries.python.standard_library import CONSTANTS
from dl_bug_lsp.interpretation.libraries.settings.commands import flag_of
from dl_bug_lsp.interpretation.libraries.torch.autocast import AUTOCAST, under_autocast
from dl_bug_lsp.interpretation.libraries.torch.tensors import Stored
from dl_bug_lsp.interpretation.loops import few_origins, few_places
from dl_bug_lsp.interpretation.models import MODELS, Call, Model, keep_in
from dl_bug_lsp.interpretation.operators import NotPlain, alike, plain, typical
from dl_bug_lsp.interpretation.run_state import Exhausted
from dl_bug_lsp.interpretation.values import (
    ATTRIBUTE_TABLES,
    NOWHERE,
    UNKNOWN,
    Array,
    BoundMethod,
    ClassValue,
    Deferred,
    Environment,
    FunctionValue,
    Instance,
    JsonText,
    Lazy,
    Library,
    LibraryObject,
    Method,
    ModuleValue,
    Named,
    OneShot,
    OpenDict,
    Ordered,
    Origin,
    Raised,
    Table,
    Value,
    Words,
    merged,
    read_as_text,
    rest_of,
    typed_by,
    unknown,
)
from dl_bug_lsp.provenance.folding import formatted
from dl_bug_lsp.workspace.locating import folder_names

MAKING = {
    *(ast.BinOp, ast.Call, ast.Subscript, ast.JoinedStr, ast.List, ast.Tuple, ast.Dict, ast.Set),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
}
MOST_STARRED = 16
"""Items that a starred target gets one by one; more are known by one of them."""
FEW_OF_MANY = 16
"""Rounds of a comprehension that are followed where all of them would take too many steps."""
EAGER_MODULES = 60
"""Modules of the workspace that are followed where they are imported, later ones where used."""
HELD_BY_NAME = ATTRIBUTE_TABLES | {"DataFrame"}
"""Classes of libraries whose objects have what they hold as attributes, too."""
GENERIC = {"list", "dict", "tuple", "set", "frozenset", "type"}
OPERATORS = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.MatMult: "matmul",
    ast.BitAnd: "and",
    ast.BitOr: "or",
}
COMPARING = {
    ast.Eq: ("eq", "eq"),
    ast.NotEq: ("ne", "ne"),
    ast.Lt: ("lt", "gt"),
    ast.LtE: ("le", "ge"),
    ast.Gt: ("gt", "lt"),
    ast.GtE: ("ge", "le"),
}
"""The methods by which objects are compared, of the left one and of the right one."""
OF_IDENTITY = {"object", "ABC", "Generic", "Protocol", "Enum", "Module", "Dataset"}
"""Bases in libraries, by their last name, that leave it to objects to be equal to themselves."""
BUILT_IN_DECORATORS = {"setter", "getter", "deleter"}
REGISTRARS = {
    *("hydra.main", "click.registrar", "typer.registrar"),
    *("click.command", "click.group", "rich_click.command", "rich_click.group"),
    *("gin.configurable", "gin.register", "gin.config.configurable", "gin.config.register"),
    *("gin.constants_from_enum", "gin.config.constants_from_enum"),
}
"""Decorators of libraries that change what calling the function does."""
TRANSFORMING = {
    f"{root}.{prefix}{name}"
    for root, prefix in (("jax", ""), ("flax.nnx", ""), ("equinox", "filter_"))
    for name in ("grad", "value_and_grad", "vmap")
}
"""Decorators that give another function: its derivative, or itself for each row."""
SAME_MODULES = {"autograd.numpy": "numpy", "cupy": "numpy"}
"""Modules that have the functions of another one under the same names."""
OF_SCALARS = frozenset(
    [
        *("item", "tolist", "copy", "astype", "dtype", "shape", "ndim", "size", "sum", "mean"),
        "numpy",
    ]
)
"""What NumPy's scalars and TensorFlow's have and Python's numbers have not."""
FLOATS = ("float", "bfloat", "complex")
"""How the dtypes begin whose numbers have no bits to turn."""
RECORDED = {"Namespace", "SimpleNamespace", "DictConfig", "CfgNode"}
"""Classes of libraries whose attributes are all known."""
PLAIN_BASES = {f"builtins.{kind.__name__}": kind for kind in (dict, list, str, set, tuple)}
PENDING = Value(UNKNOWN)
"""What a name stands for while its import is followed."""
LACKING = ast.ExceptHandler(ast.Name("Exception", ast.Load()), None, [])


@dataclass(frozen=True, slots=True)
class Question:
    """What a test asks, whether it asks so without a negation, and the values of its key.

    The values are told apart by their identity, so they are kept.
    """

    key: tuple[object, ...]
    positive: bool
    held: tuple[Value, ...]


class Expressions(Calls):
    """Follows expressions."""

    def _decorated(
        self, made: Value, node: ast.FunctionDef | ast.ClassDef, env: Environment
    ) -> Value:
        """Return what the workspace's own decorators make of a function or class.

        Those of libraries mostly hand on what they get.
        """
        for decorator in reversed(node.decorator_list):
            if isinstance(decorator, ast.Attribute) and decorator.attr in BUILT_IN_DECORATORS:
                continue
            try:
                applied = self.value(decorator, env)
                data = applied.data
                is_main = isinstance(data, (Library, LibraryObject)) and data.name in REGISTRARS
                is_main = is_main or (env.owner is None and _transforms(applied))
                is_own = isinstance(data, (FunctionValue, BoundMethod)) or _is_partial(applied)
                if not is_main and not is_own:
                    continue
                result = self.call(applied, (made,), {}, (env.file, decorator.lineno))
            except Raised:
                continue
            # One that forgets to return leaves nothing under the name.
            if (
                is_main
                or result.data is None
                or isinstance(result.data, (FunctionValue, BoundMethod, ClassValue))
            ):
                made = result
        return made

    def _function(self, node: ast.FunctionDef | ast.Lambda, env: Environment) -> Value:
        defaults: dict[str, Value] = {}
        arguments = node.args
        positional = [*arguments.posonlyargs, *arguments.args]
        given = arguments.defaults
        for parameter, default in zip(
            positional[len(positional) - len(given) :], given, strict=True
        ):
            defaults[parameter.arg] = self.value(default, env)
        for parameter, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
            if value is not None:
                defaults[parameter.arg] = self.value(value, env)
        kind = ""
        decorators = getattr(node, "decorator_list", [])
        named = [ast.unparse(decorator).rpartition(".")[2] for decorator in decorators]
        for name in named:
            if name in ("property", "cached_property", "staticmethod", "classmethod", "setter"):
                kind = "property" if name == "cached_property" else name
        gives_context = "contextmanager" in named or "asynccontextmanager" in named
        owner = env.owner
        function = FunctionValue(node, env, env.file, defaults, owner, kind, gives_context)
        self._functions[env.file, node.lineno] = function
        return Value(function)

    def _deferred(self, module: str, name: str | None, importer: str) -> Value | None:
        """Return a stand-in for what a module of the workspace gives when it is first used.

        None where the import is followed at once: while few modules are, and for libraries. What
        a known package imports changes nothing else, and is never followed at once.
        """
        if not self.GUESSES:
            return None
        file = self.workspace.module_file(module, importer)
        if file is None:
            return None
        if len(self.modules) < EAGER_MODULES and not opaque_packages.is_known(file):
            return None
        return Value(Deferred(module, name, importer))

    def _resolved(self, names: dict[str, Value], name: str) -> Value:
        """Return what a name stands for; a deferred import is followed now."""
        value = names[name]
        data = value.data
        if not isinstance(data, Deferred):
            return value
        names[name] = PENDING
        try:
            made = self._imported(data.module, data.importer)
            if data.name is not None:
                made = self._from(made, data.module, data.name, data.importer)
        except (_Leave, Raised):
            made = Value(UNKNOWN)
        names[name] = made
        return made

    def _names_of(self, module: Environment) -> Value:
        """Return the dictionary of a module's names, with what all of its imports stand for."""
        for name in list(module.names):
            self._resolved(module.names, name)
        return Value(module.names)

    def _imported(self, module: str, importer: str) -> Value:
        file = self.workspace.module_file(module, importer)
        if file is not None:
            return self.module(file, module.lstrip("."))
        name = module.lstrip(".")
        return Value(Library(SAME_MODULES.get(name, name)))

    def _from(self, module_value: Value, module: str, name: str, importer: str) -> Value:
        if isinstance(module_value.data, ModuleValue):
            names = module_value.data.environment.names
            if name in names and names[name] is not PENDING:
                return self._resolved(names, name)
            # A package that imports its own module (``from . import layers``) has it as a file.
            joined = f"{module}{name}" if module.endswith(".") else f"{module}.{name}"
            file = self.workspace.module_file(joined, importer)
            return self.module(file, joined) if file is not None else Value(UNKNOWN)
        if not isinstance(module_value.data, Library):
            return Value(UNKNOWN)
        joined = f"{module}{name}" if module.endswith(".") else f"{module}.{name}"
        file = self.workspace.module_file(joined, importer)
        if file is not None:
            return self.module(file, joined)
        dotted = f"{module_value.data.name}.{name}"
        dotted = SAME_MODULES.get(dotted, dotted)
        return Value(CONSTANTS[dotted] if dotted in CONSTANTS else Library(dotted))

    def _note_bound(self, target: ast.Name, value: Value, scope: Environment) -> None:
        """Remember where a module's name was bound to a number, and where to another one."""
        place, key = (scope.file, target.lineno), (scope.file, target.id)
        former, before = scope.names.get(target.id), self.comparisons.named.get(key)
        if type(value.data) is not int and value.data is not UNKNOWN:
            self.comparisons.named.pop(key, None)
            return
        held = None if former is None else former.data
        if before is not None and before != place and type(held) is int and held != value.data:
            self.comparisons.rebound.append((place, before, target.id, held))
        self.comparisons.named[key] = place

    def assign(self, target: ast.expr, value: Value, env: Environment) -> None:
        """Bind a target: a name, an attribute, an item, or several."""
        if self.gradients is not None:
            self.gradients.bound(value, (env.file, target.lineno))
        if isinstance(target, ast.Name):
            if isinstance(value.data, Library) and not value.origins:
                value = Value(value.data, frozenset({(env.file, target.lineno)}))
            scope = scope_bound(target.id, env)
            if scope.outer is None:
                self._note_bound(target, value, scope)
            scope.names[target.id] = value
        elif isinstance(target, ast.Attribute):
            owner = self.value(target.value, env)
            if isinstance(owner.data, Instance):
                self._set(owner, owner.data, target.attr, value, (env.file, target.lineno))
            elif isinstance(owner.data, (LibraryObject, ClassValue)):
                self.set_attribute(owner, target.attr, value, (env.file, target.lineno))
            elif isinstance(owner.data, Table):
                call = Call(target.attr, (value,), {}, self.stack[-1], owner)
                self.apply(MODELS.methods["table", "__setattr__"], call)
            elif isinstance(owner.data, Stored) and target.attr == "requires_grad":
                owner.data.needs = value.data if isinstance(value.data, bool) else None
            if isinstance(owner.data, Array) and target.attr == "data":
                _replace_data(owner.data, value)
            elif isinstance(owner.data, Array) and target.attr == "shape":
                place = (env.file, target.lineno)
                reshaped = self.apply(
                    MODELS.methods["array", "reshape"], Call("reshape", (value,), {}, place, owner)
                )
                if isinstance(reshaped.data, Array):
                    owner.data.forget_contents()
                    owner.data.shape = reshaped.data.shape
            if isinstance(owner.data, Array) and self.gradients is not None:
                place = (env.file, target.lineno)
                sure = not self._tests
                self.gradients.assigned(owner, target.attr, value, place, sure=sure)
            if owner.data is None:
                raise Raised("none", "'NoneType' object has no attribute", owner)
        elif isinstance(target, ast.Subscript):
            self._store(target, value, env)
        elif isinstance(target, (ast.Tuple, ast.List)):
            self._unpack(target.elts, value, env)
        elif isinstance(target, ast.Starred):
            self.assign(target.value, value, env)

    def set_attribute(self, owner: Value, name: str, value: Value, place: Origin) -> None:
        """Set an attribute of an object, by what its class says of it."""
        if isinstance(owner.data, Instance):
            self._set(owner, owner.data, name, value, place)
        elif isinstance(owner.data, LibraryObject):
            model = MODELS.methods.get((owner.data.short, "__setattr__"))
            if model is None:
                keep_in(owner.data.state, name, value)
            else:
                self.apply(model, Call("__setattr__", (Value(name), value), {}, place, owner))
        elif isinstance(owner.data, ClassValue):
            owner.data.members[name] = value
        elif isinstance(owner.data, ModuleValue):
            owner.data.environment.names[name] = value

    def _set(self, owner: Value, data: Instance, name: str, value: Value, place: Origin) -> None:
        """Set an attribute, by a property or ``__setattr__`` of the class where it has one."""
        if name == "__dict__" and isinstance(value.data, dict):
            data.attributes = value.data
            return
        own = self._shared(owner, data)
        if own is not None:
            own[name] = value
            return
        setter = self.method_of(owner, f"{name} setter")
        if setter is not None:
            self.call(setter, (value,), {}, place)
            return
        member = self._member(data.cls, "__setattr__")
        held = self.held_in(owner) if member is not None else None
        if member is None or len(self.stack) > MAX_DEPTH:
            keep_in(data.attributes, name, value)
        elif isinstance(member.data, FunctionValue):
            self._enter(member.data, (owner, Value(name), value), {})
        elif held is not None and isinstance(held.data, dict):
            held.data[name] = value

    def _store(self, target: ast.Subscript, value: Value, env: Environment) -> None:
        base = self.value(target.value, env)
        data = base.data
        if self.gradients is not None:
            self.gradients.changed(base)
        if isinstance(data, Array):
            self._store_part(base, data, target, value, env)
            return
        key = self.value(target.slice, env)
        if isinstance(data, Instance):
            setting = self.method_of(base, "__setitem__")
            held = self.held_in(base)
            if setting is not None:
                self.call(setting, (key, value), {}, (env.file, target.lineno))
            elif held is not None and isinstance(held.data, dict):
                with suppress(NotPlain, TypeError):
                    held.data[plain(key)] = value
            else:
                model = self._inherited_model(data.cls, "__setitem__")
                if model is not None:
                    self.apply(model, Call("__setitem__", (key, value), {}, self.stack[-1], base))
            return
        if isinstance(data, dict):
            if not isinstance(target.slice, ast.Constant):
                # What made the key counts, too: it may be the wrong one.
                value = Value(value.data, merged(value, key))
            try:
                data[operators.key_of(key)] = value
            except NotPlain:
                self.open_dict(base, value)
            except TypeError:
                return
        elif isinstance(data, list) and isinstance(key.data, int):
            if not -len(data) <= key.data < len(data):
                raise Raised("index", "list assignment index out of range", key, base)
            data[key.data] = value
        elif isinstance(data, list) and (key.data is UNKNOWN or isinstance(key.data, Array)):
            # Each of the items may be the one.
            data[:] = [alike([item, value]) for item in data]
        elif isinstance(data, (LibraryObject, Table)):
            model = MODELS.methods.get((kind_of(base), "__setitem__"))
            if model is not None:
                keys = key.data if isinstance(key.data, tuple) else (key,)
                self.apply(model, Call("__setitem__", (*keys, value), {}, self.stack[-1], base))
        elif isinstance(data, Library) and data.name == "os.environ":
            set_variable(self.interpreter, key, value)
        elif data is None:
            raise Raised("none", "'NoneType' object does not support item assignment", base)

    def _store_part(
        self, base: Value, data: Array, target: ast.Subscript, value: Value, env: Environment
    ) -> None:
        """Put a value into a part of an array: the part has to be there, and to have its shape.

        A single axis of labels (a pandas column) takes new ones.
        """
        parts, slices = self._parts_of(target, env)
        if isinstance(data, cells.Series):
            cells.note_part_set(data, self.stack[-1])
            data.forget_contents()
            if data.index is not None:
                return
        data.note_written()
        held = data
        if isinstance(data, Ordered):
            base.data = Array(data.shape, data.dtype, data.library, data.device)
            data = base.data
        if isinstance(target.value, ast.Subscript):
            # A row that is written to shows the cells of its array.
            held_value = self.value(target.value.value, env)
            held = held_value.data if isinstance(held_value.data, grids.Grid) else data
        if isinstance(held, grids.Grid):
            held.columns = None
            held.note_written()
        if not any(part.data is UNKNOWN for part in parts):
            operators.check_stored(operators.indexed(base, parts, slices), value)
        operators.note_stored(base, data, value)

    def _parts_of(
        self, node: ast.Subscript, env: Environment
    ) -> tuple[list[Value], list[tuple[Value | None, ...] | None]]:
        """Return the parts of an index, and the bounds of those that are slices."""
        parts: list[Value] = []
        slices: list[tuple[Value | None, ...] | None] = []
        elements = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        for element in elements:
            part = Value(None)
            if isinstance(element, ast.Slice):
                bounds: tuple[Value | None, ...] | None = self._bounds_of(element, env)
            else:
                part = self.value(element, env)
                bounds = operators.bounds_of_slice(part)
            slices.append(bounds)
            parts.append(part if bounds is None else Value(None))
        return parts, slices

    def _unpack(self, targets: Sequence[ast.expr], value: Value, env: Environment) -> None:
        items = self.iterate(value)
        star = next((i for i, t in enumerate(targets) if isinstance(t, ast.Starred)), None)
        if isinstance(items, Lazy):
            count = arrays.size(items.length)
            if star is None and count is not None and count != len(targets):
                raise Raised("arguments", "wrong number of values to unpack", value, items.length)
            lead = items.lead if star is None else min(items.lead, star)
            for target, item in zip(targets, items.parts[:lead], strict=False):
                self.assign(target, item, env)
            for target in targets[lead:]:
                data = items.item.data
                if isinstance(target, ast.Starred):
                    rest = self._rest_of(items, len(targets) - 1)
                    self.assign(target, Value(rest, value.origins), env)
                    continue
                # Each is an array of its own, which may be filled.
                own = copy(data) if isinstance(data, Array) else data
                if isinstance(own, Array) and isinstance(value.data, Array):
                    own.forget_bounds()
                self.assign(target, Value(own, items.item.origins), env)
            return
        if star is None:
            if len(items) != len(targets):
                raise Raised("arguments", "wrong number of values to unpack", value)
            for target, item in zip(targets, items, strict=True):
                self.assign(target, item, env)
            return
        after = len(targets) - star - 1
        if len(items) < len(targets) - 1:
            raise Raised("arguments", "not enough values to unpack", value)
        middle = items[star : len(items) - after]
        parts = [*items[:star], Value(list(middle), value.origins), *items[len(items) - after :]]
        for target, item in zip(targets, parts, strict=True):
            self.assign(target, item, env)

    def _rest_of(self, items: Lazy, taken: int) -> list[Value] | Lazy:
        """Return what a starred target gets: the items that the other targets leave."""
        count = arrays.size(items.length)
        if count is None or count - taken > MOST_STARRED:
            length = UNKNOWN if count is None else count - taken
            return Lazy(items.item, Value(length, items.length.origins), items.others)
        data = items.item.data
        own = (copy(data) if isinstance(data, Array) else data for _ in range(count - taken))
        return [Value(one, items.item.origins) for one in own]

    def value(self, node: ast.expr, env: Environment) -> Value:
        """Return what an expression comes to."""
        kind = type(node)
        self._spend(node.lineno if kind is ast.Call else 0)
        method = self._methods.get(kind)
        if method is None:
            return Value(UNKNOWN)
        try:
            result = method(self, node, env)
        except Raised as raised:
            if not self._is_mistaken(raised):
                raise
            # What our models refuse here passed in the run.
            self.elsewhere.add((raised.place or self.stack[-1], raised.what))
            result = unknown(*raised.sides)
        if self.opened and type(result.data) is dict:
            self._see_opened(result)
        if self._values is not None:
            self._values[node] = result
        if kind in MAKING and isinstance(result.data, SIZED):
            self.room -= len(result.data)
            if self.room < 0:
                raise Exhausted
        if self.first_values is not None:
            self.first_values.setdefault(node, result)
        return result

    def _see_opened(self, value: Value) -> None:
        """Let a value show what a dictionary of it holds since it got a key that is not known."""
        known = self.opened.get(id(value.data))
        if known is not None:
            value.data = known[1].data

    def _is_mistaken(self, raised: Raised) -> bool:
        """Whether what our models refuse is neither the failure nor caught by the program."""
        statement = self._statement
        if not self.GUESSES or statement is None or not self.stack:
            return False
        if self._is_guarded(raised):
            return False
        return not self._is_failure(raised.place or self.stack[-1], statement, raised)

    def _origin(self, node: ast.expr, env: Environment) -> frozenset[Origin]:
        return frozenset({(env.file, node.lineno)})

    def _of_Constant(self, node: ast.Constant, env: Environment) -> Value:
        if isinstance(node.value, operators.PLAIN) or node.value is Ellipsis:
            return Value(node.value, self._origin(node, env))
        return Value(UNKNOWN)

    def _of_Name(self, node: ast.Name, env: Environment) -> Value:
        value = self.lookup(node.id, env)
        if value is not None:
            return value
        starred = self.starred.get(env.file, ())
        for library in reversed(starred):
            if f"{library}.{node.id}" in MODELS.functions:
                return Value(Library(f"{library}.{node.id}"))
        if builtin_models.is_builtin(node.id):
            return Value(Library(f"builtins.{node.id}"))
        if starred or self._binds(node.id, env):
            return Value(UNKNOWN)
        raise Raised("name", f"name '{node.id}' is not defined", Value(node.id))

    def _binds(self, name: str, env: Environment) -> bool:
        """Whether the file writes a name anywhere: then it is ours not to know it."""
        written = self._written.get(env.file)
        if written is None:
            tree = self.workspace.tree(env.file)
            nodes = ast.walk(tree) if tree is not None else ()
            written = self._written[env.file] = frozenset(
                n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
            )
        return name in written

    def _lacks(self, module: Environment, name: str) -> bool:
        """Whether a module surely has no member of a name."""
        tree = self.workspace.tree(module.file)
        if tree is None or name.startswith("__") or self._binds(name, module):
            return False
        for node in tree.body:
            if isinstance(node, ast.ImportFrom) and any(a.name == "*" for a in node.names):
                source = "." * node.level + (node.module or "")
                if self.workspace.module_file(source, module.file) is None:
                    return False
        words = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
        made = "__getattr__" in module.names or words & {"globals", "setattr", "exec", "locals"}
        return not made

    def lookup(self, name: str, env: Environment) -> Value | None:
        """Return what a name stands for in a scope or one around it, None where it is not known."""
        scope = scope_with(name, env)
        return self._resolved(scope.names, name) if scope is not None else None

    def _of_Attribute(self, node: ast.Attribute, env: Environment) -> Value:
        return self.attribute(self.value(node.value, env), node.attr, (env.file, node.lineno))

    def attribute(self, base: Value, name: str, place: Origin) -> Value:
        """Return ``base.name``; raise where it is known not to be there."""
        data = base.data
        if isinstance(data, Instance):
            return self._of_instance(base, data, name, place)
        if isinstance(data, ModuleValue):
            return self._of_module(data, name)
        if isinstance(data, Library):
            return self._of_library(base, data, name)
        if isinstance(data, (FunctionValue, ClassValue)):
            told = self._told(base, data, name, place)
            if told is not None:
                return told
        if isinstance(data, ClassValue):
            member = self._member(data, name)
            if member is None and name == "__dict__":
                own = {key: value for key, value in data.members.items() if key.isidentifier()}
                return Value(own, base.origins)
            if member is None and name in ("__mro__", "__bases__"):
                is_order = name == "__mro__"
                return order_of(self.interpreter, data) if is_order else Value(tuple(data.bases))
            if member is None:
                if self._inherited_model(data, name) is not None:
                    return Value(Method(base, name), base.origins)
                return self._of_plain_base(data, name)
            if isinstance(member.data, FunctionValue) and member.data.kind == "classmethod":
                return Value(BoundMethod(member.data, base))
            return member
        kind = kind_of(base)
        if isinstance(data, (Array, Table)) and self._is_said_lacking(name):
            raise Raised("attribute", f"the object has no attribute '{name}'", base)
        model = MODELS.attributes.get((kind, name))
        if model is not None:
            return self.apply(model, Call(name, (), {}, place, base))
        if isinstance(data, LibraryObject):
            if name in data.state:
                return data.state[name]
            if name == "__class__" and data.name.startswith("torch.nn."):
                return Value(Library(data.name), base.origins)
            if name in data.keywords and (kind, name) not in MODELS.methods:
                # Most classes keep what they are made with under its name.
                return data.keywords[name]
            lacking = MODELS.methods.get((kind, "__getattr__"))
            is_entry = data.short in HELD_BY_NAME and not name.startswith("__")
            if lacking is not None and is_entry and (kind, name) not in MODELS.methods:
                return self.apply(lacking, Call("__getattr__", (Value(name),), {}, place, base))
            if data.short in RECORDED and (kind, name) not in MODELS.methods and self.is_failing():
                near = difflib.get_close_matches(name, data.state, n=1)
                held = [data.state[n] for n in near] or [base, *data.state.values()]
                raise Raised("attribute", f"no attribute '{name}'", unknown(*held))
            if is_no_method(data, name) and (kind, name) not in MODELS.methods:
                return unknown(base)
            return Value(Method(base, name), base.origins)
        if data is None:
            raise Raised("none", f"'NoneType' object has no attribute '{name}'", base)
        if isinstance(data, Named) and not hasattr(tuple, name):
            return data[data.names.index(name)] if name in data.names else unknown(base)
        if isinstance(data, Array) and name == "shape" and data.shape is not None:
            return Value(tuple(data.shape), base.origins)
        if isinstance(data, Table):
            if name in data.columns and (kind, name) not in MODELS.methods:
                selecting = MODELS.methods["table", "__getitem__"]
                return self.apply(selecting, Call(name, (Value(name),), {}, place, base))
            return Value(Method(base, name), base.origins)
        if data is UNKNOWN:
            if self._is_said_lacking(name) and "'NoneType'" in self.message:
                raise Raised("none", f"'NoneType' object has no attribute '{name}'", base)
            return unknown(base)
        if (
            isinstance(data, (int, float))
            and name in OF_SCALARS
            and not self._is_said_lacking(name)
        ):
            # A cell of an array is a scalar of NumPy's.
            known = ("int", name) in MODELS.methods
            return Value(Method(base, name), base.origins) if known else unknown(base)
        is_plain = isinstance(data, (*operators.PLAIN, list, tuple, dict, set))
        is_modelled = (kind, name) in MODELS.methods
        if is_plain and not is_modelled and not hasattr(type(data), name):
            raise Raised("attribute", f"'{type(data).__name__}' has no attribute '{name}'", base)
        return Value(Method(base, name), base.origins)

    def _of_plain_base(self, cls: ClassValue, name: str) -> Value:
        """Return what a class has from ``dict`` or ``list``, as an own ``__getitem__`` of these."""
        for base in self.library_bases(cls):
            kind = PLAIN_BASES.get(base)
            if kind is not None and hasattr(kind, name):
                return Value(Library(f"{base}.{name}"))
        return Value(UNKNOWN)

    def _told(
        self, base: Value, data: FunctionValue | ClassValue, name: str, place: Origin
    ) -> Value | None:
        """Return what Python itself tells of a function or a class, None for other attributes."""
        if name == "__doc__":
            docstring = _docstring(data.node)
            if docstring is None and isinstance(data, ClassValue):
                return unknown(base)  # Bases, and what makes a class a record, may give it one.
            return Value(docstring, base.origins)
        if name in ("__name__", "__qualname__"):
            return Value(getattr(data.node, "name", "<lambda>"), base.origins)
        if name == "__module__":
            return self._module_named(data.file, base)
        if not isinstance(data, ClassValue):
            return None
        if name == "__members__" and self._is_enum(data):
            members = {k: v for k, v in data.members.items() if isinstance(v.data, Instance)}
            return Value(members, base.origins)
        if name == "__dataclass_fields__" and data.is_dataclass:
            asked = Call("dataclasses.fields", (base,), {}, place)
            fields = self.apply(MODELS.functions["dataclasses.fields"], asked).data
            if isinstance(fields, tuple):
                return Value(dict(zip(self.fields_of(data), fields, strict=True)), base.origins)
        return None

    def _module_named(self, file: str, of: Value) -> Value:
        """Return the name of the module that a file was imported as."""
        module = self.modules.get(file)
        if module is None or not isinstance(module.data, ModuleValue):
            return unknown(of)
        name = module.data.environment.names.get("__name__")
        return unknown(of) if name is None else Value(name.data, of.origins)

    def _of_module(self, data: ModuleValue, name: str) -> Value:
        if name == "__dict__":
            return self._names_of(data.environment)
        if name in data.environment.names:
            return self._resolved(data.environment.names, name)
        file = self.workspace.module_file(name, data.environment.file)
        if file is not None:
            return self.module(file, name)
        if self._lacks(data.environment, name):
            raise Raised("attribute", f"module has no attribute '{name}'", Value(name))
        return Value(UNKNOWN)

    def _of_library(self, base: Value, data: Library, name: str) -> Value:
        dotted = f"{data.name}.{name}"
        if dotted == "sys.argv":
            return self._argv()
        part = self._part_of_folder(dotted)
        if part is not None:
            return part
        if dotted in CONSTANTS:
            return Value(CONSTANTS[dotted])
        is_class = data.name.startswith("builtins.") or data.short[:1].isupper()
        if name == "__name__" and is_class:
            return Value(data.short, base.origins)
        if dotted == "sys.version_info" and self.GUESSES:
            return Value(LibraryObject(dotted, (), {}, ("", 0), dict(OF_PYTHON)))
        if name == "__version__":
            # Which one is installed is known where its folder is; else it is a recent one.
            told = data.name in RECENT and self.GUESSES
            return Value(RECENT[data.name]) if told else unknown(base)
        flag = flag_of(self.interpreter, name) if data.name == "absl.flags.FLAGS" else None
        return Value(Library(dotted), base.origins) if flag is None else flag

    def _part_of_folder(self, dotted: str) -> Value | None:
        """Return a module of a folder without ``__init__.py``, None of what is in no such folder.

        Source: PEP 420, "Implicit Namespace Packages".
        """
        root = dotted.partition(".")[0]
        importer = self.stack[-1][0] if self.stack else self.script
        if root not in self.workspace.of_names("folders", folder_names):
            return None
        file = self.workspace.module_file(dotted, importer)
        return None if file is None else self.module(file, dotted)

    def _is_said_lacking(self, name: str) -> bool:
        """Whether the message says that an object of the failing line has no such attribute."""
        is_named = self.exception == "AttributeError" and f"attribute '{name}'" in self.message
        return is_named and self.is_failing()

    def _argv(self) -> Value:
        if self.arguments is None:
            return Value(UNKNOWN)
        return Value(Words([Value(self.script), *self.arguments]))

    def _of_instance(self, base: Value, data: Instance, name: str, place: Origin) -> Value:
        attribute = data.attributes.get(name)
        if attribute is not None:
            return attribute
        shared = self._shared(base, data)
        if shared is not None and name in shared:
            return shared[name]
        member = self._member(data.cls, name)
        if member is None:
            if name == "__class__":
                return Value(data.cls)
            if name == "__dict__":
                return Value(data.attributes)
            given = self._given_by_name(base, data, name, place)
            if given is not None:
                return given
            inherited = self._inherited_attribute(base, name, place)
            if inherited is not None:
                return inherited
            inherits = self._has_library_base(data.cls) and not self._is_own(data.cls, name)
            if inherits or self._member(data.cls, "__getattr__"):
                return Value(Method(base, name), base.origins)
            if any(self._sets(cls, name) for cls in self.lineage(data.cls)):
                return unknown(base)
            if data.cls.is_dataclass and ("instance", name) in MODELS.methods:
                return Value(Method(base, name), base.origins)
            message = f"'{data.cls.name}' object has no attribute '{name}'"
            near = difflib.get_close_matches(name, data.attributes, n=1)
            meant = [data.attributes[other] for other in near]
            raise Raised("attribute", message, unknown(*meant) if meant else base)
        if isinstance(member.data, FunctionValue):
            if member.data.kind == "property":
                return self.call(Value(BoundMethod(member.data, base)), (), {}, place)
            if member.data.kind == "staticmethod":
                return member
            receiver = Value(data.cls) if member.data.kind == "classmethod" else base
            return Value(BoundMethod(member.data, receiver))
        return member

    def _shared(self, value: Value, data: Instance) -> dict[str, Value] | None:
        """Return the items of a dictionary that are its attributes (``self.__dict__ = self``)."""
        own = data.attributes.get("__dict__")
        held = self.held_in(value) if own is not None and own.data is data else None
        return held.data if held is not None and isinstance(held.data, dict) else None

    def _is_own(self, cls: ClassValue, name: str) -> bool:
        """Whether no class of a library that a class derives from has an attribute of a name."""
        bases = self.library_bases(cls)
        known = len(bases) == sum(
            not isinstance(base.data, ClassValue)
            for item in self.lineage(cls)
            for base in item.bases
        )
        without = all(base in MEMBERS and name not in MEMBERS[base] for base in bases)
        return self.GUESSES and known and without

    def _given_by_name(self, base: Value, data: Instance, name: str, place: Origin) -> Value | None:
        """Return what ``__getattr__`` gives for an attribute, None where there is none."""
        member = self._member(data.cls, "__getattr__")
        held = self.held_in(base)
        if member is None or name.startswith("__") or (held and hasattr(type(held.data), name)):
            return None
        if isinstance(member.data, Library) and held is not None:
            # The idiom ``__getattr__ = dict.get``.
            own = member.data.name.rpartition(".")[2]
            return self._call_held(base, held, Call(own, (Value(name),), {}, place, base))
        if not isinstance(member.data, FunctionValue) or len(self.stack) > MAX_DEPTH:
            return None
        self._guards.append([LACKING])
        try:
            return self.call(Value(BoundMethod(member.data, base)), (Value(name),), {}, place)
        except _Leave as end:
            if end.raised.message == "AttributeError":
                message = f"'{data.cls.name}' object has no attribute '{name}'"
                raise Raised("attribute", message, base) from None
            return None
        except Raised:
            return None
        finally:
            self._guards.pop()

    def _sets(self, cls: ClassValue, name: str) -> bool:
        """Whether the class writes an attribute somewhere: then it is ours not to know it."""
        return any(
            isinstance(n, ast.Attribute) and n.attr == name and isinstance(n.ctx, ast.Store)
            for n in ast.walk(cls.node)
        )

    def _of_BinOp(self, node: ast.BinOp, env: Environment) -> Value:
        left, right = self.value(node.left, env), self.value(node.right, env)
        if isinstance(node.op, ast.BitOr) and _is_class(left) and _is_class(right):
            return Value((left, right), merged(left, right))
        place = self.stack[-1] = (env.file, node.lineno)
        result = self.operated(type(node.op), left, right, place)
        if type(result.data) is int and result.origins:
            result = Value(result.data, merged(result, Value(None, frozenset({place}))))
        if self.comparisons.reported:
            for operand in (left, right):
                self.comparisons.relate(place, operand, result, node, (left, right))
        return result

    def operated(self, kind: type[ast.operator], left: Value, right: Value, place: Origin) -> Value:
        """Return what an operator gives for two values."""
        if isinstance(left.data, LibraryObject) and kind is ast.Div:
            model = MODELS.methods.get((left.data.short, "/"))
            if model is not None:
                return self.apply(model, Call("/", (right,), {}, place, left))
        overloaded = self._overloaded(kind, left, right, place)
        if overloaded is not None:
            return overloaded
        result = operators.binary(kind, left, right)
        if self in AUTOCAST:
            result = under_autocast(self.interpreter, kind.__name__, result)
        return self._recorded(kind.__name__, result, left, right)

    def _overloaded(
        self, kind: type[ast.operator], left: Value, right: Value, place: Origin
    ) -> Value | None:
        """Return what an operator that a workspace class defines gives, None where none does."""
        name = OPERATORS.get(kind)
        for value, other, prefix in ((left, right, ""), (right, left, "r")):
            if name is not None and isinstance(value.data, Instance):
                method = self._member(value.data.cls, f"__{prefix}{name}__")
                if method is not None and isinstance(method.data, FunctionValue):
                    return self.call(Value(BoundMethod(method.data, value)), (other,), {}, place)
        return None

    def _of_UnaryOp(self, node: ast.UnaryOp, env: Environment) -> Value:
        value = self.value(node.operand, env)
        data = value.data
        if isinstance(node.op, ast.Not):
            known = operators.truth(value)
            return unknown(value) if known is None else Value(not known, value.origins)
        if isinstance(data, Array) and data.library == arrays.PYTHON:
            shown = "int64" if data.dtype == "bool" else data.dtype or "float64"
            return arrays.number(shown, value)
        if isinstance(data, Array):
            if isinstance(node.op, ast.Invert) and (data.dtype or "").startswith(FLOATS):
                raise Raised("type", "~ is only implemented on integers and booleans", value)
            opposite = cells.inverted(value) if isinstance(node.op, ast.Invert) else None
            if isinstance(node.op, ast.USub):
                opposite = cells.negated(value)
            if opposite is not None:
                return opposite
            same = Value(Array(data.shape, data.dtype, data.library, data.device), value.origins)
            return self._recorded("USub", same, value)
        if isinstance(data, (int, float)):
            if isinstance(node.op, ast.USub):
                return Value(-data, value.origins)
            if isinstance(node.op, ast.Invert) and isinstance(data, int):
                return Value(~data, value.origins)
            return value
        return unknown(value)

    def _of_BoolOp(self, node: ast.BoolOp, env: Environment) -> Value:
        wanted = isinstance(node.op, ast.Or)
        parts: list[Value] = []
        for expr in node.values:
            value = self.value(expr, env)
            parts.append(value)
            known = operators.truth(value)
            if known is None:
                return unknown(*parts)
            if known is wanted:
                return value
        return parts[-1]

    def truth(self, node: ast.expr, env: Environment) -> bool | None:
        """Return whether a test holds, None where that is not known.

        One part may decide (``unknown or True``). What comes after a part that is not known may not
        run: where it fails, it is not known.
        """
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = self.truth(node.operand, env)
            return None if inner is None else not inner
        if not isinstance(node, ast.BoolOp):
            return operators.truth(self.value(node, env))
        wanted, is_open = isinstance(node.op, ast.Or), False
        for expr in node.values:
            try:
                known = self.truth(expr, env)
            except Raised:
                if not is_open:
                    raise
                known = None
            if known is wanted:
                return wanted
            is_open = is_open or known is None
        return None if is_open else not wanted

    def question(self, test: ast.expr, env: Environment) -> Question | None:
        """Return what a test whose value is not known asks, None where that cannot be told apart.

        A program that asks twice gets the same answer (`Reach.assumed`): where a model was moved to
        a device, what it is given was moved, too. Told apart are single values, calls of libraries
        without arguments, and comparisons of these.
        """
        asked, positive = _without_not(test)
        operands, kind = [asked], ""
        if isinstance(asked, ast.Compare) and len(asked.ops) == 1:
            operands, kind = [asked.left, asked.comparators[0]], type(asked.ops[0]).__name__
        parts: list[object] = []
        held: list[Value] = []
        for operand in operands:
            is_call = isinstance(operand, ast.Call) and not operand.args and not operand.keywords
            part = operand.func if is_call and isinstance(operand, ast.Call) else operand
            if not isinstance(part, (ast.Name, ast.Attribute, ast.Constant)):
                return None
            try:
                value = self.value(part, env)
            except Raised:
                return None
            if is_call:
                if not isinstance(value.data, Library):
                    return None
                parts.append(value.data.name)
            elif value.data is UNKNOWN:
                parts.append(id(value))
                held.append(value)
            elif isinstance(value.data, (str, int, float, bool, type(None))):
                parts.append(value.data)
            else:
                return None
        return Question((kind, *parts), positive, tuple(held))

    def recalled(self, question: Question | None) -> bool | None:
        """Return what was assumed of a question, None where nothing was."""
        found = self.reach.assumed.get(question.key) if question is not None else None
        return None if found is None or question is None else found[0] is question.positive

    def assume(self, question: Question | None, holds: bool) -> None:
        """Note what is assumed of a question."""
        if question is not None:
            self.reach.assumed[question.key] = (holds is question.positive, question.held)

    def _without_missing(self, node: ast.expr, env: Environment) -> bool | None:
        """Return whether a test holds where files that the workspace lacks are not there.

        What a program keeps in them it makes itself where it does not find them, and from the code
        that makes it more is known.
        """
        if not self.GUESSES or self.without_files:
            return None
        self.without_files = True
        try:
            return self.truth(node, env)
        except Raised:
            return None
        finally:
            self.without_files = False

    def _of_Compare(self, node: ast.Compare, env: Environment) -> Value:
        left = self.value(node.left, env)
        verdict: Value | None = Value(True)
        for kind, expr in zip(node.ops, node.comparators, strict=True):
            right = self.value(expr, env)
            place = (env.file, node.lineno)
            verdict = self._is_inside(kind, left, right, place)
            if verdict is None:
                verdict = self._compared_by_class(kind, left, right, place)
            if verdict is None:
                verdict = operators.compare(type(kind), left, right)
            if len(node.ops) > 1 and operators.truth(verdict) is not True:
                return verdict
            left = right
        assert verdict is not None
        return verdict

    def _compared_by_class(
        self, kind: ast.cmpop, left: Value, right: Value, place: Origin
    ) -> Value | None:
        """Return what objects of workspace classes say of each other, None where none does.

        Those of a dataclass are compared by their fields (PEP 557), those of a class that does not
        say how by which object they are.
        """
        names = COMPARING.get(type(kind))
        if names is None:
            return None
        for value, other, name in ((left, right, names[0]), (right, left, names[1])):
            method = self.method_of(value, f"__{name}__")
            if method is not None:
                return self.call(method, (other,), {}, place)
            equal = self.method_of(value, "__eq__") if name == "ne" else None
            if equal is not None:
                answer = operators.truth(self.call(equal, (other,), {}, place))
                return unknown(left, right) if answer is None else Value(not answer)
        a, b = left.data, right.data
        is_equality = isinstance(kind, (ast.Eq, ast.NotEq))
        if not is_equality or not isinstance(a, Instance) or not isinstance(b, Instance):
            return None
        if a is b:
            return Value(isinstance(kind, ast.Eq), merged(left, right))
        if a.cls is b.cls and a.cls.is_dataclass and not self.library_bases(a.cls):
            return operators.compare(
                type(kind), self._fields_of(left, a), self._fields_of(right, b)
            )
        if not all(map(self._is_compared_by_identity, (a.cls, b.cls))):
            return None
        return Value(isinstance(kind, ast.NotEq), merged(left, right))

    def _fields_of(self, value: Value, data: Instance) -> Value:
        """Return the fields of an object of a dataclass as a tuple."""
        held = (data.attributes.get(name, Value(UNKNOWN)) for name in self.fields_of(data.cls))
        return Value(tuple(held), value.origins)

    def _is_compared_by_identity(self, cls: ClassValue) -> bool:
        """Whether objects of a class are equal to themselves alone."""
        if cls.is_dataclass:
            return False
        bases = {base.rpartition(".")[2] for base in self.library_bases(cls)}
        return bases <= OF_IDENTITY

    def _is_inside(
        self, kind: ast.cmpop, item: Value, container: Value, place: Origin
    ) -> Value | None:
        """Return what ``__contains__`` of a workspace class says, None where there is none."""
        if not isinstance(kind, (ast.In, ast.NotIn)):
            return None
        held = container.data
        if isinstance(held, ClassValue) and self._is_enum(held) and isinstance(item.data, Instance):
            return Value((item.data.cls is held) is isinstance(kind, ast.In), item.origins)
        if isinstance(held, LibraryObject) and held.short in TABLES and item.known:
            return Value((item.data in held.state) is isinstance(kind, ast.In), container.origins)
        inside = MODELS.methods.get((kind_of(container), "__contains__"))
        if isinstance(held, LibraryObject) and inside is not None:
            return self._said_inside(kind, inside, item, container, place)
        if not isinstance(container.data, Instance):
            return None
        method = self._member(container.data.cls, "__contains__")
        inherited = self._inherited_model(container.data.cls, "__contains__")
        if method is None and inherited is not None:
            return self._said_inside(kind, inherited, item, container, place)
        held = self.held_in(container) if method is None else None
        if held is not None:
            return operators.compare(type(kind), item, held)
        if method is None or not isinstance(method.data, FunctionValue):
            return None
        answer = self.call(Value(BoundMethod(method.data, container)), (item,), {}, place)
        known = operators.truth(answer)
        if known is None:
            return unknown(answer)
        return Value(known is isinstance(kind, ast.In), answer.origins)

    def _said_inside(
        self, kind: ast.cmpop, model: Model, item: Value, container: Value, place: Origin
    ) -> Value:
        """Return what a model says of whether an object of a library holds an item."""
        answer = self.apply(model, Call("__contains__", (item,), {}, place, container))
        if not isinstance(answer.data, bool):
            return unknown(answer)
        return Value(answer.data is isinstance(kind, ast.In), answer.origins)

    def _of_IfExp(self, node: ast.IfExp, env: Environment) -> Value:
        asked = self.missing_files
        test = self.value(node.test, env)
        if self.comparisons.reported:
            self.comparisons.chosen.setdefault((env.file, node.lineno), node)
        known = operators.truth(test)
        if known is None and self.missing_files != asked:
            known = self._without_missing(node.test, env)
        question = self.question(node.test, env) if known is None else None
        if known is None:
            known = self.recalled(question)
        if known is not None:
            return self.value(node.body if known else node.orelse, env)
        first = self.value(node.body, env)
        if first.known:
            self.assume(question, True)
        return first if first.known else self.value(node.orelse, env)

    def _of_NamedExpr(self, node: ast.NamedExpr, env: Environment) -> Value:
        value = self.value(node.value, env)
        self.assign(node.target, value, env)
        return value

    def _of_List(self, node: ast.List, env: Environment) -> Value:
        # Others may be added: what made the items made the length.
        return Value(self._items(node.elts, env))

    def _of_Tuple(self, node: ast.Tuple, env: Environment) -> Value:
        items = self._items(node.elts, env)
        is_one_line = node.end_lineno == node.lineno
        held = tuple(items) if isinstance(items, list) else items
        return Value(held, self._origin(node, env) if is_one_line else NOWHERE)

    def _of_Set(self, node: ast.Set, env: Environment) -> Value:
        items = self._items(node.elts, env)
        if isinstance(items, Lazy):
            return unknown(*items.parts)
        try:
            return Value({plain(item) for item in items}, merged(*items))
        except (NotPlain, TypeError):
            return unknown(*items)

    def _items(self, elements: Sequence[ast.expr], env: Environment) -> list[Value] | Lazy:
        """Return what a list or a tuple holds; how many is not known where a star is of unknown."""
        collected: list[Value] = []
        length: int | None = 0
        lead: int | None = None
        for element in elements:
            if isinstance(element, ast.Starred):
                items = self.iterate(self.value(element.value, env))
                if isinstance(items, Lazy):
                    lead = len(collected) if lead is None else lead
                    count = arrays.size(items.length)
                    length = None if length is None or count is None else length + count
                    collected.append(items.item)
                    continue
                collected.extend(items)
                length = None if length is None else length + len(items)
            else:
                collected.append(self.value(element, env))
                length = None if length is None else length + 1
        if lead is None:
            return collected
        whole = Value(UNKNOWN if length is None else length)
        return Lazy(alike(collected), whole, parts=tuple(collected), lead=lead)

    def _of_Dict(self, node: ast.Dict, env: Environment) -> Value:
        entries: dict[Any, Value] = {}
        rest: Value | None = None
        for key, expr in zip(node.keys, node.values, strict=True):
            value = self.value(expr, env)
            if key is None:
                value = operators.as_table(self.held_in(value) or value)
                if not isinstance(value.data, dict):
                    # Any key may be among those that are not known.
                    return unknown(value, *entries.values())
                entries.update(value.data)
                rest = rest_of(value.data) or rest
                continue
            try:
                entries[operators.key_of(self.value(key, env))] = value
            except NotPlain:
                rest = value
            except TypeError:
                continue
        if rest is not None:
            return Value(OpenDict(entries, rest))
        is_one_line = node.end_lineno == node.lineno
        return Value(entries, self._origin(node, env) if entries and is_one_line else NOWHERE)

    def _of_JoinedStr(self, node: ast.JoinedStr, env: Environment) -> Value:
        texts: list[str | None] = []
        parts: list[Value] = []
        for piece in node.values:
            if isinstance(piece, ast.Constant):
                texts.append(str(piece.value))
                continue
            assert isinstance(piece, ast.FormattedValue)
            value = self.value(piece.value, env)
            parts.append(value)
            spec = "" if piece.format_spec is None else self.value(piece.format_spec, env).data
            texts.append(_field(value, spec, piece.conversion))
        made = [part for part in parts if isinstance(part, JsonText)]
        if len(parts) == len(made) == 1 and isinstance(node.values[0], ast.FormattedValue):
            rest = "".join(text or "" for text in texts[1:])
            return made[0] if not rest.strip() else unknown(*parts)
        if None in texts:
            return unknown(*parts)
        origin = self._origin(node, env)
        text = "".join(filter(None, texts))[: operators.MAX_TEXT]
        return Value(text, merged(Value(None, origin), *parts))

    def _of_Subscript(self, node: ast.Subscript, env: Environment) -> Value:
        base = self.value(node.value, env)
        parts, slices = self._parts_of(node, env)
        self.stack[-1] = (env.file, node.lineno)
        place = (env.file, node.lineno)
        if isinstance(base.data, Instance):
            method = self._member(base.data.cls, "__getitem__")
            if method is not None and isinstance(method.data, FunctionValue):
                keys = _with_slices(parts, slices, place)
                key = keys[0] if len(keys) == 1 else Value(keys, merged(*keys))
                return self.call(Value(BoundMethod(method.data, base)), (key,), {}, place)
            held = self.held_in(base)
            if held is not None:
                return self._of_held(base, held, parts, slices)
            if len(parts) == 1 and slices[0] is None and self._is_tuple(base.data.cls):
                return operators.indexed(Value(tuple(base.data.attributes.values())), parts, slices)
            inherited = self._inherited_model(base.data.cls, "__getitem__")
            if inherited is not None:
                keys = _with_slices(parts, slices, place)
                return self.apply(inherited, Call("__getitem__", keys, {}, place, base))
            return unknown(base)
        if isinstance(base.data, Words) and slices[0] is None:
            return read_as_text(operators.indexed(base, parts, slices), place)
        if isinstance(base.data, ClassValue) and self._is_enum(base.data):
            member = self._member_for(base.data, parts[0], "name")
            return unknown(base, *parts) if member is None else member
        if isinstance(base.data, (LibraryObject, Table)):
            model = MODELS.methods.get((kind_of(base), "__getitem__"))
            if model is not None:
                keys = _with_slices(parts, slices, place)
                return self.apply(model, Call("__getitem__", keys, {}, place, base))
            if isinstance(base.data, LibraryObject):
                return unknown(base, *parts)
        if isinstance(base.data, Library) and base.data.name in MODELS.subscripts:
            keys = _with_slices(parts, slices, place)
            call = Call(base.data.name, keys, {}, place, base)
            return self.apply(MODELS.subscripts[base.data.name], call)
        if isinstance(base.data, (Library, ClassValue)):
            # Only types are indexed so (``list[int]``); what else a library has is not known.
            last = base.data.name.rpartition(".")[2]
            is_type = isinstance(base.data, ClassValue) or last[:1].isupper() or last in GENERIC
            return base if is_type else unknown(*parts)
        adds = any(p.data is None and s is None for p, s in zip(parts, slices, strict=True))
        if adds and isinstance(base.data, cells.Series) and base.data.index is not None:
            # pandas 2 adds no axes so ("Multi-dimensional indexing is no longer supported").
            return unknown(base, *parts)
        known: Value | None = None
        if isinstance(base.data, cells.Series) and len(parts) == 1:
            known = cells.subscripted(base, parts[0], slices[0], frozenset({place}))
        elif isinstance(base.data, grids.Grid):
            known = grids.subscripted(base, parts, slices)
        if known is None:
            result = typed_by(operators.indexed(base, parts, slices), base, *parts)
            if any(s is not None for s in slices):
                result = _cut_at(result, base, place)
            known = self._recorded("__getitem__", result, base)
        if isinstance(base.data, Array) and isinstance(known.data, Array):
            _note_view(base.data, known.data, parts, slices)
        return known

    def _bounds_of(self, node: ast.Slice, env: Environment) -> tuple[Value | None, ...]:
        """Return the bounds of a slice; of ``i : i + n`` the length is known without ``i``."""
        given = (node.lower, node.upper, node.step)
        bounds = tuple(None if b is None else self.value(b, env) for b in given)
        lower, upper = node.lower, node.upper
        if lower is None or bounds[0] is None or arrays.size(bounds[0]) is not None:
            return bounds
        if not isinstance(upper, ast.BinOp) or not isinstance(upper.op, ast.Add) or node.step:
            return bounds
        start = ast.dump(lower)
        for same, other in ((upper.left, upper.right), (upper.right, upper.left)):
            if ast.dump(same) == start:
                count = self.value(other, env)
                return operators.Window(bounds, count) if arrays.size(count) else bounds
        return bounds

    def _of_Starred(self, node: ast.Starred, env: Environment) -> Value:
        return self.value(node.value, env)

    def _of_Lambda(self, node: ast.Lambda, env: Environment) -> Value:
        return self._function(node, env)

    def _of_Await(self, node: ast.Await, env: Environment) -> Value:
        return self.value(node.value, env)

    def _of_Yield(self, node: ast.Yield, env: Environment) -> Value:
        value = self.value(node.value, env) if node.value is not None else Value(None)
        value = _handed_out(value, (env.file, node.lineno))
        held = env.names.get("yielded values")
        if held is not None and isinstance(held.data, list) and len(held.data) < MAX_ROUNDS:
            held.data.append(value)
        elif held is not None and isinstance(held.data, Lazy):
            held.data = operators.put_into(held.data, value)
        return Value(UNKNOWN)

    def _of_YieldFrom(self, node: ast.YieldFrom, env: Environment) -> Value:
        items = self.iterate(self.value(node.value, env))
        held = env.names.get("yielded values")
        if held is not None and isinstance(held.data, list):
            before = len(held.data)
            held.data.extend(items if isinstance(items, list) else [items.item])
            if isinstance(items, Lazy):
                held.data = loops.widened(held.data, before, items.length.origins)
        return Value(UNKNOWN)

    def _of_ListComp(self, node: ast.ListComp | ast.GeneratorExp, env: Environment) -> Value:
        items: list[Value] = []
        again = Again(items) if _is_lookup(node) else None
        over: list[Value] = []
        lazy = self._generate(
            node.generators,
            env,
            lambda inner: items.append(self.value(node.elt, inner)),
            again,
            over,
        )
        if lazy is not None:
            item = typical(items) if len(items) > 1 else items[0] if items else Value(UNKNOWN)
            return Value(Lazy(item, lazy))
        # As many as there are to go through, but for those that are left out here.
        return Value(items, few_origins(*over) | self._origin(node, env))

    def _of_GeneratorExp(self, node: ast.GeneratorExp, env: Environment) -> Value:
        made = self._of_ListComp(node, env)
        if type(made.data) is not list:
            return made
        return Value(OneShot(made.data, (env.file, node.lineno)), made.origins)

    def _of_SetComp(self, node: ast.SetComp, env: Environment) -> Value:
        items: list[Value] = []
        lazy = self._generate(
            node.generators, env, lambda inner: items.append(self.value(node.elt, inner))
        )
        if lazy is None:
            with suppress(NotPlain, TypeError):
                return Value({plain(v) for v in items}, merged(*items))
        item = alike(items)
        return Value(Lazy(item, Value(UNKNOWN, item.origins)), item.origins)

    def _of_DictComp(self, node: ast.DictComp, env: Environment) -> Value:
        pairs: list[tuple[Value, Value]] = []
        over: list[Value] = []
        lazy = self._generate(
            node.generators,
            env,
            lambda inner: pairs.append(
                (self.value(node.key, inner), self.value(node.value, inner))
            ),
            over=over,
        )
        # Which keys there are is decided where they come from, and that there are none as well.
        if pairs:
            origins = few_origins(*over) or few_places(*(key for key, _ in pairs))
        else:
            origins = merged(*over)
        entries: dict[Any, Value] = {}
        rest: list[Value] = []
        for key, value in pairs:
            try:
                entries[operators.key_of(key)] = value
            except (NotPlain, TypeError):
                rest.append(value)
        if lazy is None and not rest:
            return Value(entries, origins)
        return Value(OpenDict(entries, alike(rest or list(entries.values()))), origins)

    def _generate(
        self,
        generators: Sequence[ast.comprehension],
        env: Environment,
        emit: Any,
        again: Again | None = None,
        over: list[Value] | None = None,
    ) -> Value | None:
        """Run a comprehension; return its length's value where it iterates something unknown.

        With ``again``, equal items give what the first of them gave. ``over`` gets what the first
        of its loops goes through.
        """
        inner = Environment({}, env, env.file, None)
        if "yielded values" in env.names:
            inner.names["yielded values"] = env.names["yielded values"]
        if not generators:
            emit(inner)
            return None
        first, *rest = generators
        iterated = self.value(first.iter, env)
        if over is not None:
            over.append(iterated)
        items = self.iterate(iterated)
        rounds = items if isinstance(items, list) else [items.item]
        lazy = items.length if isinstance(items, Lazy) else None
        start = self.left
        number = 0
        for item in rounds[: operators.MAX_ITEMS]:
            if again is not None and again.has(item):
                continue
            cost = (start - self.left) // max(number, 1)
            left = len(rounds) if again is None else again.different(rounds, number)
            if number == FEW_OF_MANY and cost * left > self.left // 2:
                # The rounds are alike: some stand for those that there are no steps for.
                return Value(UNKNOWN if first.ifs or rest else len(rounds))
            if number == MAX_ROUNDS:
                return Value(UNKNOWN if first.ifs or rest else len(rounds))
            number += 1
            self.assign(first.target, item, inner)
            tests = [operators.truth(self.value(test, inner)) for test in first.ifs]
            for test, known in zip(first.ifs, tests, strict=True):
                if known is not None:
                    self.comparisons.select((inner.file, test.lineno), known)
            if any(known is False for known in tests):
                if again is not None:
                    again.keep(item)
                continue
            if any(known is None for known in tests):
                lazy = Value(UNKNOWN)
            deeper = self._generate(rest, inner, emit)
            if deeper is not None:
                lazy = Value(UNKNOWN)
            if again is not None:
                again.keep(item)
        return lazy


PURE = (
    *(ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.BinOp, ast.UnaryOp, ast.BoolOp),
    *(ast.Compare, ast.IfExp, ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context),
    ast.Tuple,
)
PURE_CALLS = frozenset(
    ("get", "lower", "upper", "strip", "casefold", "isdigit", "isalpha", "isspace", "index",
     "ord", "chr", "int", "float", "str", "len", "startswith", "endswith")
)  # fmt: skip
"""Calls whose result the item alone decides, beside what the comprehension does not change."""


def _transforms(decorator: Value) -> bool:
    """Whether a decorator is a transformation of JAX, also one of which options are set."""
    data = decorator.data
    if isinstance(data, LibraryObject) and data.name == "functools.partial" and data.args:
        data = data.args[0].data
    return isinstance(data, Library) and data.name in TRANSFORMING


def _is_lookup(node: ast.ListComp | ast.GeneratorExp) -> bool:
    """Whether each item of a comprehension is worked out from one item alone, without effects."""
    first = node.generators[0]
    if len(node.generators) != 1 or not isinstance(first.target, ast.Name) or first.is_async:
        return False
    return all(
        isinstance(part, PURE)
        or (
            isinstance(part, ast.Call)
            and not part.keywords
            and getattr(part.func, "attr", getattr(part.func, "id", None)) in PURE_CALLS
        )
        for one in (node.elt, *first.ifs)
        for part in ast.walk(one)
    )


class Again:
    """What a comprehension of lookups gave for the items that it had."""

    def __init__(self, made: list[Value]) -> None:
        """Add to a list what is made of an item that was there before."""
        self.made = made
        self._known: dict[object, list[Value]] = {}
        self._before = 0

    def has(self, item: Value) -> bool:
        """Add what an equal item gave; return whether there was one."""
        key = self._key(item)
        known = self._known.get(key) if key is not None else None
        if known is None:
            self._before = len(self.made)
            return False
        self.made.extend(known)
        return True

    def keep(self, item: Value) -> None:
        """Keep what an item has given."""
        key = self._key(item)
        if key is not None:
            self._known[key] = self.made[self._before :]

    def different(self, items: Sequence[Value], number: int) -> int:
        """Return how many items differ, asked for once, at the round that may end all."""
        if number != FEW_OF_MANY:
            return 0
        return len({self._key(item) or id(item) for item in items})

    @staticmethod
    def _key(item: Value) -> object:
        data = item.data
        return (type(data), data, item.origins) if isinstance(data, (str, int)) else None


def is_no_method(data: LibraryObject, name: str) -> bool:
    """Whether an attribute of scikit-learn's is no method: a parameter, or what fitting leaves."""
    if not data.name.startswith("sklearn.") or name.endswith("__"):
        return False
    return name.endswith("_") or name in PARAMETERS or data.short == "Bunch"


def _docstring(node: ast.AST) -> str | None:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return ast.get_docstring(node, clean=False)
    return None


def _is_class(value: Value) -> bool:
    """Whether a value may be a part of a union of types (PEP 604)."""
    data = value.data
    if isinstance(data, tuple):
        return bool(data) and all(map(_is_class, data))
    if isinstance(data, Library):
        last = data.name.rpartition(".")[2]
        return last[:1].isupper() or data.name.startswith("builtins.")
    return data is None or isinstance(data, ClassValue)


def _field(value: Value, specification: object, conversion: int) -> str | None:
    """Return one field of an f-string, None where it is not known."""
    if not isinstance(specification, str):
        return None
    if not specification:
        shown = builtin_models.text_of(value)
        return repr(shown) if shown is not None and conversion == ord("r") else shown
    try:
        return formatted(plain(value), specification)
    except NotPlain:
        return None


def _replace_data(tensor: Array, value: Value) -> None:
    """Give a tensor the shape and dtype of what its ``data`` is set to."""
    data = value.data
    if isinstance(data, Array):
        tensor.shape, tensor.dtype, tensor.last = data.shape, data.dtype, data.last
    else:
        tensor.shape = None


def _handed_out(value: Value, place: Origin) -> Value:
    """Return what a generator yields; libraries ask whether its parts are lists or tuples."""
    data = value.data
    if isinstance(data, tuple):
        return Value(tuple(_handed_out(item, place) for item in data), value.origins)
    return Value(data, value.origins | {place}) if type(data) in (list, type(None)) else value


def _cut_at(result: Value, base: Value, place: Origin) -> Value:
    """Return an array whose new sizes were made by a slice at a place, too."""
    data, whole = result.data, base.data
    if not isinstance(data, Array) or not data.shape or not isinstance(whole, Array):
        return result
    here = Value(None, frozenset({place}))
    before = {id(dim) for dim in whole.shape or ()}
    data.shape = tuple(
        dim if id(dim) in before or not dim.known else Value(dim.data, merged(dim, here))
        for dim in data.shape
    )
    return result


def _with_slices(
    parts: Sequence[Value], slices: Sequence[tuple[Value | None, ...] | None], place: Origin
) -> tuple[Value, ...]:
    """Return the parts of an index, slices as objects of ``builtins.slice``."""
    indices = []
    for part, bounds in zip(parts, slices, strict=True):
        if bounds is not None:
            given = tuple(Value(None) if b is None else b for b in bounds)
            part = Value(LibraryObject("builtins.slice", given, {}, place), merged(*given))
        indices.append(part)
    return tuple(indices)


def scope_with(name: str, env: Environment) -> Environment | None:
    """Return the scope in which a name is looked up, None where none has it."""
    scope: Environment | None = env
    while scope is not None:
        # The names of a class are not seen inside its functions.
        is_seen = scope is env or scope.owner is None or scope.names is not scope.owner.members
        if is_seen and name in scope.names:
            return scope
        scope = scope.outer
    return None


def scope_bound(name: str, env: Environment) -> Environment:
    """Return the scope in which an assignment binds a name."""
    scope = env
    if f"nonlocal {name}" in env.names:
        while scope.outer is not None and (scope is env or name not in scope.names):
            scope = scope.outer
    if f"global {name}" in env.names:
        while scope.outer is not None:
            scope = scope.outer
    return scope


def _without_not(test: ast.expr) -> tuple[ast.expr, bool]:
    """Return a test without the negations before it, and whether their number is even."""
    positive = True
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, positive = test.operand, not positive
    return test, positive


def _is_partial(value: Value) -> bool:
    """Whether a value is ``functools.partial`` of a function of the program."""
    data = value.data
    if not isinstance(data, LibraryObject) or data.name != "functools.partial" or not data.args:
        return False
    return isinstance(data.args[0].data, (FunctionValue, BoundMethod))


def _note_view(
    base: Array,
    part: Array,
    parts: Sequence[Value],
    slices: Sequence[tuple[Value | None, ...] | None],
) -> None:
    """Note that a part of an array shows its memory, where numbers and slices select it.

    Lists, arrays and masks select a copy (NumPy, "Copies and views").
    """
    if getattr(base, "index", None) is not None or base.library not in ("numpy", "torch"):
        return
    for index, bounds in zip(parts, slices, strict=True):
        data = index.data
        is_basic = data is None or data is ... or data is UNKNOWN or type(data) is int
        if bounds is None and not is_basic and not arrays.is_number(index):
            return
    base.share_memory(part)
