"""Checks of command lines: the options of a run against those that its program declares.

The rules are those of `argparse` (unique prefixes of long options count), of click's decorators
and of hydra's overrides.
"""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial

from dl_bug_lsp.checks.entries import Entry
from dl_bug_lsp.checks.findings import Certainty, Check, Finding
from dl_bug_lsp.checks.program import CheckedProgram, finding
from dl_bug_lsp.fixes.fix_context import is_slip
from dl_bug_lsp.provenance.config_composition import composed
from dl_bug_lsp.provenance.scopes import dotted_name
from dl_bug_lsp.workspace import Workspace
from dl_bug_lsp.workspace.configs.shell_files import Word
from dl_bug_lsp.workspace.contents import ConfigEntry

UNKNOWN = Check(
    "unknown-option",
    "illegal_argument",
    Certainty.SURE,
    "A command gives an option that its program does not declare.",
    "Options of argparse and click that are declared with constant names, in the script or in what "
    "it imports. Programs that take unknown options, or have subcommands, are left out.",
    "python train.py --epoch 5      # declared: --epochs",
)
VALUE = Check(
    "option-value",
    "illegal_argument",
    Certainty.SURE,
    "An option's value is not of its type, or not among its choices.",
    "Types int and float, and lists of choices, where they are written down.",
    "python train.py --steps 5e1    # declared with type=int",
)
REQUIRED = Check(
    "missing-option",
    "illegal_argument",
    Certainty.SURE,
    "A command lacks an option that its program requires.",
    "Options declared with required=True, and positional arguments of argparse.",
    "python evaluate.py             # --model is required",
)
OVERRIDE = Check(
    "unknown-override",
    "key_not_found",
    Certainty.SURE,
    "A hydra override sets a key, or chooses a group's option, that the configs do not have.",
    "The configs are composed as hydra does. Keys with '+' in front add, and are left out, and so "
    "are configs with structured schemas.",
    "python train.py optimizer=adm",
)
CHECKS = (UNKNOWN, VALUE, REQUIRED, OVERRIDE)

CUSTOM = ("parse_known_args", "parse_known_intermixed_args", "add_subparsers", "HfArgumentParser",
          "fromfile_prefix_chars", "jsonargparse", "LightningCLI", "fire.Fire", "parse_args_into",
          "simple_parsing", "tyro", "from_argparse_args", "add_argparse_args", "add_model_specific",
          "parents=", "configargparse", "REMAINDER", "ignore_unknown_options",
          "allow_extra_args", "add_arguments(")  # fmt: skip

FLAGS = frozenset(
    ("store_true", "store_false", "store_const", "append_const", "count", "help", "version",
     "BooleanOptionalAction")
)  # fmt: skip
"""Actions of argparse that take no value."""


@dataclass
class Option:
    """One declared argument; ``names`` are empty for a positional one."""

    names: tuple[str, ...]
    place: tuple[str, int]
    type: str = ""
    choices: tuple[object, ...] | None = None
    required: bool = False
    surely: bool = True
    """Whether the parser of this program has it, and not only that of one which imports alike."""
    count: str = ""
    """How many words follow: ``"1"``, ``"0"`` for a flag, ``"?"``, ``"*"``, ``"+"``, ``"n"``."""


@dataclass
class Declared:
    """What a program's parser takes; not ``complete`` where more may be declared elsewhere."""

    options: list[Option] = field(default_factory=list)
    complete: bool = True
    parsers: int = 0

    def named(self, written: str) -> Option | None:
        """Return the option that a word means: by its name, or by a prefix that only it has."""
        exact = [o for o in self.options if written in o.names]
        if exact:
            return exact[0]
        if written.startswith("--"):
            near = [o for o in self.options if any(n.startswith(written) for n in o.names)]
            return near[0] if near else None
        # Short options may be joined, with one another or with a value: ``-vv``, ``-n3``.
        joined = [o for o in self.options if any(len(n) == 2 and written[:2] == n for n in o.names)]
        return joined[0] if joined else None

    def names(self) -> set[str]:
        """Return all names of options."""
        return {name for option in self.options for name in option.names}


def find(program: CheckedProgram) -> Iterator[Finding]:
    """Yield what is wrong with the words of the runs."""
    for entry in program.entries:
        declared = declared_options(program, entry.script)
        if not entry.file or entry.line:
            if declared is not None:
                yield from _compared(entry, declared)
            yield from _overrides(program, entry)


