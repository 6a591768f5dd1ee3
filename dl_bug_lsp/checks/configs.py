"""Checks of settings: keys that the code reads and no file has, texts that look like numbers.

Config files that a command names and that are not there are found here, too.
"""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterator
from functools import partial

from dl_bug_lsp.cancellation import checkpoint
from dl_bug_lsp.checks.entries import Entry
from dl_bug_lsp.checks.findings import Certainty, Check, Finding
from dl_bug_lsp.checks.program import CheckedProgram, finding
from dl_bug_lsp.checks.sources import CONFIGS
from dl_bug_lsp.fixes.fix_context import distance, is_slip
from dl_bug_lsp.provenance.engine import Engine, Node
from dl_bug_lsp.provenance.nodes import Config, LibraryObject
from dl_bug_lsp.workspace import Workspace

# ---------------------------------------------------------------------- files that commands name
ARGUMENT = Check(
    "missing-config-file",
    "path_not_found",
    Certainty.SURE,
    "A command names a config file that does not exist.",
    "Relative paths, from the working directory of the command, where the folder or a file of "
    "nearly that name exists. Options that name an output are left out. Without a near name a "
    "finding is likely.",
    "python train.py --config configs/bse.yaml",
)

OUTPUT = ("out", "save", "dump", "log", "result", "export", "write", "report", "to")


def _missing_files(program: CheckedProgram) -> Iterator[Finding]:
    """Yield files that are named and missing."""
    for entry in program.entries:
        if entry.folder is not None:
            yield from _arguments(program, entry)


def _arguments(program: CheckedProgram, entry: Entry) -> Iterator[Finding]:
    workspace = program.workspace
    before = ""
    for word in entry.words:
        option, sign, value = word.text.partition("=")
        path = value if sign else word.text
        name = option if sign else before
        before = word.text if word.text.startswith("-") else ""
        if not path.endswith(CONFIGS) or "$" in path or path.startswith(("/", "~", "-", ".")):
            continue
        if any(part in name.lower().strip("-").replace("-", "_").split("_") for part in OUTPUT):
            continue
        if any(mark in path for mark in "*?{[:,"):
            continue
        stated = posixpath.normpath(posixpath.join(entry.folder or "", path))
        if stated.startswith("..") or workspace.existing_file(stated) is not None:
            continue
        folder, base = posixpath.split(stated)
        beside = [f for f in workspace.files() if posixpath.dirname(f) == folder]
        if not beside or (not folder and not name.startswith("-")):
            continue
        near = [f for f in beside if distance(posixpath.basename(f), base, 2) <= 2]
        hint = f" Did you mean '{near[0]}'?" if len(near) == 1 else ""
        yield finding(
            ARGUMENT, entry.file or entry.script, word.line or entry.line or 1,
            f"There is no file '{path}'.{hint}", f"The command is: {entry.shown[:160]}",
            certainty=Certainty.SURE if near else Certainty.LIKELY,
        )  # fmt: skip


KEY = Check(
    "missing-key",
    "key_not_found",
    Certainty.LIKELY,
    "The code reads a key that the run's config file does not have.",
    "The config is the one that the command names, or the program's own. Where the same table has "
    "one key that no code reads, the finding stands there: it is likely the same under another "
    "name. Keys that the code puts in itself, asks for with get or in, or catches, are left out.",
    'cfg["num_joints"]      # config.yaml: joints: 7',
)
NUMBER = Check(
    "number-as-text",
    "type_mismatch",
    Certainty.LIKELY,
    "A YAML value looks like a number and is read as text.",
    "YAML 1.1, which PyYAML reads, wants a dot in a number with an exponent. Files that OmegaConf "
    "reads, and keys that the code hands to float, are left out.",
    "learning_rate: 5e-4    # write 5.0e-4",
)
VARIABLE = Check(
    "environment-variable",
    "key_not_found",
    Certainty.LIKELY,
    "A variable of a .env file that no code reads is nearly one that the code reads.",
    "Only where the file does not have the one that is read, and no launch script sets it.",
    "DATADIR=data           # the code reads DATA_DIR",
)
CHECKS = (ARGUMENT, KEY, NUMBER, VARIABLE)

HOLDERS = {"cfg", "config", "conf", "configs", "settings", "options", "opts", "opt", "args", "hp",
           "hparams", "params", "hps", "c", "s", "setup", "spec"}  # fmt: skip
NAMESPACES = ("SimpleNamespace", "Namespace", "EasyDict", "DictConfig", "AttrDict", "Munch", "Box",
              "OmegaConf.create", "ConfigDict")  # fmt: skip
MOST_ASKED = 600
MOST_RUNS = 12
_EXPONENT = re.compile(r"[-+]?\d+[eE][-+]?\d+|[-+]?\d+\.?\d*[eE]\d+")
_YAML_FLOAT = re.compile(r"[-+]?(?:\d[\d_]*)\.[\d_]*(?:[eE][-+]\d+)?|\.[\d_]+(?:[eE][-+]\d+)?")


