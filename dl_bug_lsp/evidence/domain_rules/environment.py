"""Rules about what surrounds the code: requirements, search paths, launch scripts and encodings.

Also options of a command line whose values stay text, and options that a broken line cuts off.
"""

from __future__ import annotations

import ast
import codecs
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.syntax import calls_in, keyword, near_files
from dl_bug_lsp.evidence.words import nearness
from dl_bug_lsp.messages import FactKind
from dl_bug_lsp.provenance.scopes import called_name

IMPORT_NAMES = {
    "cv2": "opencv-python",
    "PIL": "pillow",
    "yaml": "pyyaml",
    "sklearn": "scikit-learn",
    "skimage": "scikit-image",
    "bs4": "beautifulsoup4",
    "dotenv": "python-dotenv",
    "attr": "attrs",
    "google": "protobuf",
    "pytorch_lightning": "pytorch-lightning",
    "torch_geometric": "torch-geometric",
    "tensorflow_addons": "tensorflow-addons",
    "ruamel": "ruamel.yaml",
    "git": "gitpython",
    "Levenshtein": "python-Levenshtein",
    "hydra": "hydra-core",
    "umap": "umap-learn",
    "faiss": "faiss-cpu",
}
SEARCH_PATHS = {"PYTHONPATH", "LD_LIBRARY_PATH", "PATH", "CONDA_PREFIX", "VIRTUAL_ENV"}
TEXT_FILES = {
    "open",
    "read_csv",
    "to_csv",
    "read_text",
    "write_text",
    "read_json",
    "to_json",
    "read_table",
    "loadtxt",
    "genfromtxt",
    "savetxt",
    "encode",
    "decode",
}


def find_environment(case: Case) -> Iterator[Clue]:
    """Yield the places outside the failing code that make or mend its surroundings."""
    if case.category.id in {"library_not_found", "version_conflict"}:
        for module in sorted(_modules(case)):
            yield from _requirements(case, module)
            if case.workspace.module_file(module) or _folder(case, module):
                yield from _search_path(case, module)
    elif case.category.id == "unexpected_encoding":
        yield from _encodings(case)


def _modules(case: Case) -> set[str]:
    modules = {
        str(f.value)
        for kind in (FactKind.MODULE, FactKind.REQUIREMENT)
        for f in case.facts.of(kind)
        if isinstance(f.value, str)
    }
    return {name for name in modules if name and len(name) < 100}


def _folder(case: Case, module: str) -> bool:
    """Whether a folder or file of the module's name stands anywhere in the workspace."""
    top = module.partition(".")[0]
    return any(
        f"/{top}/" in f"/{file}" or f"/{file}".endswith(f"/{top}.py")
        for file in case.workspace.files()
    )