def declared_options(program: CheckedProgram, script: str) -> Declared | None:
    """Return what a script's parser declares, None where it has none that can be read."""
    of_file = program.workspace.derived_unindexed
    parts = {
        file: of_file("check.options", file, partial(_declared, program.workspace, file))
        for file in program.reached(script)
    }
    if parts[script].parsers == 1:
        # Another file's parser is of another program, which imports from this one or is imported.
        parts = {f: d for f, d in parts.items() if f == script or d.parsers == 0}
    if sum(part.parsers for part in parts.values()) != 1:
        return None
    used = [part for part in parts.values() if part.parsers or part.options]
    if not all(part.complete for part in used):
        return None
    return Declared([option for part in used for option in part.options], True, 1)


def _declared(workspace: Workspace, file: str) -> Declared:
    text = workspace.text(file) or ""
    declared = Declared()
    if not any(word in text for word in ("add_argument", "ArgumentParser", "click")):
        return declared
    tree = workspace.tree(file)
    if tree is None:
        return declared
    declared.complete = not any(word in text for word in CUSTOM)
    certain = _beside_parsers(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = str(dotted_name(node.func) or getattr(node.func, "attr", ""))
            name = name.rpartition(".")[2]
            if name == "ArgumentParser":
                declared.parsers += 1
                added = [k for k in node.keywords if k.arg == "add_help"]
                if not added:
                    declared.options.append(
                        Option(("-h", "--help"), (file, node.lineno), count="0")
                    )
            elif name == "add_argument":
                option = _option(file, node)
                if option is None:
                    declared.complete = False
                else:
                    option.surely = id(node) in certain
                    declared.options.append(option)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            _click(file, node, declared)
    return declared


def _beside_parsers(tree: ast.Module) -> set[int]:
    """Return the calls in functions that make a parser, and those outside of any function."""
    node_ids: set[int] = set()
    functions = [n for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.Lambda))]
    in_functions = {id(part) for f in functions for part in ast.walk(f)}
    for function in functions:
        parts = [part for part in ast.walk(function) if isinstance(part, ast.Call)]
        if any("ArgumentParser" in (dotted_name(part.func) or "") for part in parts):
            node_ids.update(id(part) for part in parts)
    node_ids.update(
        id(node) for node in ast.walk(tree)
        if isinstance(node, ast.Call) and id(node) not in in_functions
    )  # fmt: skip
    return node_ids


def _click(file: str, node: ast.FunctionDef | ast.AsyncFunctionDef, declared: Declared) -> None:
    """Take in the decorators of a click command."""
    decorators = [d for d in node.decorator_list if isinstance(d, ast.Call)]
    names = [dotted_name(d.func) or "" for d in decorators]
    plain = [dotted_name(d) or "" for d in node.decorator_list]
    if "click.group" in (*names, *plain):
        declared.complete = False
    if "click.command" not in (*names, *plain):
        return
    declared.parsers += 1
    declared.options.append(Option(("--help",), (file, node.lineno), count="0"))
    known = {"click.command", "click.option", "click.argument", "click.pass_context",
             "click.version_option"}  # fmt: skip
    if any(name and name not in known for name in (*names, *plain)):
        declared.complete = False
    for decorator, name in zip(decorators, names, strict=True):
        if name == "click.option":
            option = _option(file, decorator, click=True)
            if option is None:
                declared.complete = False
            else:
                declared.options.append(option)
        elif name == "click.argument":
            declared.options.append(Option((), (file, decorator.lineno), count="*"))
        elif name == "click.version_option":
            declared.options.append(Option(("--version",), (file, decorator.lineno), count="0"))


def _option(file: str, call: ast.Call, click: bool = False) -> Option | None:
    """Return what a call declares, None where its names are not written down."""
    names: list[str] = []
    for arg in call.args:
        if not (isinstance(arg, ast.Constant) and isinstance(arg.value, str)):
            return None
        names += arg.value.split("/") if click else [arg.value]
    keywords = {k.arg: k.value for k in call.keywords}
    if None in keywords:
        return None
    action = _text(keywords.get("action"))
    flags = [name for name in names if name.startswith("-")]
    if action == "BooleanOptionalAction":
        flags += [f"--no-{name[2:]}" for name in flags if name.startswith("--")]
    option = Option(tuple(flags), (file, call.lineno), _text(keywords.get("type")))
    is_switch = click and (
        _text(keywords.get("is_flag")) == "True" or any("/" in _text(arg) for arg in call.args)
    )
    if action in FLAGS or is_switch:
        option.count = "0"
    elif "nargs" in keywords:
        option.count = _text(keywords["nargs"])
        option.count = option.count if option.count in ("?", "*", "+") else "n"
    else:
        option.count = "1" if action in ("", "store", "append") else "n"
    if action not in ("", "store", "append", "extend") and option.count == "n":
        option.type = ""
    choices = keywords.get("choices")
    if choices is not None:
        try:
            value = ast.literal_eval(choices)
            option.choices = tuple(value) if isinstance(value, (list, tuple, set)) else None
        except (ValueError, TypeError):
            option.choices = None
    option.required = _text(keywords.get("required")) == "True" or (
        not flags and not click and option.count in ("1", "+") and "default" not in keywords
    )
    return option


