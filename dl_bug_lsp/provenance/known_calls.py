"""What calls of well-known library functions give: configs, files, options, batches.

Options that a program reads with ``configparser``: ``parser.getint(section, option)``.
"""

from __future__ import annotations

import ast
import posixpath
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from dl_bug_lsp.provenance import blocks, calls, changes, objects
from dl_bug_lsp.provenance.folding import MAKERS, first_argument, text_method
from dl_bug_lsp.provenance.nodes import (
    Class,
    Config,
    Const,
    DataFile,
    Instance,
    Items,
    Library,
    LibraryObject,
    Mapping,
    Node,
    Parsed,
    Value,
)
from dl_bug_lsp.provenance.scopes import dotted_name
from dl_bug_lsp.provenance.written_files import READERS, written

if TYPE_CHECKING:
    from dl_bug_lsp.provenance.engine import Engine
    from dl_bug_lsp.provenance.nodes import Node


LOADERS = (
    "json.load",
    "json.loads",
    "yaml.safe_load",
    "yaml.load",
    "yaml.full_load",
    "yaml.unsafe_load",
    "toml.load",
    "toml.loads",
    "tomllib.load",
    "tomllib.loads",
    "tomli.load",
    "tomli.loads",
    "omegaconf.OmegaConf.load",
    "ruamel.yaml.safe_load",
    "configparser.ConfigParser().read",
    "hyperpyyaml.load_hyperpyyaml",
    "pyrallis.load",
    "jsonargparse.load",
)
INSTANCES_OF_OPTIONS = ("draccus.parse", "pyrallis.parse", "tyro.cli", "simple_parsing.parse")
"""Calls that parse a command line into an object of the class that they are given."""
PASS_THROUGH = (
    "builtins.list",
    "builtins.tuple",
    "builtins.iter",
    "builtins.vars",
    "copy.deepcopy",
    "copy.copy",
    "dataclasses.asdict",
    "dataclasses.replace",
    "pathlib.Path",
    "pathlib.PurePath",
    "os.fspath",
    "os.path.abspath",
    "os.path.expanduser",
    "os.path.realpath",
    "tqdm.tqdm",
    "tqdm.auto.tqdm",
    "builtins.enumerate",
    "io.StringIO",
    "torch.compile",
    "torch.jit.script",
    "torch.nn.DataParallel",
    "torch.nn.parallel.DistributedDataParallel",
)
OPENERS = ("builtins.open", "io.open", "codecs.open", "gzip.open", "tensorflow.io.gfile.GFile")
SUFFIXES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("yaml", (".yaml", ".yml")),
    ("OmegaConf", (".yaml", ".yml")),
    ("pyrallis", (".yaml", ".yml")),
    ("toml", (".toml",)),
    ("json", (".json",)),
    ("configparser", (".ini", ".cfg")),
)
PICKS = {"builtins.next", "builtins.getattr", "os.getenv"}
MAX_GUESSED = 4


def joined_path(left: Node, right: Node) -> list[Value]:
    """Fold ``Path("a") / "b"``."""
    return [
        Const(posixpath.join(a.value, b.value))
        for a in left.constants
        for b in right.constants
        if isinstance(a.value, str) and isinstance(b.value, str)
    ]


def call(engine: Engine, name: str, node: Node, expr: ast.Call) -> list[Value]:
    """Return what calling a library function gives."""
    first = first_argument(engine, node, expr)
    if name in MAKERS:
        values = MAKERS[name](engine, node, expr)
        if values:
            return values
    if name in PASS_THROUGH and first is not None and first.values:
        return list(first.values)
    if name in OPENERS and first is not None:
        return _opened(engine, first)
    if name in LOADERS and first is not None:
        return _loaded(engine, first, name) or _as_written(engine, first)
    if name in READERS and first is not None:
        stored = _as_written(engine, first)
        if stored:
            return stored
    if name.endswith((".parse_args", ".parse_known_args")) and "Parser" in name:
        return [Parsed(_options(engine, node, expr))]
    parsed = _dataclass_options(engine, name, node, expr)
    if parsed:
        return parsed
    configured = blocks.built(engine, name, [engine.node(a, node.context) for a in expr.args])
    if configured:
        return configured
    return [LibraryObject(name, node)]


def workspace_path(engine: Engine, text: str) -> str | None:
    """Return the workspace file that a path written in code or a message means, or None."""
    return engine.workspace.file_named(text)


