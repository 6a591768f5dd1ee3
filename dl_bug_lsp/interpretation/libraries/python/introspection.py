"""What a program asks of its functions and its environment: signatures, versions, the platform.

Versions and the platform are only supposed where a failing run is followed: most runs have a recent
release, and a run that went another way is led there by its stack.

Source: Python's documentation of ``enum``, ``importlib``, ``inspect``, ``platform``, ``runpy`` and
``sys``; the version specifiers of the Python Packaging User Guide.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation.libraries.torch.tensors import words
from dl_bug_lsp.interpretation.model_helpers import first_argument, listed, thing
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.operators import RELEASE, truth
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    BoundMethod,
    ClassValue,
    Environment,
    FunctionValue,
    Instance,
    Library,
    LibraryObject,
    ModuleValue,
    Value,
    merged,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

RECENT: Mapping[str, str] = {
    **dict.fromkeys(("torch", "torchaudio"), "2.9.1"),
    "torchvision": "0.24.1",
    "torchmetrics": "1.8.2",
    **dict.fromkeys(("lightning", "pytorch_lightning", "lightning.pytorch"), "2.6.0"),
    "numpy": "2.3.5",
    "scipy": "1.16.3",
    "pandas": "2.3.3",
    "sklearn": "1.7.2",
    "tensorflow": "2.20.0",
    "keras": "3.12.0",
    **dict.fromkeys(("jax", "jaxlib"), "0.8.1"),
    "transformers": "4.57.3",
    "datasets": "4.4.1",
    "accelerate": "1.12.0",
}
"""Releases of late 2025, by the module that tells them."""
PYTHON = (3, 11, 0)
NO_DEVICES = ("npu", "mlu", "musa", "xpu", "hpu", "mps", "sdaa")
"""Kinds of devices that few machines have."""
_OF_OBJECTS = frozenset(dir(object)) | {"__dict__", "__module__", "__weakref__", "__annotations__"}
_OF_MODULES = frozenset(
    words(
        """
    T_destination add_module apply bfloat16 buffers call_super_init children compile cpu cuda double
    dump_patches eval extra_repr float forward get_buffer get_extra_state get_parameter
    get_submodule half ipu load_state_dict modules mtia named_buffers named_children named_modules
    named_parameters parameters register_backward_hook register_buffer register_forward_hook
    register_forward_pre_hook register_full_backward_hook register_full_backward_pre_hook
    register_load_state_dict_post_hook register_load_state_dict_pre_hook register_module
    register_parameter register_state_dict_post_hook register_state_dict_pre_hook requires_grad_
    set_extra_state set_submodule share_memory state_dict to to_empty train training type xpu
    zero_grad _apply _backward_hooks _backward_pre_hooks _buffers _call_impl _compiled_call_impl
    _forward_hooks _forward_pre_hooks _get_name _is_full_backward_hook _load_from_state_dict
    _load_state_dict_post_hooks _load_state_dict_pre_hooks _modules _named_members
    _non_persistent_buffers_set _parameters _register_load_state_dict_pre_hook
    _register_state_dict_hook _replicate_for_data_parallel _save_to_state_dict
    _state_dict_hooks _state_dict_pre_hooks _version _wrapped_call_impl __call__ __getattr__
    __setstate__
    """
    )
)
_OF_ESTIMATORS = frozenset(
    words(
        """
        get_params set_params get_metadata_routing score fit_transform set_output
        get_feature_names_out _get_param_names _get_tags _more_tags _check_n_features
        _check_feature_names _validate_data _validate_params _repr_html_ _repr_html_inner
        _repr_mimebundle_ _estimator_type _build_request_for_signature _get_default_requests
        _get_metadata_request _get_doc_link _doc_link_module _doc_link_template
        _doc_link_url_param_generator _html_repr _sklearn_auto_wrap_output_keys
        __sklearn_tags__ __sklearn_clone__ __getstate__ __setstate__
        """
    )
)
MEMBERS: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(
        ("builtins.object", "abc.ABC", "typing.Protocol", "typing.Generic"), _OF_OBJECTS
    ),
    **dict.fromkeys(
        ("torch.nn.Module", "torch.nn.modules.Module", "torch.nn.modules.module.Module"),
        _OF_OBJECTS | _OF_MODULES,
    ),
    **dict.fromkeys(
        [
            *("sklearn.base.BaseEstimator", "sklearn.base.ClassifierMixin"),
            *("sklearn.base.RegressorMixin", "sklearn.base.TransformerMixin"),
        ],
        _OF_OBJECTS | _OF_ESTIMATORS,
    ),
    **dict.fromkeys(
        ("transformers.utils.PushToHubMixin", "transformers.utils.hub.PushToHubMixin"),
        _OF_OBJECTS
        | {"push_to_hub", "_create_repo", "_get_files_timestamps", "_upload_modified_files"},
    ),
    **dict.fromkeys(
        ("torch.utils.data.Dataset", "torch.utils.data.dataset.Dataset"),
        _OF_OBJECTS | {"__add__", "__getitem__", "__getitems__"},
    ),
}
"""All attributes of classes that programs derive theirs from (PyTorch 2.9)."""
_NUMBERS = re.compile(r"v?(\d+(?:\.\d+)*)")


def _released(text: str, call: Call) -> Value | None:
    """Return a version as it compares, by the numbers of its release; None for other texts."""
    match = _NUMBERS.match(text.strip())
    if match is None:
        return None
    numbers = tuple(int(part) for part in match[1].split(".")[:6])
    release = Value(tuple(map(Value, numbers)))
    state = {RELEASE: release, "release": release}
    names = ("major", "minor", "micro")
    padded = (*numbers, 0, 0, 0)
    state.update({name: Value(padded[i]) for i, name in enumerate(names)})
    state["base_version"] = Value(match[1])
    for name in ("is_prerelease", "is_devrelease", "is_postrelease"):
        state[name] = Value(False)
    return thing("packaging.version.Version", call, **state)


@MODELS.function(
    *(f"packaging.version.{name}" for name in ("parse", "Version")),
    *("pkg_resources.parse_version", "distutils.version.LooseVersion", "looseversion.LooseVersion"),
    *("distutils.version.StrictVersion", "setuptools._distutils.version.LooseVersion"),
)
def _version(_: Interpreter, call: Call) -> Value:
    text = call.args[0].data if call.args else None
    made = _released(text, call) if isinstance(text, str) else None
    return made or call.unknown()


@MODELS.function("importlib.metadata.version", "importlib_metadata.version")
def _distribution_version(interpreter: Interpreter, call: Call) -> Value:
    name = call.args[0].data if call.args else None
    known = RECENT.get(name.replace("-", "_")) if isinstance(name, str) else None
    if known is None and isinstance(name, str) and interpreter.GUESSES:
        own = _own_version(interpreter, name)
        return call.unknown() if own is None else own
    return Value(known) if known is not None and interpreter.GUESSES else call.unknown()


_VERSION = re.compile(r"""^\s*(?:__version__|version)\s*=\s*["'](\d[\w.+-]*)["']""", re.MULTILINE)


def _own_version(interpreter: Interpreter, name: str) -> Value | None:
    """Return the version that a project of the workspace says that it has."""
    package = name.replace("-", "_")
    workspace = interpreter.workspace
    if workspace.module_file(package) is None:
        return None
    for file in ("pyproject.toml", "setup.cfg", "setup.py", f"{package}/__init__.py"):
        text = workspace.text(file) if file in workspace.files() else None
        match = None if text is None else _VERSION.search(text)
        if match is not None and text is not None:
            line = text.count("\n", 0, match.start(1)) + 1
            return Value(match[1], frozenset({(file, line)}))
    return None


@MODELS.function("importlib.util.find_spec")
def _found_module(interpreter: Interpreter, call: Call) -> Value:
    """Return whether a module is there: packages that a program can do without mostly are not."""
    name = call.args[0].data if call.args else None
    if not interpreter.GUESSES or not isinstance(name, str):
        return call.unknown()
    root = name.partition(".")[0]
    known = root in RECENT or root in sys.stdlib_module_names or root in interpreter.message
    if known or interpreter.workspace.module_file(name, call.place[0]) is not None:
        return thing("importlib.machinery.ModuleSpec", call, name=Value(name))
    return Value(None)


@MODELS.function("platform.system", "platform.python_version")
def _platform(interpreter: Interpreter, call: Call) -> Value:
    if not interpreter.GUESSES:
        return call.unknown()
    python = ".".join(map(str, PYTHON))
    return Value(python if call.name.endswith("version") else "Linux")


@MODELS.function(
    *(f"torch.{kind}.is_available" for kind in NO_DEVICES),
    *("torch.backends.mps.is_available", "torch.backends.mps.is_built"),
)
def _no_device(interpreter: Interpreter, call: Call) -> Value:
    kind = call.name.split(".")[-2]
    if not interpreter.GUESSES or kind in interpreter.message:
        return call.unknown()
    return Value(False)


@MODELS.function(
    *(f"torch.jit.is_{name}" for name in ("scripting", "tracing")),
    *(f"torch.compiler.is_{name}" for name in ("compiling", "dynamo_compiling")),
    *(f"torch._C.{name}" for name in ("_is_tracing", "_get_tracing_state")),
    *(f"torch.overrides.has_torch_function{ending}" for ending in ("", "_unary", "_variadic")),
    *("torch._dynamo.is_compiling", "torch.onnx.is_in_onnx_export"),
)
def _not_recorded(interpreter: Interpreter, call: Call) -> Value:
    """Return that nobody traces or compiles the run, as in most."""
    return Value(False) if interpreter.GUESSES else call.unknown()


@MODELS.function(
    *(f"mpi4py.MPI.COMM_WORLD.{name}" for name in ("Get_rank", "Get_size")),
    *(f"torch.distributed.{name}" for name in ("get_rank", "get_world_size")),
)
def _process(interpreter: Interpreter, call: Call) -> Value:
    """Return the number of this process, and how many there are: most runs have one."""
    is_number = call.name.endswith(("rank", "index"))
    return Value(0 if is_number else 1) if interpreter.GUESSES else call.unknown()


OF_PYTHON: Mapping[str, Value] = {
    RELEASE: Value(tuple(map(Value, PYTHON))),
    **{name: Value(PYTHON[at]) for at, name in enumerate(("major", "minor", "micro"))},
}
"""What ``sys.version_info`` holds."""


@MODELS.method("version_info", "__getitem__")
def _part_of_version(_: Interpreter, call: Call) -> Value:
    number = call.args[0].data if call.args else None
    if isinstance(number, int) and 0 <= number < len(PYTHON):
        return Value(PYTHON[number])
    if isinstance(number, LibraryObject) and number.short == "slice":
        start, stop = number.args[0].data, number.args[1].data
        if isinstance(stop, int) and start in (None, 0):
            return Value(tuple(map(Value, PYTHON[:stop])))
    return call.unknown()


# --- modules --------------------------------------------------------------------------------------


def _file_of(value: Value | None) -> str | None:
    """Return the workspace file that a module, class, function or method is written in."""
    data = None if value is None else value.data
    if isinstance(data, BoundMethod):
        data = data.function
    if isinstance(data, ModuleValue):
        return data.environment.file
    if isinstance(data, Instance):
        return data.cls.file
    return data.file if isinstance(data, (FunctionValue, ClassValue)) else None


@MODELS.function("inspect.getfile", "inspect.getsourcefile", "inspect.getabsfile")
def _source_file(_: Interpreter, call: Call) -> Value:
    file = _file_of(call.given(0, "object"))
    return call.unknown() if file is None else Value(file, merged(*call.args))


@MODELS.function("inspect.getmodule")
def _module_of(interpreter: Interpreter, call: Call) -> Value:
    file = _file_of(call.given(0, "object"))
    return call.unknown() if file is None else interpreter.modules.get(file, call.unknown())


@MODELS.function("inspect.getsource", "inspect.getdoc")
def _source(interpreter: Interpreter, call: Call) -> Value:
    """Return the lines of a definition as one text, or its cleaned documentation."""
    given = call.given(0, "object")
    data = None if given is None else given.data
    if isinstance(data, BoundMethod):
        data = data.function
    if not isinstance(data, (FunctionValue, ClassValue)) or isinstance(data.node, ast.Lambda):
        return call.unknown()
    if call.name.endswith("getdoc"):
        docstring = ast.get_docstring(data.node)
        is_sure = docstring is not None or isinstance(data, FunctionValue)
        return Value(docstring, merged(*call.args)) if is_sure else call.unknown()
    lines = (interpreter.workspace.text(data.file) or "").splitlines(keepends=True)
    first = min([data.node.lineno, *(d.lineno for d in data.node.decorator_list)])
    return Value("".join(lines[first - 1 : data.node.end_lineno]), merged(*call.args))


@MODELS.function("inspect.getmembers")
def _members(interpreter: Interpreter, call: Call) -> Value:
    """Return the names of a module and what they stand for, sorted, those that pass a test."""
    given, test = call.given(0, "object"), call.given(1, "predicate")
    if given is None or not isinstance(given.data, ModuleValue):
        return call.unknown()
    pairs = []
    for name in sorted(given.data.environment.names):
        held = interpreter.attribute(given, name, call.place)
        passes: bool | None = True
        if test is not None and test.data is not None:
            passes = truth(interpreter.call(test, (held,), {}, call.place))
        if passes is not False:
            pairs.append(Value((Value(name), held), held.origins))
    return Value(pairs, given.origins)


@MODELS.subscript("sys.modules")
def _module_named(interpreter: Interpreter, call: Call) -> Value:
    """Return a module of the workspace by its name, one of a library as itself."""
    name = call.args[0].data if call.args else None
    if not isinstance(name, str):
        return call.unknown()
    if name == "__main__":
        return interpreter.modules.get(interpreter.script, call.unknown())
    file = interpreter.workspace.module_file(name, call.place[0])
    if file is None:
        return Value(Library(name), merged(*call.args))
    return interpreter.modules.get(file, call.unknown())


@MODELS.function("builtins.__import__")
def _imported(interpreter: Interpreter, call: Call) -> Value:
    """Return a module as a statement imports it: the first package, or the module for names."""
    name, taken = call.given(0, "name"), call.given(3, "fromlist")
    if name is None or not isinstance(name.data, str) or call.given(4, "level") is not None:
        return call.unknown()
    is_whole = taken is not None and isinstance(taken.data, (list, tuple)) and bool(taken.data)
    importing = MODELS.functions["importlib.import_module"]
    module = importing(interpreter, Call("importlib.import_module", (name,), {}, call.place))
    root = Value(name.data.partition(".")[0], name.origins)
    if is_whole or root.data == name.data:
        return module
    return importing(interpreter, Call("importlib.import_module", (root,), {}, call.place))


MODELS.function("importlib.reload")(first_argument)


# --- signatures -----------------------------------------------------------------------------------


Parameter = tuple[str, str, Value | None]
"""The name, kind and default of a parameter (PEP 362)."""


def _parameters(interpreter: Interpreter, value: Value) -> list[Parameter] | None:
    """Return the parameters of what can be called, None where they are not known."""
    data, receivers = value.data, 0
    if isinstance(data, BoundMethod):
        data, receivers = data.function, 1
    elif isinstance(data, (ClassValue, Instance)):
        cls = data if isinstance(data, ClassValue) else data.cls
        name = "__init__" if isinstance(data, ClassValue) else "__call__"
        own = (base.members.get(name) for base in interpreter.lineage(cls))
        member = next((value for value in own if value is not None), None)
        data, receivers = (None if member is None else member.data), 1
    if data is None and isinstance(value.data, ClassValue) and value.data.is_dataclass:
        if interpreter.has_fields_of_libraries(value.data):
            return None
        fields = interpreter.fields_of(value.data).items()
        return [(name, "POSITIONAL_OR_KEYWORD", default) for name, default in fields]
    if not isinstance(data, FunctionValue):
        return None
    given = data.node.args
    found: list[Parameter] = []
    for kind, group in (
        ("POSITIONAL_ONLY", given.posonlyargs),
        ("POSITIONAL_OR_KEYWORD", given.args),
        ("VAR_POSITIONAL", [given.vararg] if given.vararg else []),
        ("KEYWORD_ONLY", given.kwonlyargs),
        ("VAR_KEYWORD", [given.kwarg] if given.kwarg else []),
    ):
        found.extend((p.arg, kind, data.defaults.get(p.arg)) for p in group if p is not None)
    return found[receivers:]


@MODELS.function("inspect.signature")
def _signature(interpreter: Interpreter, call: Call) -> Value:
    found = _parameters(interpreter, call.args[0]) if call.args else None
    if found is None:
        return call.unknown()
    empty = Value(Library("inspect.Parameter.empty"))
    parameters: dict[str, Value] = {}
    for name, kind, default in found:
        state = {
            "name": Value(name),
            "kind": Value(Library(f"inspect.Parameter.{kind}")),
            "default": empty if default is None else default,
        }
        parameters[name] = Value(LibraryObject("inspect.Parameter", (), {}, call.place, state))
    return thing("inspect.Signature", call, parameters=Value(parameters))


@MODELS.function("inspect.getfullargspec", "inspect.getargspec")
def _arguments(interpreter: Interpreter, call: Call) -> Value:
    found = _parameters(interpreter, call.args[0]) if call.args else None
    if found is None:
        return call.unknown()
    positional = ("POSITIONAL_ONLY", "POSITIONAL_OR_KEYWORD")
    own = [Value("self")] if isinstance(call.args[0].data, (BoundMethod, ClassValue)) else []
    names = [*own, *(Value(name) for name, kind, _ in found if kind in positional)]
    only = [Value(name) for name, kind, _ in found if kind == "KEYWORD_ONLY"]
    many = next((Value(name) for name, kind, _ in found if kind == "VAR_KEYWORD"), Value(None))
    return thing("inspect.FullArgSpec", call, args=Value(names), kwonlyargs=Value(only), varkw=many)


# --- classes --------------------------------------------------------------------------------------


def order_of(interpreter: Interpreter, cls: ClassValue) -> Value:
    """Return a class, its bases in the order of method resolution, and ``object``."""
    own = [Value(base) for base in interpreter.lineage(cls)]
    libraries = dict.fromkeys(interpreter.library_bases(cls))
    others = [Value(Library(name)) for name in (*libraries, "builtins.object")]
    return Value((*own, *others))


@MODELS.function("inspect.getmro")
def _order(interpreter: Interpreter, call: Call) -> Value:
    data = call.args[0].data if call.args else None
    return order_of(interpreter, data) if isinstance(data, ClassValue) else call.unknown()


@MODELS.function(*(f"enum.{name}" for name in ("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag")))
def _enumeration(interpreter: Interpreter, call: Call) -> Value:
    """Return the class that a call with the names of its members makes (Python's ``enum``)."""
    name, given = call.given(0, "value", "class_name"), call.given(1, "names")
    members = None if given is None else _enumerated(interpreter, given)
    if name is None or not isinstance(name.data, str) or members is None:
        return call.unknown()
    kind = call.name.rpartition(".")[2]
    start = call.keywords.get("start", Value(1)).data
    names = {kind: Value(Library(f"enum.{kind}"))}
    body: list[ast.stmt] = []
    for number, (member, value) in enumerate(members):
        if not member.isidentifier():
            return call.unknown()
        step = 1 << number if "Flag" in kind else number + (start if isinstance(start, int) else 1)
        counted = member.lower() if kind == "StrEnum" else step
        names[f"{member} value"] = Value(counted) if value is None else value
        chosen = ast.Name(f"{member} value", ast.Load())
        body.append(ast.Assign([ast.Name(member, ast.Store())], chosen))
    made = ast.ClassDef(name.data, [ast.Name(kind, ast.Load())], [], body or [ast.Pass()], [])
    for node in ast.walk(made):
        if isinstance(node, (ast.stmt, ast.expr)):
            node.lineno = node.end_lineno = call.place[1]
            node.col_offset = node.end_col_offset = 0
    env = Environment(names, None, call.place[0])
    interpreter.follow_part([made], env)
    return env.names.get(name.data, call.unknown())


def _enumerated(interpreter: Interpreter, given: Value) -> list[tuple[str, Value | None]] | None:
    """Return the members that a text, a list or a table names, each with its value if it has one.

    None where they are not all known.
    """
    if isinstance(given.data, str):
        return [(name, None) for name in given.data.replace(",", " ").split()]
    if isinstance(given.data, dict):
        return [(str(name), value) for name, value in given.data.items()]
    items = listed(interpreter, given)
    if items is None:
        return None
    members: list[tuple[str, Value | None]] = []
    for item in items:
        pair = item.data if isinstance(item.data, (list, tuple)) else (item, None)
        if len(pair) != 2 or not isinstance(pair[0].data, str):
            return None
        members.append((pair[0].data, pair[1]))
    return members


@MODELS.function("builtins.dir")
def _names_of(interpreter: Interpreter, call: Call) -> Value:
    """Return the sorted names of an object of the program, or of one of its classes."""
    data = call.args[0].data if call.args else None
    if isinstance(data, ModuleValue):
        shown = sorted(name for name in data.environment.names if name.isidentifier())
        return Value([Value(name) for name in shown], call.args[0].origins)
    cls = data.cls if isinstance(data, Instance) else data
    bases = interpreter.library_bases(cls) if isinstance(cls, ClassValue) else []
    if not isinstance(cls, ClassValue) or any(base not in MEMBERS for base in bases):
        return call.unknown()
    names = {name for base in interpreter.lineage(cls) for name in base.members}
    names |= set(data.attributes) if isinstance(data, Instance) else set()
    names |= _OF_OBJECTS.union(*(MEMBERS[base] for base in bases))
    shown = sorted(name for name in names if name.isidentifier())
    return Value([Value(name) for name in shown], call.args[0].origins)


@MODELS.function("runpy.run_path")
def _run_path(interpreter: Interpreter, call: Call) -> Value:
    path = call.given(0, "path_name")
    name = call.given(2, "run_name")
    if path is None or not isinstance(path.data, str):
        return call.unknown()
    run_name = name.data if name is not None and isinstance(name.data, str) else "<run_path>"
    module = interpreter.module(path.data.removeprefix("./"), run_name)
    return _names_in_module(module)


def _names_in_module(module: Value) -> Value:
    if isinstance(module.data, ModuleValue):
        return Value(dict(module.data.environment.names))
    return Value(UNKNOWN)


@MODELS.function("importlib.import_module")
def _import_module(interpreter: Interpreter, call: Call) -> Value:
    name = call.given(0, "name")
    if name is None or not isinstance(name.data, str):
        return call.unknown()
    written, package = name.data, call.given(1, "package")
    if written.startswith("."):
        # Its first dot stands for the package, each further one for the package around.
        if package is None or not isinstance(package.data, str):
            return call.unknown()
        around = package.data.split(".")
        rest = written.lstrip(".")
        kept = around[: len(around) - (len(written) - len(rest) - 1)]
        written = ".".join([*kept, rest] if rest else kept)
    file = interpreter.workspace.module_file(written, call.place[0])
    if file is None:
        return Value(Library(written), name.origins)
    return interpreter.module(file, written)