def _text(node: ast.expr | None) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    return str((dotted_name(node) or "?").rpartition(".")[2]) if node is not None else ""


def _compared(entry: Entry, declared: Declared) -> Iterator[Finding]:
    """Compare the words of one run with the declared options."""
    options_given: set[int] = set()
    positions: list[Word] = []
    words = list(entry.words)
    at = 0
    surely = True
    while at < len(words):
        word = words[at]
        at += 1
        if word.text in ("|", "&", ">", "2>&1", "}", "{") or word.text.startswith((">", "2>")):
            break
        if word.text.startswith("$") or "$" in word.text.partition("=")[0]:
            surely = False
            continue
        if not word.text.startswith("-") or _is_number(word.text) or word.text == "-":
            positions.append(word)
            continue
        name, sign, value = word.text.partition("=")
        option = declared.named(name)
        if option is None:
            if name == "--":
                break
            yield _unknown(entry, declared, word, name)
            surely = False
            if not sign and at < len(words) and not words[at].text.startswith("-"):
                at += 1
            continue
        options_given.add(id(option))
        values = [Word(value, word.line)] if sign else []
        if not sign and option.count != "0":
            most = 1 if option.count in ("1", "?") else len(words)
            while at < len(words) and len(values) < most and _is_value(words[at].text):
                values.append(words[at])
                at += 1
        for word_given in values:
            yield from _value(entry, option, name, word_given)
    if surely:
        yield from _required(entry, declared, options_given, positions)


def _place(entry: Entry, line: int, declared: tuple[str, int]) -> tuple[str, int]:
    """Return where the words of a run stand; of one that was typed what it is compared with."""
    return (entry.file, line or entry.line or 1) if entry.file else declared


def _unknown(entry: Entry, declared: Declared, word: Word, name: str) -> Finding:
    near = sorted(n for n in declared.names() if is_slip(n.lstrip("-"), name.lstrip("-")))
    places = [option.place for option in declared.options] or [(entry.script, 1)]
    place = places[-1][0]
    first = min(at for at in places if at[0] == place)
    hint = f" Did you mean '{near[0]}'?" if len(near) == 1 else ""
    return finding(
        UNKNOWN, *_place(entry, word.line, first),
        f"{entry.script} has no option '{name}'.{hint}",
        f"The options are declared in {place}; the command is: {entry.shown[:160]}",
    )  # fmt: skip


def _value(entry: Entry, option: Option, name: str, word: Word) -> Iterator[Finding]:
    text = word.text
    if "$" in text:
        return
    where = f"{option.place[0]}, line {option.place[1]}, declares it."
    file, line = _place(entry, word.line, option.place)
    reader = {"int": int, "float": float}.get(option.type)
    if reader is not None:
        try:
            reader(text)
        except ValueError:
            message = f"'{name}' of {entry.script} takes {_a(option.type)}, not '{text}'."
            yield finding(VALUE, file, line, message, where)
            return
    if option.choices is not None and option.type in ("", "str", "int", "float"):
        known = [str(choice) for choice in option.choices]
        if text not in known:
            message = f"'{text}' is none of the choices of '{name}' of {entry.script}."
            yield finding(VALUE, file, line, message, f"It may be {', '.join(known[:12])}.", where)


def _a(type_name: str) -> str:
    return "a whole number" if type_name == "int" else "a number"


def _required(
    entry: Entry, declared: Declared, options_given: set[int], positions: list[Word]
) -> Iterator[Finding]:
    for option in declared.options:
        if option.names and option.required and option.surely and id(option) not in options_given:
            name = max(option.names, key=len)
            where = f"{option.place[0]}, line {option.place[1]}, requires it."
            message = f"The command lacks '{name}', which {entry.script} requires."
            yield finding(REQUIRED, *_place(entry, entry.line, option.place), message, where)
    positional = [o for o in declared.options if not o.names and o.required and o.surely]
    if not positions and positional and all(o.count in ("1", "+") for o in positional):
        if any(
            id(o) in options_given and o.count in ("*", "+", "n", "?") for o in declared.options
        ):
            return
        where = f"{positional[0].place[0]}, line {positional[0].place[1]}, declares it."
        message = f"The command lacks a positional argument that {entry.script} requires."
        place = _place(entry, entry.line, positional[0].place)
        yield finding(REQUIRED, *place, message, where)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _is_value(text: str) -> bool:
    return not text.startswith("-") or _is_number(text) or text == "-"