def _opened(engine: Engine, path: Node) -> list[Value]:
    for constant in path.constants:
        if isinstance(constant.value, str):
            file = workspace_path(engine, constant.value)
            if file is not None:
                return [DataFile(file)]
    return []


def _loaded(engine: Engine, source: Node, name: str) -> list[Value]:
    files = [v.file for v in source.values if isinstance(v, DataFile)]
    if not files:
        files = [v.file for v in _opened(engine, source) if isinstance(v, DataFile)]
    if not files and not source.constants:
        files = [f for f in engine.configuration.files if f.endswith(_suffixes(name))]
    if not files:
        files = files_by_suffix(engine, name)
    return [Config(file, (), None) for file in files[:MAX_GUESSED]]


def files_by_suffix(engine: Engine, loader: str) -> list[str]:
    """Guess what a loader reads whose path is given from outside: the few files of its format."""
    suffixes = _suffixes(loader)
    settings = (
        file
        for file in engine.workspace.files()
        if file.endswith(suffixes)
        and any(
            e.path and isinstance(e.path[0], str) for e in engine.workspace.config_entries(file)[:1]
        )
    )
    # One more than can be used: a large workspace's other configs need not be read.
    guessed = list(islice(settings, MAX_GUESSED + 1))
    return guessed if len(guessed) <= MAX_GUESSED else []


def _suffixes(loader: str) -> tuple[str, ...]:
    return next((s for word, s in SUFFIXES if word in loader), ())


def _as_written(engine: Engine, source: Node) -> list[Value]:
    """Return what a script of the workspace wrote into the file that is read here."""
    values: list[Value] = []
    for node in written(engine, source):
        values.extend(value for value in node.values if value not in values)
    return values


def stored(engine: Engine, node: Node, expr: ast.Call) -> list[Node]:
    """Return what scripts of the workspace put into the file that a call reads."""
    first = first_argument(engine, node, expr)
    reads = any(
        isinstance(v, Library) and v.name in READERS
        for v in engine.node(expr.func, node.context).values
    )
    return written(engine, first) if reads and first is not None else []


def _dataclass_options(engine: Engine, name: str, node: Node, expr: ast.Call) -> list[Value]:
    """Return the objects that a command line is parsed into, by the classes that the call names."""
    classes: list[ast.expr] = []
    listed = False
    if name in INSTANCES_OF_OPTIONS or name.endswith("OmegaConf.structured"):
        classes = [*expr.args[:1], *(k.value for k in expr.keywords if k.arg == "config_class")]
    elif ".parse_" in name and "HfArgumentParser" in name and isinstance(expr.func, ast.Attribute):
        listed = True
        for value in engine.node(expr.func.value, node.context).values:
            construction = value.call.expr if isinstance(value, LibraryObject) else None
            if isinstance(construction, ast.Call):
                arguments = [*construction.args[:1], *(k.value for k in construction.keywords[:1])]
                for item in arguments:
                    classes.extend(item.elts if isinstance(item, (ast.Tuple, ast.List)) else [item])
    parsed = [
        engine.configuration.parsed(value.scope)
        for cls in classes
        for value in engine.node(cls, node.context).values
        if isinstance(value, Class)
    ]
    if listed:
        return [Items(tuple(parsed))] if parsed else []
    return [value for options in parsed for value in options.values]


def _options(engine: Engine, node: Node, expr: ast.Call) -> dict[str, tuple[Node, ...]]:
    """Return the options that ``add_argument`` and ``add_option`` calls declare, by destination.

    They are looked for where the parser is made, where it is asked, and where it is handed to.
    """
    files = dict.fromkeys([node.context.scope.file])
    if isinstance(expr.func, ast.Attribute):
        parser = engine.node(expr.func.value, node.context)
        files.update((v.call.file, None) for v in parser.values if isinstance(v, LibraryObject))
        name = dotted_name(expr.func.value)
        for call in node.context.scope.passed.get(name or "", ()):
            callee = engine.node(call.func, node.context)
            files.update((f.scope.file, None) for f in calls.callables(engine, callee))
    options: dict[str, tuple[Node, ...]] = {}
    for file in files:
        module = engine.program.module(file)
        for scope in module.walk() if module is not None else ():
            for declaration in scope.calls:
                if isinstance(declaration.func, ast.Attribute) and declaration.func.attr in (
                    "add_argument",
                    "add_option",
                ):
                    _declare(engine, declaration, scope, options)
    return options


