"""Values written wrongly: paths in another case, numbers that are text, options, config keys."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.fixes.fix_context import At, Edit, Fix, FixContext, only_slip
from dl_bug_lsp.messages import FactKind
from dl_bug_lsp.messages.facts import Role
from dl_bug_lsp.workspace.contents import ConfigEntry

_TEXT_NUMBER = re.compile(r"([-+]?\d+)(e[-+]?\d+)$", re.IGNORECASE)
_SHELL = (".sh", ".sbatch", ".slurm", ".bash")
_OPTION = re.compile(r"""add_argument\(\s*["'](--[\w-]+)["']""")


def find(context: FixContext) -> Iterator[Fix]:
    """Yield paths, numbers, options and config keys whose right spelling is certain."""
    yield from _paths(context)
    yield from _yaml_number(context)
    yield from _option_type(context)
    yield from _option_value(context)
    yield from _option_name(context)
    yield from _sibling_key(context)


def _paths(context: FixContext) -> Iterator[Fix]:
    """Yield a file's name that one place writes and the folder has in another spelling."""
    for path in context.named(FactKind.PATH, Role.ACTUAL):
        name = path.replace("\\", "/").rpartition("/")[2]
        if "." not in name or context.workspace.existing_file(path) is not None:
            continue
        new = _name_there(context, path.replace("\\", "/"), name)
        places = list(_lines_with(context, name)) if new is not None else []
        if new is not None and len(places) == 1:
            edit = context.replaced(places[0], name, new)
            if edit is not None:
                why = f"the folder has '{new}', and no other file of a similar name"
                yield Fix(f"Change '{name}' to '{new}'", why, (edit,))


def _name_there(context: FixContext, path: str, name: str) -> str | None:
    """Return the one file of a missing one's folder that is named nearly like it, or None.

    Of files that no listing shows (pictures, weights) only another case of the name is tried.
    """
    before = path[: len(path) - len(name)]
    stem, _, end = name.rpartition(".")
    cases = {f"{stem}.{end.lower()}", f"{stem}.{end.upper()}", name.lower(), name.upper()} - {name}
    existing = {
        case for case in cases if context.workspace.existing_file(before + case) is not None
    }
    folder = before.strip("./")
    for file in context.workspace.files():
        where, _, there = file.rpartition("/")
        if f"/{where}".endswith(f"/{folder}") if folder else not where:
            existing.add(there)
    return only_slip(name, existing)


def _lines_with(context: FixContext, text: str) -> Iterator[At]:
    for file in context.texts or ():
        for number, line in enumerate(context.workspace.lines(file), 1):
            if text in line:
                yield file, number


def _yaml_number(context: FixContext) -> Iterator[Fix]:
    """Yield ``1e-4`` made ``1.0e-4``: YAML 1.1 takes a number for a float only with a dot."""
    classes = set(context.named(FactKind.CLASS)) | set(context.named(FactKind.DTYPE))
    if "str" not in classes and "'str'" not in _message(context):
        return
    first = context.failure.suspects[:1]
    entries = [
        entry
        for suspect in first
        if suspect.file.endswith((".yaml", ".yml"))
        for entry in context.workspace.config_entries(suspect.file)
        if entry.line == suspect.line and isinstance(entry.value, str)
    ]
    for entry in entries:
        match = _TEXT_NUMBER.match(entry.text.strip())
        if match is None or len(entries) != 1:
            continue
        new = f"{match[1]}.0{match[2] if match[2][1] in '+-' else f'{match[2][0]}+{match[2][1:]}'}"
        at = (entry.file, entry.line)
        line = context.line(at)
        if line.count(entry.text.strip()) == 1:
            edit = Edit(*at, line, line.replace(entry.text.strip(), new))
            why = "without a dot YAML reads this number as text"
            yield Fix(f"Change '{entry.text.strip()}' to '{new}'", why, (edit,))


def _message(context: FixContext) -> str:
    return context.failure.exception.message if context.failure.exception is not None else ""


_ADDED = re.compile(r"""add_argument\(\s*(?:["']-{1,2}[\w-]+["'],\s*)+""")
_DECIDED = {"type", "action", "choices", "nargs", None}
"""Keywords that make something else of the text, or what is not known (``**kwargs``)."""
_OF_TEXT, _OF_WHOLE = re.compile(r"\bstr\b"), re.compile(r"\bint(?:s|eger|egers)?\b")


def _option_type(context: FixContext) -> Iterator[Fix]:
    """Yield the ``type=`` of an option that came as text and whose default is a number.

    A whole number by default may stand for any number, unless the message or the default's
    annotation says what it has to be.
    """
    message = _message(context)
    for suspect in context.failure.suspects[:1] if _OF_TEXT.search(message) else ():
        at = (suspect.file, suspect.line)
        line = context.line(at)
        begun = _ADDED.search(line)
        if begun is None or line.count("add_argument") != 1 or not suspect.file.endswith(".py"):
            continue
        try:
            call = ast.parse(line.strip(), mode="eval").body
        except (SyntaxError, ValueError):
            continue
        options = {k.arg: k.value for k in call.keywords} if isinstance(call, ast.Call) else {}
        if _DECIDED & options.keys() or "default" not in options:
            continue
        value, annotation = _default_of(context, options["default"])
        name = type(value).__name__
        is_whole = annotation == "int" or _OF_WHOLE.search(message) is not None
        if name == "float" or (name == "int" and is_whole):
            new = f"{line[: begun.end()]}type={name}, {line[begun.end() :]}"
            flag = re.findall(r"-{1,2}[\w-]+", begun[0])[-1]
            why = "without a type what the command line gives is text"
            yield Fix(f"Add 'type={name}' to {flag}", why, (Edit(*at, line, new),))


def _default_of(context: FixContext, default: ast.expr) -> tuple[object, str]:
    """Return a default, also where it is a class's attribute, and how this is annotated."""
    if isinstance(default, ast.Constant):
        return default.value, ""
    if not isinstance(default, ast.Attribute) or not isinstance(default.value, ast.Name):
        return None, ""
    found: list[tuple[object, str]] = []
    for file in context.workspace.python_files():
        tree = context.workspace.tree(file)
        for node in ast.walk(tree) if tree is not None else ():
            if not isinstance(node, ast.ClassDef) or node.name != default.value.id:
                continue
            for part in node.body:
                targets: list[ast.expr] = []
                annotation = ""
                if isinstance(part, ast.AnnAssign):
                    targets, annotation = [part.target], ast.unparse(part.annotation)
                elif isinstance(part, ast.Assign):
                    targets = part.targets
                else:
                    continue
                if any(isinstance(t, ast.Name) and t.id == default.attr for t in targets):
                    value = part.value.value if isinstance(part.value, ast.Constant) else None
                    found.append((value, annotation))
    return found[0] if len(found) == 1 else (None, "")


def _option_value(context: FixContext) -> Iterator[Fix]:
    """Yield ``5e1`` made ``50`` for an option that takes a whole number."""
    if "int" not in context.named(FactKind.CLASS, Role.EXPECTED):
        return
    for option in context.named(FactKind.OPTION, Role.ACTUAL):
        for value in context.named(FactKind.LITERAL, Role.ACTUAL):
            if not re.fullmatch(r"[-+]?\d{1,9}(?:\.0*)?(?:e\+?\d)?", value, re.IGNORECASE):
                continue
            new = str(int(float(value)))
            written = re.compile(rf"(?<!\S){re.escape(option)}[ =]{re.escape(value)}(?!\S)")
            places = [at for at in _launches(context) if written.search(context.line(at))]
            if float(value) != int(float(value)) or len(places) != 1:
                continue
            line = context.line(places[0])
            parts = written.split(line)
            if len(parts) == 2:
                match = written.search(line)
                assert match is not None
                made = match[0][: -len(value)] + new
                edit = Edit(*places[0], line, parts[0] + made + parts[1])
                yield Fix(f"Change '{value}' to '{new}'", f"{option} takes whole numbers", (edit,))


def _option_name(context: FixContext) -> Iterator[Fix]:
    """Yield an option that the program knows under a spelling near to the one it was given."""
    site = next((f.workspace_file for f in context.failure.frames if f.workspace_file), None)
    if site is None or not site.endswith(".py"):
        return
    known = set(_OPTION.findall(context.workspace.text(site) or ""))
    for option in context.named(FactKind.OPTION, Role.ACTUAL):
        new = only_slip(option, known) if option not in known else None
        places = [at for at in _launches(context) if option in context.line(at).split()]
        edit = None
        if new is not None and len(places) == 1:
            line = context.line(places[0])
            parts = re.split(rf"(?<!\S){re.escape(option)}(?!\S)", line)
            edit = Edit(*places[0], line, new.join(parts)) if len(parts) == 2 else None
        if edit is not None and new is not None:
            yield Fix(f"Change '{option}' to '{new}'", f"the program knows '{new}'", (edit,))


def _launches(context: FixContext) -> Iterator[At]:
    """Yield every line of the launch scripts."""
    for file in context.texts or ():
        if file.endswith(_SHELL):
            yield from ((file, n) for n in range(1, len(context.workspace.lines(file)) + 1))


def _sibling_key(context: FixContext) -> Iterator[Fix]:
    """Yield a config's key that all files beside it spell otherwise, as the missing one is.

    The files agree on every other key, and the odd one's words are among the missing one's.
    """
    for key in context.named(FactKind.KEY, Role.ACTUAL):
        if "." in key:
            continue
        entries = list(_odd_entries(context, key))
        if len(entries) == 1:
            entry = entries[0]
            edit = context.replaced((entry.file, entry.line), entry.key, key, "", r"(?=\s*[:=])")
            if edit is not None:
                why = f"the files beside this one call it '{key}'"
                yield Fix(f"Change '{entry.key}' to '{key}'", why, (edit,))


def _odd_entries(context: FixContext, key: str) -> Iterator[ConfigEntry]:
    shown = [suspect.file for suspect in context.failure.suspects]
    for file in dict.fromkeys(shown):
        folder, _, name = file.rpartition("/")
        end = name.rpartition(".")[2]
        if end not in ("yaml", "yml", "toml") or not folder:
            continue
        mine = _keys(context, file)
        beside = [
            _keys(context, other)
            for other in context.workspace.config_files()
            if other != file and other.rpartition("/")[0] == folder and other.endswith(end)
        ]
        if not beside or key in mine or any(key not in keys for keys in beside):
            continue
        odd = [name for name in mine if all(name not in keys for keys in beside)]
        agree = all(set(keys) - {key} == set(mine) - set(odd) for keys in beside)
        if len(odd) == 1 and agree and set(odd[0].split("_")) < set(key.split("_")):
            yield mine[odd[0]]


def _keys(context: FixContext, file: str) -> dict[str, ConfigEntry]:
    """Return the entries at the top of a config by key."""
    entries = context.workspace.config_entries(file)
    return {entry.key: entry for entry in entries if len(entry.path) == 1}