def _plain(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")


def _plain_name(requirement: str) -> str:
    """Return a requirement without its version: ``tokenizers`` of ``tokenizers==0.23``."""
    return re.split(r"[=<>!~;\s\[]", requirement, maxsplit=1)[0]


def _requirements(case: Case, module: str) -> Iterator[Clue]:
    top = module.partition(".")[0]
    names = {_plain(top), _plain(IMPORT_NAMES.get(top, top))}
    declared = case.workspace.dependencies()
    for entry in declared:
        name = _plain(entry.key)
        if name not in names:
            likeness = max(nearness(name, module_name) for module_name in names)
            prefix = any(module_name.startswith(name + "-") for module_name in names)
            score = max(likeness, 0.8 if prefix else 0.0)
            if score > 0:
                why = f"`{_plain_name(module)}` is not declared; `{entry.key}` is the nearest"
                yield Clue("rules.requirement_near", entry.file, entry.line, score, why)
    if declared and not any(_plain(e.key) in names for e in declared):
        files = sorted({e.file for e in declared})
        for file in files:
            lines = [e.line for e in declared if e.file == file]
            why = f"`{_plain_name(module)}` is missing from this list"
            yield Clue("rules.requirement_missing", file, min(lines), 1.0, why)
            yield Clue("rules.requirement_missing", file, max(lines), 0.9, why)


def _search_path(case: Case, module: str) -> Iterator[Clue]:
    """Suspect what says where modules are looked for: the workspace has this one."""
    for entry in case.config_entries:
        if any(part in SEARCH_PATHS for part in entry.path if isinstance(part, str)):
            why = f"`{module}` is in the workspace, but this search path does not lead to it"
            yield Clue("rules.strong", entry.file, entry.line, 1.0, why)
    for file in case.code_files:
        tree = case.workspace.tree(file)
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("sys.path."):
                why = "changes where modules are looked for"
                yield Clue("rules.strong", file, node.lineno, 1.0, why)


def _codec(name: str) -> str | None:
    try:
        return codecs.lookup(name).name
    except (LookupError, ValueError):
        return None


def _encodings(case: Case) -> Iterator[Clue]:
    """Find what reads or writes text, the more telling the more its encoding differs."""
    named = {_codec(str(f.value)) for f in case.facts.of(FactKind.LITERAL)} - {None}
    for file in case.code_files:
        tree = case.workspace.tree(file)
        for node in ast.walk(tree) if tree is not None else ():
            if not isinstance(node, ast.Call) or called_name(node) not in TEXT_FILES:
                continue
            given = keyword(node, "encoding")
            if isinstance(given, ast.Constant) and isinstance(given.value, str):
                other = _codec(given.value) not in named
                kind = "rules.strong" if other else "rules.weak"
                why = f"`{given.value}` is the encoding used here"
                yield Clue(kind, file, given.lineno, 1.0, why)
            elif called_name(node) in {"open", "read_text", "write_text"} and given is None:
                mode = node.args[1] if len(node.args) > 1 else keyword(node, "mode")
                if not (isinstance(mode, ast.Constant) and "b" in str(mode.value)):
                    why = "no encoding is given, so the platform's is used"
                    yield Clue("rules.weak", file, node.lineno, 1.0, why)


MOST_FILES = 20
DECIDED = ("type", "action", "choices")
"""Arguments of ``add_argument`` that make something else of the text, or say what it may be."""
_TEXT = re.compile(r"\bstr\b")


_COMMAND = re.compile(r"(?:^|: )(-{1,2}[A-Za-z][\w.-]*)(?:=\S*)?: (?:command )?not found")
_SCRIPTS = (".sh", ".bash", ".zsh", ".slurm", ".sbatch", ".bat", "Makefile")


def find_options(case: Case) -> Iterator[Clue]:
    """Yield the options without a type that the failing value was read from, where text came.

    And the lines of scripts that end before the options that a shell took for a command.
    """
    yield from _cut_off(case)
    if case.category.id not in ("type_mismatch", "illegal_argument"):
        return
    if not _TEXT.search(case.message):
        return
    steps = [*case.raise_slice, *(step for steps in case.outer_slices for step in steps)]
    nodes: list[ast.AST] = [step.node.expr for step in steps]
    nodes += [node for start in case.starts for node in ast.walk(start.expr)]
    read = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    for file in near_files(case)[:MOST_FILES]:
        tree = case.workspace.tree(file)
        for call in calls_in(tree) if tree is not None else ():
            if called_name(call) == "add_argument" and (option := _text_option(call, read)):
                why = f"`{option}` has no `type=`: what the command line gives for it stays text"
                yield Clue("rules.strong", file, call.lineno, 1.0, why)


def _cut_off(case: Case) -> Iterator[Clue]:
    """Yield the line above an option that was run as a command: it goes on without a backslash."""
    named = _COMMAND.search("\n".join((case.message, *case.own_lines)))
    if named is None:
        return
    option = named[1]
    for file in (f for f in case.workspace.files() if f.endswith(_SCRIPTS)):
        lines = case.workspace.lines(file)
        for at, line in enumerate(lines[1:], 1):
            if line.split("=")[0].split()[:1] == [option] and lines[at - 1].rstrip()[-1:] != "\\":
                why = f"the command ends here, so that `{option}` below is run as one of its own"
                yield Clue("rules.strong", file, at, 1.0, why)


def _text_option(call: ast.Call, read: set[str]) -> str:
    """Return an option that is text where it is given, and something else by default."""
    flags = [a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    dest, default = keyword(call, "dest"), keyword(call, "default")
    names = {flag.lstrip("-").replace("-", "_") for flag in flags}
    if isinstance(dest, ast.Constant):
        names = {str(dest.value)}
    if not names & read or any(keyword(call, name) is not None for name in DECIDED):
        return ""
    is_text = isinstance(default, ast.Constant) and isinstance(default.value, str)
    return "" if is_text else flags[-1] if flags else ""