def _overrides(program: CheckedProgram, entry: Entry) -> Iterator[Finding]:
    """Compare hydra's overrides with the composed configs."""
    home = _hydra(program, entry.script)
    if home is None:
        return
    folder, name = home
    workspace = program.workspace
    if any("ConfigStore" in (workspace.text(f) or "") for f in program.reached(entry.script)):
        return
    words = [w for w in entry.words if "=" in w.text and not w.text.startswith("-")]
    flags = [w.text for w in entry.words if w.text.startswith("-")]
    if any(flag.startswith(("--config", "-cn", "-cp", "-cd")) for flag in flags):
        return
    rows = [
        ConfigEntry(entry.file, w.line, w.line, tuple(key.split(".")), value, value)
        for w in words
        for key, _, value in [w.text.partition("=")]
    ]
    prefix = f"{folder}/" if folder else ""
    groups = {
        f[len(prefix) :].rpartition("/")[0]
        for f in workspace.files()
        if f.startswith(prefix) and f.endswith((".yaml", ".yml"))
    }
    plain_rows = [r for r in rows if not str(r.path[0]).startswith(("+", "~"))]
    chosen = [r for r in rows if str(r.path[0]).lstrip("+") in groups]
    settings, files = composed(workspace, folder, name, chosen)
    if not files:
        return
    for row in plain_rows:
        key = ".".join(map(str, row.path))
        if key.startswith("hydra") or "$" in key or "@" in key:
            continue
        where, line = _place(entry, row.line, (entry.script, 1))
        if key in groups:
            yield from _choice(program, entry, where, line, folder, key, row.text)
        elif "/" not in key and settings.at(tuple(_parts(key))) is None:
            if any(settings.at(tuple(_parts(key))[:n]) is not None and settings.at(
                tuple(_parts(key))[:n]).length is None  # type: ignore[union-attr]
                   for n in range(1, len(row.path))):  # fmt: skip
                continue
            near = sorted(
                ".".join(map(str, e.path)) for e in settings.all()
                if len(e.path) == len(row.path) and is_slip(".".join(map(str, e.path)), key)
            )  # fmt: skip
            hint = f" Did you mean '{near[0]}'?" if len(near) == 1 else ""
            yield finding(
                OVERRIDE, where, line, f"The configs have no key '{key}' to override.{hint}",
                f"They are composed of {', '.join(files[:4])}.",
                certainty=Certainty.SURE if near else Certainty.LIKELY,
            )  # fmt: skip


def _parts(key: str) -> list[str | int]:
    return [int(part) if part.isdigit() else part for part in key.split(".")]


def _choice(
    program: CheckedProgram,
    entry: Entry,
    file: str,
    line: int,
    folder: str,
    group: str,
    text: str,
) -> Iterator[Finding]:
    stem = posixpath.normpath(f"{folder}/{group}" if folder else group)
    known = sorted(
        f.rpartition("/")[2].rpartition(".")[0]
        for f in program.workspace.files()
        if f.rpartition("/")[0] == stem and f.endswith((".yaml", ".yml"))
    )
    for option in text.strip("[]").split(","):
        name = option.strip().removesuffix(".yaml")
        if not name or name in known or "$" in name or "/" in name or name in ("null", "none"):
            continue
        if len(text.split(",")) > 1 and "[" not in text:
            continue
        message = f"The group '{group}' has no option '{name}'."
        yield finding(OVERRIDE, file, line, message, f"It has {', '.join(known[:12])}.")


def _hydra(program: CheckedProgram, script: str) -> tuple[str, str] | None:
    """Return the folder of configs and the primary one that ``@hydra.main`` names."""
    tree = program.workspace.tree(script)
    for node in ast.walk(tree) if tree is not None else ():
        for decorator in getattr(node, "decorator_list", ()):
            if not isinstance(decorator, ast.Call):
                continue
            if (dotted_name(decorator.func) or "") not in ("hydra.main", "main"):
                continue
            values = {k.arg: k.value for k in decorator.keywords}
            texts = []
            for key in ("config_path", "config_name"):
                value = values.get(key)
                if not (isinstance(value, ast.Constant) and isinstance(value.value, str)):
                    return None
                texts.append(value.value)
            folder = posixpath.normpath(posixpath.join(posixpath.dirname(script), texts[0]))
            return ("" if folder == "." else folder), texts[1]
    return None