def find(program: CheckedProgram) -> Iterator[Finding]:
    """Yield what is wrong with the settings of the runs."""
    seen: set[tuple[str, tuple[str, ...]]] = set()
    for entry in program.entries[:MOST_RUNS]:
        key = (entry.script, tuple(word.text for word in entry.words))
        if key not in seen:
            seen.add(key)
            yield from _missing_keys(program, entry)
    yield from _numbers(program)
    yield from _variables(program)
    yield from _missing_files(program)


def _missing_keys(program: CheckedProgram, entry: Entry) -> Iterator[Finding]:
    files = program.reached(entry.script)
    text = "\n".join(program.workspace.text(file) or "" for file in files)
    if not any(word in text for word in ("safe_load", "yaml", "json", "toml", "hydra", "Omega")):
        return
    engine = program.engine(entry)
    workspace = program.workspace
    keys = {
        file: workspace.derived_unindexed("check.keys", file, partial(_keys_of, workspace, file))
        for file in files
    }
    known = program.config_keys.union(*(written_keys for _, written_keys in keys.values()))
    asked = 0
    for file, (reads, _) in keys.items():
        if reads <= known:
            continue
        tree = workspace.tree(file)
        for node, read in _reads(tree) if tree is not None else ():
            if read in known or asked >= MOST_ASKED:
                continue
            asked += 1
            checkpoint()
            yield from _missing_key(program, engine, file, node, read, text)