def _declare(
    engine: Engine, declaration: ast.Call, scope: object, options: dict[str, tuple[Node, ...]]
) -> None:
    names = [
        a.value
        for a in declaration.args
        if isinstance(a, ast.Constant) and isinstance(a.value, str)
    ]
    keywords = {k.arg: k.value for k in declaration.keywords if k.arg}
    destination = keywords.get("dest")
    if isinstance(destination, ast.Constant):
        name = str(destination.value)
    else:
        long = [n for n in names if n.startswith("--")] or names
        if not long:
            return
        name = long[0].lstrip("-").replace("-", "_")
    value = keywords.get("default")
    context = engine.open_context(scope)  # type: ignore[arg-type]
    default = engine.node(value if value is not None else declaration, context)
    run_values = [
        node for flag in (name, *_plain(names)) for node in engine.configuration.options(flag)
    ]
    options[name] = tuple(run_values) or (default,)


def _plain(flags: list[str]) -> list[str]:
    return [flag.lstrip("-").replace("-", "_") for flag in flags]


def method_call(engine: Engine, node: Node, expr: ast.Call) -> list[Value]:
    """Return what a method of a builtin type or of an opened file gives."""
    if not isinstance(expr.func, ast.Attribute):
        return []
    base = engine.node(expr.func.value, node.context)
    name = expr.func.attr
    if name in {"read", "read_text", "open", "readlines", "read_bytes", "splitlines"}:
        data: list[Value] = [v for v in base.values if isinstance(v, DataFile)]
        return data or _opened(engine, base)
    first = first_argument(engine, node, expr)
    if name in {"get", "pop", "setdefault"} and first is not None:
        members = [
            n
            for c in first.constants
            if isinstance(c.value, str)
            for n in objects.member(engine, base, c.value)
        ]
        values: list[Value] = [v for n in members for v in n.values]
        if values or len(expr.args) > 1:
            return values or list(engine.node(expr.args[1], node.context).values)
        absent = name == "get" and not members and first.constant is not None
        return [Const(None)] if absent and objects.is_closed(engine, base) else []
    if name in {
        "copy",
        "items",
        "to",
        "cuda",
        "cpu",
        "train",
        "eval",
        "double",
        "half",
        "requires_grad_",
    }:
        if name == "items":
            return [LibraryObject("builtins.dict().items", node)]
        return list(base.values)
    if name in {"item", "tolist"}:
        # An array without axes holds a table: what `numpy.load` gives of a saved dictionary.
        return [value for value in base.values if isinstance(value, Mapping)]
    if name in {"values", "keys"} and any(isinstance(v, (Mapping, Config)) for v in base.values):
        return [LibraryObject(f"builtins.dict().{name}", node)]
    return text_method(engine, node, expr, base, name)


def _pair(engine: Engine, like: Node, sources: list[Node]) -> Node:
    """Return a node that stands for one tuple of what ``zip`` gives."""

    def parts() -> list[Node]:
        return [
            engine.derived(
                ("element", id(source)),
                source,
                partial(objects.elements_of, engine, source),
                role="item",
            )
            for source in sources
        ]

    return engine.derived(
        ("pair", id(like)), like, parts, lambda: [Items(tuple(parts()))], role="part"
    )


def made_of(engine: Engine, node: Node, expr: ast.Call, callee: Node) -> list[Node]:
    """Return what a call of a builtin picks out of its first argument: ``next``, ``getattr``."""
    first = first_argument(engine, node, expr)
    called = {v.name for v in callee.values if isinstance(v, Library)}
    if first is None or not called & PICKS:
        return []
    if "builtins.next" in called:
        return objects.elements_of(engine, first)
    if "os.getenv" in called:
        return [
            n
            for c in first.constants
            if isinstance(c.value, str)
            for n in changes.of_environment(engine, c.value)
        ]
    if len(expr.args) < 2:
        return []
    nodes = []
    named = engine.node(expr.args[1], node.context)
    for constant in named.constants:
        if isinstance(constant.value, str):
            nodes.extend(objects.member(engine, first, constant.value))
    if not named.constants:
        for value in first.values:
            if isinstance(value, Instance):
                nodes.extend(changes.set_by_name(engine, value, None))
    return nodes