def _keys_of(workspace: Workspace, file: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the keys that a file reads, and those that it makes itself."""
    tree = workspace.tree(file)
    if tree is None:
        return frozenset(), frozenset()
    return frozenset(read for _, read in _reads(tree)), _made_keys(tree)


def _reads(tree: ast.Module) -> list[tuple[ast.Subscript | ast.Attribute, str]]:
    """Return the expressions that may read a key, where nothing catches that it is not there."""
    reads: list[tuple[ast.Subscript | ast.Attribute, str]] = []
    called: set[int] = set()
    excused: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called.add(id(node.func))
        elif isinstance(node, ast.Try):
            excused.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        elif isinstance(node, (ast.Subscript, ast.Attribute)):
            read = _read_key(node)
            if read is not None:
                reads.append((node, read))
    return [
        (node, read)
        for node, read in reads
        if id(node) not in called and node.lineno not in excused
    ]


def _read_key(node: ast.AST) -> str | None:
    """Return the key that an expression reads from what may be a table of settings."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        at = node.slice
        return at.value if isinstance(at, ast.Constant) and isinstance(at.value, str) else None
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
        base = node.value
        name = getattr(base, "attr", getattr(base, "id", ""))
        root = base
        while isinstance(root, ast.Attribute):
            root = root.value
        holds = name in HOLDERS or getattr(root, "id", "") in HOLDERS
        return node.attr if holds and not node.attr.startswith("_") else None
    return None


def _made_keys(tree: ast.Module) -> frozenset[str]:
    """Return the keys and attributes that the code gives a value itself."""
    keys: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            if isinstance(node.slice, ast.Constant):
                keys.add(str(node.slice.value))
        elif isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            keys.add(node.attr)
        elif isinstance(node, ast.Dict):
            keys.update(str(k.value) for k in node.keys if isinstance(k, ast.Constant))
        elif isinstance(node, ast.Call):
            keys.update(k.arg for k in node.keywords if k.arg is not None)
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name in ("get", "setdefault", "pop", "setattr", "hasattr", "getattr"):
                keys.update(str(a.value) for a in node.args if isinstance(a, ast.Constant))
        elif isinstance(node, ast.Compare) and isinstance(node.left, ast.Constant):
            keys.add(str(node.left.value))
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            keys.add(node.name)
    return frozenset(keys)


def _missing_key(
    program: CheckedProgram,
    engine: Engine,
    file: str,
    node: ast.Subscript | ast.Attribute,
    key: str,
    text: str,
) -> Iterator[Finding]:
    scope = engine.program.scope_at(file, node.lineno)
    if scope is None:
        return
    base = engine.node(node.value, engine.open_context(scope))
    tables = _tables(engine, base, isinstance(node, ast.Attribute))
    if not tables:
        return
    for table in tables:
        settings = engine.settings(table.file)
        own = settings.below(table.path)
        if not own or any(isinstance(e.path[-1], int) for e in own):
            return
        if settings.at((*table.path, key)) is not None or any(
            str(e.path[-1]) in ("_base_", "defaults", "<<", "include", "extends") for e in own
        ):
            return
    table = tables[0]
    own = engine.settings(table.file).below(table.path)
    unread = [e for e in own if not _is_read(str(e.path[-1]), text)]
    name = ".".join(str(part) for part in (*table.path, key))
    where = f"{file}, line {node.lineno}, reads it."
    near = [e for e in unread if is_slip(str(e.path[-1]), key) or _shares(str(e.path[-1]), key)]
    chosen = near if len(near) == 1 else unread if len(unread) == 1 else []
    if chosen:
        entry = chosen[0]
        message = (
            f"No code reads '{entry.path[-1]}', and the code reads '{name}', which is not set."
        )
        yield finding(KEY, entry.file, entry.line, message, where)
    else:
        message = f"The run's settings have no key '{name}'."
        yield finding(KEY, file, node.lineno, message, f"They are those of {own[0].file}.")


def _is_read(key: str, text: str) -> bool:
    """Whether code may read a key: as an attribute, or by a text that holds it."""
    match = re.search(rf"^(?!\s*(?:from|import)\b).*[.'\"]{re.escape(key)}\b", text, re.MULTILINE)
    return match is not None


def _shares(name: str, other: str) -> bool:
    """Whether one name is the other with a word more: ``joints`` and ``num_joints``."""
    a, b = set(name.lower().split("_")), set(other.lower().split("_"))
    return bool(a & b) and (a <= b or b <= a)


def _tables(engine: Engine, base: Node, by_attribute: bool) -> list[Config]:
    """Return the config tables that an expression stands for; nothing where it may be more."""
    if not base.complete or not base.values:
        return []
    tables: list[Config] = []
    for value in base.values:
        if isinstance(value, Config):
            if value.entry is not None and value.entry.length is None:
                return []
            composed = value.file.endswith(" composed")
            if by_attribute and not composed:
                return []
            tables.append(value)
        elif isinstance(value, LibraryObject) and value.name.endswith(NAMESPACES) and by_attribute:
            call = value.call.expr
            if not isinstance(call, ast.Call):
                return []
            parts = [k.value for k in call.keywords if k.arg is None] or call.args[:1]
            if len(parts) != 1 or len([k for k in call.keywords if k.arg]) > 0:
                return []
            inner = engine.node(parts[0], value.call.context)
            rows = _tables(engine, inner, False)
            if not rows:
                return []
            tables.extend(rows)
        else:
            return []
    return tables


def _numbers(program: CheckedProgram) -> Iterator[Finding]:
    """Yield numbers with an exponent and no dot, which YAML 1.1 takes for text."""
    workspace = program.workspace
    text = program.source
    if not re.search(r"yaml\.(?:safe_|full_|unsafe_)?load\(", text):
        return
    if re.search(
        r"OmegaConf|hydra|ruamel|HfArgumentParser|jsonargparse|add_implicit_resolver", text
    ):
        return
    for file in workspace.config_files():
        if not file.endswith((".yaml", ".yml")) or file.startswith((".", "docs/")):
            continue
        if file.rpartition("/")[2] not in text and not _loads_by_option(program, file):
            continue
        for entry in workspace.config_entries(file):
            if not isinstance(entry.value, str) or not _EXPONENT.fullmatch(entry.value.strip()):
                continue
            if _YAML_FLOAT.fullmatch(entry.value.strip()):
                continue
            line = workspace.source_line(file, entry.line)
            if f"'{entry.value}'" in line or f'"{entry.value}"' in line:
                continue
            key = re.escape(str(entry.path[-1]))
            if re.search(rf"float\([^()]*(?:\([^()]*\))?[^()]*\b{key}\b", text):
                continue
            if re.search(rf"\b{key}\b\s*:\s*float\b", text) or "float(v" in text:
                continue
            message = f"'{entry.value}' is text for PyYAML, not a number: it has no dot."
            mantissa, _, exponent = entry.value.lower().partition("e")
            advice = f"Write {mantissa}.0e{exponent if exponent[:1] in '+-' else '+' + exponent}."
            yield finding(NUMBER, file, entry.line, message, advice)


def _loads_by_option(program: CheckedProgram, file: str) -> bool:
    return any(word.text.endswith(file) for entry in program.entries for word in entry.words)


def _variables(program: CheckedProgram) -> Iterator[Finding]:
    """Yield variables of ``.env`` files that the code nearly reads."""
    workspace = program.workspace
    files = [f for f in workspace.files() if f.rpartition("/")[2] in (".env", "local.env")]
    if not files:
        return
    text = program.source
    read = set(re.findall(r"(?:environ(?:\.get\(|\[)|getenv\()\s*['\"](\w+)['\"]", text))
    scripts = "\n".join(workspace.text(file) or "" for file in program.launchers)
    for file in files:
        lines = workspace.lines(file)
        rows = [(n, m[1]) for n, line in enumerate(lines, 1)
                if (m := re.match(r"(?:export\s+)?([A-Za-z_]\w*)=", line))]  # fmt: skip
        names = {name for _, name in rows}
        for number, name in rows:
            if name in read or re.search(rf"\b{name}\b", text + scripts):
                continue
            near = [
                other for other in sorted(read - names)
                if is_slip(name, other) and not re.search(rf"\b{other}=", scripts)
            ]  # fmt: skip
            if len(near) == 1:
                message = f"No code reads '{name}'; the code reads '{near[0]}', which is not set."
                yield finding(VARIABLE, file, number, message)