def elements(engine: Engine, value: LibraryObject) -> list[Node]:
    """Return what iterating over a library object gives: a loader's batches, dict items, zips."""
    call_ = value.call.expr
    if not isinstance(call_, ast.Call):
        return []
    context = value.call.context
    if value.name.endswith("DataLoader"):
        keywords = {k.arg: k.value for k in call_.keywords if k.arg}
        collate = keywords.get("collate_fn")
        if collate is not None:
            dataset = call_.args[0] if call_.args else keywords.get("dataset")
            samples = engine.node(dataset, context) if dataset is not None else None
            returned = [
                n
                for f in calls.callables(engine, engine.node(collate, context))
                for n in calls.returns_for(engine, f, calls.many(engine, samples))
            ]
            if returned:
                return returned
        dataset = call_.args[0] if call_.args else keywords.get("dataset")
        if dataset is not None:
            return objects.elements_of(engine, engine.node(dataset, context))
    if value.name == "builtins.dict().items" and isinstance(call_.func, ast.Attribute):
        base = engine.node(call_.func.value, context)
        return [item for v in base.values if isinstance(v, Mapping) for _, item in v.pairs]
    if value.name == "builtins.dict().values" and isinstance(call_.func, ast.Attribute):
        return objects.any_items(engine, engine.node(call_.func.value, context))
    if value.name == "builtins.dict().keys" and isinstance(call_.func, ast.Attribute):
        return objects.elements_of(engine, engine.node(call_.func.value, context))
    if value.holds_parts:
        arguments = [engine.node(a, context) for a in call_.args]
        if len(arguments) == 1 and not isinstance(call_.args[0], ast.Starred):
            return objects.elements_of(engine, arguments[0]) or arguments
        return [
            part
            for arg, argument in zip(call_.args, arguments, strict=True)
            for part in (
                objects.elements_of(engine, argument)
                if isinstance(arg, ast.Starred)
                else [argument]
            )
        ]
    if value.name == "builtins.zip":
        return [_pair(engine, value.call, [engine.node(a, context) for a in call_.args])]
    if value.name == "builtins.map" and len(call_.args) == 2:
        source = engine.node(call_.args[1], context)
        element = engine.derived(
            ("element", id(source)),
            source,
            lambda: objects.elements_of(engine, source),
            role="item",
        )
        return [
            n
            for f in calls.callables(engine, engine.node(call_.args[0], context))
            for n in calls.returns_for(engine, f, element)
        ] or [element]
    if value.name == "builtins.filter" and len(call_.args) == 2:
        return objects.elements_of(engine, engine.node(call_.args[1], context))
    return []


PARSERS = ("configparser.ConfigParser", "configparser.RawConfigParser")
GETTERS = ("get", "getint", "getfloat", "getboolean")


def option(engine: Engine, node: Node, expr: ast.Call) -> list[Node]:
    """Return the entries that a call of a parser's getter reads, none for any other call."""
    func = expr.func
    if not isinstance(func, ast.Attribute) or func.attr not in GETTERS or len(expr.args) < 2:
        return []
    parsers = engine.node(func.value, node.context).values
    if not any(isinstance(v, LibraryObject) and v.name in PARSERS for v in parsers):
        return []
    keys = [engine.node(a, node.context).constant for a in expr.args[:2]]
    path = tuple(key.value for key in keys if key is not None and isinstance(key.value, str))
    if len(path) != 2:
        return []
    entries = (engine.settings(file).at(path) for file in _files(engine, node, func.value))
    return [engine.config_node(entry, node.context) for entry in entries if entry is not None]


def _files(engine: Engine, node: Node, parser: ast.expr) -> list[str]:
    """Return the files that the parser reads; where the path is not known, the few there are."""
    name = parser.id if isinstance(parser, ast.Name) else ""
    files: list[str] = []
    for call in node.context.scope.configured.get(name, []):
        if isinstance(call.func, ast.Attribute) and call.func.attr == "read" and call.args:
            for constant in engine.node(call.args[0], node.context).constants:
                if isinstance(constant.value, str):
                    file = workspace_path(engine, constant.value)
                    files.extend([file] if file is not None else [])
    known = [f for f in engine.run.files if f.endswith(_suffixes("configparser"))]
    return files or known or files_by_suffix(engine, "configparser")
