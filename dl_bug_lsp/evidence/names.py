"""Names and paths of the message, at the lines where the workspace writes them.

Names are keys, attributes, arguments and modules; paths are looked for in code, configuration and
launch scripts.
"""

from __future__ import annotations

import ast
import builtins
import math
import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache
from weakref import WeakKeyDictionary

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.word_index import MIN_RATIO, Word, Words, near_texts, nearness, parts_of
from dl_bug_lsp.messages import FactKind, Role
from dl_bug_lsp.messages.extract import named_places, text_offset, tracing_starts
from dl_bug_lsp.provenance.scopes import dotted_name

NAMED = {
    FactKind.KEY: "key",
    FactKind.NAME: "name",
    FactKind.ATTRIBUTE: "attribute",
    FactKind.ARGUMENT: "argument",
    FactKind.PARAMETER: "parameter",
    FactKind.MODULE: "module",
    FactKind.LITERAL: "literal",
    FactKind.OPTION: "option",
    FactKind.FUNCTION: "function",
    FactKind.CLASS: "class",
    FactKind.LAYER: "layer",
    FactKind.REQUIREMENT: "module",
}
SHORT_KINDS = (FactKind.KEY, FactKind.ATTRIBUTE, FactKind.LITERAL)
"""Kinds that may be a single letter; others of one letter are a framework's own (``a``, ``b``)."""
MAKES = {"dict_key", "bound", "definition", "config_key", "keyword", "import"}
"""Roles in which a word makes something that another place may look for."""
OF_EVERY_LAYER = frozenset(
    {"weight", "bias", "kernel", "gamma", "beta", "running_mean", "running_var", "scale",
     "num_batches_tracked", "embedding", "embeddings", "in_proj_weight", "in_proj_bias"}
)  # fmt: skip
"""Last names of parameters that say nothing about which layer is meant."""
OF_VARIABLES = frozenset({"name", "bound", "attribute", "keyword", "definition"})
"""Roles of names that are no keys."""
GIVES_OPTION = frozenset({"config_key", "config_value", "keyword", "bound", "dict_key"})
NEAR_KINDS = {
    "key",
    "name",
    "attribute",
    "argument",
    "option",
    "literal",
    "parameter",
}
"""Kinds of names that may not exist; a function or class of a message does."""


CODE = (".py", ".ipynb")
MOST_NEAR = 60
"""Different words that one name of the message may be meant for."""
ALIKE = 0.8
"""From here on two names differ by little more than a slip."""
BUILTINS = frozenset(
    ("list", "tuple", "dict", "set", "str", "int", "float", "bool", "bytes", "object", "type")
)
"""Types of Python: where code names one, it need not be the one of the message."""
OF_PYTHON = frozenset(dir(builtins))
"""Names that stand in every program: none of them is a slip of another one."""
MOST_PLACES = 2_000
"""Places of one name: of a word that stands everywhere they say next to nothing."""


def find_names(case: Case) -> Iterator[Clue]:
    """Yield the lines that write a name of the message, or one that nearly is it."""
    wanted = {
        (NAMED[fact.kind], str(fact.value))
        for fact in case.facts.facts
        if fact.kind in NAMED
        and isinstance(fact.value, str)
        and (len(fact.value) > 1 or fact.kind in SHORT_KINDS)
    }
    if not wanted:
        return
    words, listed = case.words, listed_names(case)
    missing = {text.rpartition(".")[2] for _, text in wanted if text not in listed}
    yield from _together(missing, words)
    family = (case.facts.family or "").rpartition(".")[2]
    for kind, text in sorted(wanted):
        for form in _forms(kind, text):
            elsewhere = _elsewhere(case, form, family) if kind == "argument" else None
            for clue in _exact(kind, form, words, case.message, is_listed=text in listed):
                if elsewhere is None or not elsewhere(clue):
                    yield clue
        if text in listed:
            continue  # What is like a name that is there is no misspelling of it.
        if kind in NEAR_KINDS and len(text) > 1 and " " not in text and text not in BUILTINS:
            yield from _near(kind, text.rpartition(".")[2], words, case.message)


OF_MISSING_ARGUMENTS = frozenset(("call_missing", "flax_required", "optax_params"))
"""Families of messages that a call lacks an argument."""
OF_CALLS = OF_MISSING_ARGUMENTS | {"call_twice", "call_keyword"}
"""Families of messages that a call does not fit what is called."""


def _elsewhere(case: Case, text: str, family: str) -> Callable[[Clue], bool] | None:
    """Return what tells clues on an argument's name that say nothing of the call that is refused.

    A setting of the name of an argument that was not given does not say where it is missing, and a
    variable of the name of any argument not how the call is written. None where all may tell.
    """
    if family not in OF_CALLS:
        return None
    variables = _variables(case, text)

    def is_elsewhere(clue: Clue) -> bool:
        is_setting = family in OF_MISSING_ARGUMENTS and not clue.file.endswith(CODE)
        return is_setting or (clue.kind.endswith("_made") and (clue.file, clue.line) in variables)

    return is_elsewhere


def _variables(case: Case, text: str) -> set[tuple[str, int]]:
    """Return the lines that bind a variable of a name, without the fields of classes."""
    lines: set[tuple[str, int]] = set()
    for file in {word.file for word in case.words.with_text((text,)) if word.role == "bound"}:
        tree = case.workspace.tree(file)
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.Name) and node.id == text and isinstance(node.ctx, ast.Store):
                scope = case.engine.program.scope_at(file, node.lineno)
                if scope is None or not scope.is_class:
                    lines.add((file, node.lineno))
    return lines


def listed_names(case: Case) -> set[str]:
    """Return the names that a message lists because they are there, beside the one that is not."""
    kinds = {f.kind for f in case.facts.facts if f.kind in LISTED and f.role is Role.ACTUAL}
    asked = {str(f.value) for f in case.facts.facts if f.role is Role.ACTUAL}
    there = (f for f in case.facts.facts if f.kind in kinds and f.role is Role.EXPECTED)
    found = [str(f.value) for f in there]
    return set(found) - asked if len(found) >= LEAST_LISTED else set()


LISTED = (FactKind.KEY, FactKind.LITERAL, FactKind.OPTION)
LEAST_LISTED = 2
"""One name beside the missing one may be a suggestion."""


def _together(names: set[str], words: Words) -> Iterator[Clue]:
    """Yield config lines with a name of the message where the file has another one as well."""
    in_file: dict[str, set[str]] = {}
    for word in words.with_text(words.of_settings(names)):
        if word.role.startswith("config"):
            matching = names & {word.text, word.text.rpartition(".")[2]}
            in_file.setdefault(word.file, set()).update(matching)
    for word in words.with_text(names):
        if word.role != "config_key":
            continue
        others = in_file[word.file] - {word.text}
        if others:
            other = min(others)
            why = f"`{word.text}` and `{other}` of the message stand in the same file"
            yield Clue("names.together", word.file, word.line, 1.0, why)


def _forms(kind: str, text: str) -> list[str]:
    """Return the forms under which code writes a name: dotted parts, option spellings."""
    forms = [text]
    if kind in {"parameter", "module", "class", "function"} and "." in text:
        forms.extend(part for part in text.split(".") if not part.isdigit() and len(part) > 1)
    if kind == "option":
        forms.extend((_plain_option(text), text.lstrip("-")))
    if kind == "key" and any(letter.isalpha() for letter in text):
        # Programs fold the case of what a config names before they look it up.
        forms.extend((text.upper(), text.lower(), text.capitalize()))
    return list(dict.fromkeys(forms))


IMPLIED = "that the message implies"
VERBS = {"keyword": "is given", "import": "is imported"}
"""What code does with a name, where this is neither to make nor to use it."""


def _article(kind: str) -> str:
    return "an" if kind[:1] in "aeiou" else "a"


def _said(kind: str, text: str, message: str) -> str:
    """Name a fact's kind; some messages only imply a name, as a missing loss implies labels."""
    named = "a text" if kind == "literal" else f"the {kind}"
    is_said = text.rpartition(".")[2].casefold() in message.casefold()
    if is_said and text not in message and text.rpartition(".")[2] not in message:
        return f"but for capital letters {named} of the message"
    if is_said:
        return f"{named} of the message"
    return f"{_article(kind)} {kind} {IMPLIED}"


def _exact(
    kind: str, text: str, words: Words, message: str, *, is_listed: bool = False
) -> Iterator[Clue]:
    hits = words.with_text((text,))[:MOST_PLACES]
    count = len({(w.file, w.line) for w in hits})
    as_text = {(w.file, w.line) for w in hits if w.role in PATH_ROLES}
    for word in hits:
        if kind == "parameter" and word.role == "name" and "." not in text:
            continue  # A key of a state dict is the name of an attribute, not of a variable.
        if kind == "key" and word.role in OF_VARIABLES and (word.file, word.line) in as_text:
            continue  # ``acc = history["acc"]`` reads the key, and its name is another thing.
        made = "made" if word.role in MAKES or word.role.startswith("config") else "used"
        score = 1 / math.sqrt(count)
        verb = VERBS.get(word.role, f"is {made}")
        if word.role.startswith("config"):
            verb = "stands" if word.role == "config_value" else "is set"
        said = f"{_article(kind)} {kind} that the message lists as there"
        said = said if is_listed else _said(kind, text, message)
        if word.role == "bound":
            verb = "is set"
        why = f"`{text}`, {said}, {verb} here"
        if kind == "key" and word.role in OF_VARIABLES and "key of the message" in said:
            why = f"`{text}`, named as {said}, {verb} here"
        if kind == "key" and word.role == "string":
            why = f"the text `{text}`, {said}, stands here"
        if said.endswith(IMPLIED):
            # The same name may be another thing's.
            why = f"`{text}` {verb} here, a name {IMPLIED}"
        if kind in {"class", "function"} and text in BUILTINS:
            why = f"`{text}`, which the message speaks of, {verb} here"
        if kind == "option" and word.role in {"bound", "name", "definition"}:
            why = f"`{text}` has the name of an option of the message"
        yield Clue(f"names.{kind}_{made}", word.file, word.line, score, why)


def _words_of(name: str) -> set[str]:
    """Return the words of a name; a number or a letter in it is none."""
    return {part for part in parts_of(name) if len(part) > 1 and not part.isdecimal()}


def _likeness(written: str, text: str, near: float) -> str:
    """Return how two names are alike: nearly the same, one with more words, a word in common."""
    if written.startswith("$") and written.strip("${}") == text:
        return "reads"
    written_parts, text_parts = _words_of(written), _words_of(text)
    if written_parts and list(parts_of(written)) == list(parts_of(text)):
        return "is another spelling of"
    shared = written_parts & text_parts
    if shared and (near < ALIKE or shared in (written_parts, text_parts)):
        return SHARING
    if near >= ALIKE and not _extends(written, text):
        return "is nearly"
    return "is spelt somewhat like" if near >= MIN_RATIO else PART_ALIKE


SHARING = "shares a word with"
PART_ALIKE = "has a word like one of"
"""What is said of two names of which one word each is alike: too little for a report."""


def _extends(written: str, text: str) -> bool:
    """Whether one name is the other with a word added, as ``torchvision`` is of ``torch``."""
    short, long = sorted((written.casefold(), text.casefold()), key=len)
    added = len(long) - len(short)
    return added >= LEAST_ADDED and (long.startswith(short) or long.endswith(short))


LEAST_ADDED = 3
"""So many letters more at one end are a word of their own, and no slip."""
OF_VALUES = frozenset(("nan", "inf", "none", "true", "false", "null", "nat", "na"))
"""Words for values, in small letters: they name nothing."""
SUFFIXES = frozenset(
    [
        *(".csv", ".tsv", ".txt", ".json", ".jsonl", ".yaml", ".yml", ".parquet", ".xlsx", ".zip"),
        *(".gz", ".npy", ".npz", ".pkl", ".pt", ".pth", ".h5", ".png", ".jpg", ".jpeg", ".wav"),
    ]
)
"""Endings of the names of files."""
OF_DISPLAYS = frozenset(("Size", "TensorShape", "Shape", "tensor", "array"))
"""Names with which values are shown (``torch.Size([2, 3])``): nothing is spelt like them."""


def _near(kind: str, text: str, words: Words, message: str) -> Iterator[Clue]:
    if text in OF_DISPLAYS or text.lower() in OF_VALUES:
        return
    if f".{text.lower()}" in SUFFIXES and f".{text}" in message:
        return  # The ending of a file's name says nothing of what the file is called.
    if text.startswith("__") or (kind == "parameter" and text in OF_EVERY_LAYER):
        return
    nearby = {w: near for w, near in near_texts(text, words.sketches).items() if w not in OF_PYTHON}
    if kind == "option":
        own = _plain_option(text)
        nearby = {word: near for word, near in nearby.items() if _plain_option(word) != own}
    if len(nearby) > MOST_NEAR:
        # A name of a series (`x1`, `x2`, ...) is near to all of it, and none of them stands out.
        ordered = sorted(nearby, key=lambda word: (-nearby[word], word))
        nearby = {word: nearby[word] for word in ordered[:MOST_NEAR]}
    said = _said(kind, text, message)
    # Where the name itself stands, one like it on its line is made of it or goes with it. A key
    # is a text, of which a name beside it is not made.
    exact = words.with_text((text,)) if kind != "key" else ()
    lines = {(word.file, word.line) for word in exact}
    candidates = [
        (w, nearby[w.text])
        for w in words.with_text(nearby)
        if (w.file, w.line) not in lines
        and _may_be_meant(w, kind)
        and (nearby[w.text] >= MIN_RATIO or not _is_apart(w, kind, said))
    ]
    del candidates[MOST_PLACES:]
    counts = Counter(w.text for w, _ in candidates)
    for word, near in candidates:
        made = "made" if word.role in MAKES else "used"
        score = near / math.sqrt(counts[word.text])
        how = _likeness(word.text, text, near)
        if how == PART_ALIKE and kind != "option":
            continue
        why = f"`{word.text}` {how} `{text}`, {said}"
        yield Clue(f"names.near_{made}", word.file, word.line, score, why)


def _plain_option(text: str) -> str:
    return text.lstrip("-").replace("-", "_")


def _may_be_meant(word: Word, kind: str) -> bool:
    """Whether a word may be what a name should have been: of options, what a parser is told."""
    if kind == "option":
        return word.text.startswith("--") or word.role in GIVES_OPTION
    return word.role != "string"


def _is_apart(word: Word, kind: str, said: str) -> bool:
    """Whether a word that only has a part of a name says nothing about it.

    No argument is given by a method's name. Of a name that the message leaves out no slip shows.
    """
    return said.endswith(IMPLIED) or (kind == "argument" and word.role == "attribute")


PATH_ROLES = frozenset({"string", "dict_key", "subscript", "config_value", "config_key"})
JSON = (".json", ".jsonl", ".ipynb", ".jsonc")
MOST_TEXTS = 200
SEPARATORS = str.maketrans("\\", "/")


NATIVE = (".cu", ".cuh", ".cpp", ".cc", ".hpp", ".h")
"""Endings of the source files from which a library's kernels were compiled."""


def find_paths(case: Case) -> Iterator[Clue]:
    """Yield the places that write a path of the message or a part of it."""
    yield from _named_places(case)
    yield from _named_lines(case)
    paths = {
        str(f.value).translate(SEPARATORS)
        for f in case.facts.of(FactKind.PATH)
        if isinstance(f.value, str) and f.value.strip("/. ") and not f.value.endswith(NATIVE)
    }
    if not paths:
        return
    files = case.workspace.files()
    moves = _changed_folders(case) if any(_is_there(path, files) for path in paths) else []
    for file, line, text in moves:
        why = (
            f"`{text}` changes the folder that paths are looked up from; below this one it is there"
        )
        yield Clue("paths.folder", file, line, 1.0 / len(moves), why)
    texts = case.words.texts(PATH_ROLES)
    for path in sorted(paths):
        if "None" in path.split("/"):
            continue  # a part of it was never set: the parts that are written are right
        lost = _lost_part(path, files)
        scores = {text: score for text in texts if (score := _match(path, text, lost)) > 0}
        for word in case.words.with_text(scores):
            if word.role in PATH_ROLES:
                score = scores[word.text]
                kind = "paths.config" if word.role.startswith("config") else "paths.code"
                same = word.text.rstrip("/") in {path, path.rpartition("/")[2]}
                noun = "path" if "/" in path or "." in path else "name"
                why = f"`{word.text}` is the {noun} in the message"
                if not same:
                    why = f"`{word.text}` is a part of the {noun} in the message"
                if not same and word.text.rstrip("/") not in path:
                    why = f"`{word.text}` is like the path of the message"
                yield Clue(kind, word.file, word.line, score, why)
    wholes = {path for path in paths if "None" not in path.split("/")}
    for step in case.raise_slice:
        for constant in step.node.constants:
            if isinstance(constant.value, str) and step.decides and step.node.line > 0:
                text = constant.value.translate(SEPARATORS)
                if any(p == text or p.endswith("/" + text.lstrip("./")) for p in wholes if text):
                    is_whole = constant.value in paths
                    why = f"`{step.node.text}` makes the path of the message"
                    if is_whole:
                        is_end = f"/{constant.value}" in case.message.translate(SEPARATORS)
                        whole = "the end of the path" if is_end else "the path"
                        why = f"`{constant.value}` is {whole} in the message"
                    yield Clue("paths.slice", step.node.file, step.node.line, 1.0, why)
    yield from _files(paths, files)


def _is_there(path: str, files: tuple[str, ...]) -> bool:
    """Whether a relative path leads to a file or folder from the workspace's root."""
    clean = posixpath.normpath(path)
    is_relative = not clean.startswith(("/", "..")) and clean != "."
    return is_relative and any(f == clean or f.startswith(f"{clean}/") for f in files)


CHANGES_FOLDER = re.compile(r"^\s*(?:cd|pushd)\s+\S|\bos\.chdir\(|\bcontextlib\.chdir\(")


def _older_hydra(case: Case) -> Iterator[tuple[str, int, str]]:
    """Yield the entry points that ask Hydra to behave as before version 1.2."""
    for file in case.code_files:
        tree = case.workspace.tree(file)
        for node in ast.walk(tree) if tree is not None else ():
            if not isinstance(node, ast.Call) or dotted_name(node.func) != "hydra.main":
                continue
            for given in node.keywords:
                held = given.value.value if isinstance(given.value, ast.Constant) else None
                if given.arg == "version_base" and held in ("1.0", "1.1"):
                    yield file, given.value.lineno, f"version_base={held!r}"


def _changed_folders(case: Case) -> list[tuple[str, int, str]]:
    """Return (file, line, text) of what makes the run leave the folder that it was started in.

    Hydra does so for `hydra.job.chdir`, and without it for a `version_base` below 1.2 (Hydra 1.3,
    "Output/Working directory", "version_base").
    """
    chosen = [entry for entry in case.config_entries if entry.key == "chdir"]
    changes = [
        (entry.file, entry.line, f"{entry.key}: {entry.text}")
        for entry in chosen
        if entry.value is True
    ]
    if not chosen:
        changes.extend(_older_hydra(case))
    scripts = [file for file in case.workspace.files() if file.endswith((".sh", ".bash", ".slurm"))]
    for file in (*case.code_files, *scripts[:MOST_TEXTS]):
        for number, line in enumerate(case.workspace.lines(file), 1):
            if CHANGES_FOLDER.search(line):
                changes.append((file, number, line.strip()))
    return changes


def _named_places(case: Case) -> Iterator[Clue]:
    """Yield the lines that the message prints with their file, or tells by an offset in a text."""
    cause = case.failure.cause
    if cause is None:
        return
    places = named_places(case.message)
    begun = tracing_starts(case.message)
    for at, named in enumerate(places, 1):
        place = case.workspace.locate(named.file, named.line)
        if named.line in begun:
            continue
        if place is None or not 0 < named.line <= len(case.workspace.lines(place.file)):
            continue
        why = f"the message names line {named.line} of {place.file}"
        yield Clue("place.named", place.file, named.line, 1.0 if at == len(places) else 0.6, why)
    stopped = text_offset(case.message)
    for file in _texts(case) if stopped is not None else ():
        lines = case.workspace.lines(file)
        if stopped is None or stopped.line > len(lines):
            continue
        before = sum(len(line) + 1 for line in lines[: stopped.line - 1])
        if before + stopped.column - 1 == stopped.offset:
            why = f"character {stopped.offset}, where the parser stopped, is on this line"
            yield Clue("place.named", file, stopped.line, 1.0, why)


def _texts(case: Case) -> list[str]:
    """Return the files that a JSON parser may have read."""
    files = [file for file in case.workspace.files() if file.endswith(JSON)]
    return files[:MOST_TEXTS]


def _named_lines(case: Case) -> Iterator[Clue]:
    """Yield the line of the workspace's code that the message itself names."""
    begun = tracing_starts(case.message)
    told = (fact.value for fact in case.facts.of(FactKind.LINE))
    lines = [line for line in told if isinstance(line, int) and line not in begun]
    for fact in case.facts.of(FactKind.PATH):
        for line in lines:
            place = case.workspace.locate(str(fact.value), line)
            if place is not None and place.file.endswith(".py"):
                yield Clue("paths.named_line", place.file, line, 1.0, "the message names this line")


def _lost_part(path: str, files: tuple[str, ...]) -> str | None:
    """Return the first part of a path that no workspace file has: the one that is wrong."""
    known = {part for file in files for part in file.split("/")}
    parts = [p for p in path.split("/") if p not in {"", ".", ".."}]
    for part in reversed(parts):
        if part not in known:
            return part
    return None


def _match(path: str, text: str, lost: str | None) -> float:
    """Score a written text against the message's path."""
    written, clean, base = _written_path(text)
    if not written:
        return 0.0
    if written == path:
        return 1.0
    if not clean or clean == ".":
        return 0.0
    inside = f"/{path.strip('/')}/"
    if f"/{clean}/" in inside:
        return 0.9 if lost is not None and lost in clean else 0.6
    name = posixpath.basename(path.rstrip("/"))
    if "." in name and base == name:
        return 0.6
    if lost is not None and ("." in clean or "/" in clean):
        return 0.5 * nearness(lost, base)
    return 0.0


@lru_cache(maxsize=1 << 14)
def _written_path(text: str) -> tuple[str, str, str]:
    """Return a text as a path: as written, normalised, its last name; empty where it is none."""
    written = text.translate(SEPARATORS).strip()
    if len(written) < 3 or "\n" in written:
        return "", "", ""
    clean = posixpath.normpath(written).removeprefix("./").strip("/")
    return written, clean, posixpath.basename(clean)


def _files(paths: set[str], files: tuple[str, ...]) -> Iterator[Clue]:
    """Yield the first line of a workspace file that a path of the message names."""
    for path in sorted(paths):
        tail = "/" + path.strip("/")
        for file in files:
            if tail.endswith("/" + file):
                why = "the message names this file"
                yield Clue("paths.file", file, 1, 0.6, why)


OF_PATHS = ("config.", "paths.", "names.", "interpretation.", "numbers.")
OF_FOLDER_THERE = 0.3
"""What a setting counts that gives a folder which is there, where a file in it is missing."""
_THERE: WeakKeyDictionary[Case, tuple[str, ...]] = WeakKeyDictionary()


def clue_factor(case: Case, clue: Clue) -> float:
    """Return a clue's factor: less where its line gives the part of a path that is there."""
    if case.category.id != "path_not_found" or not clue.kind.startswith(OF_PATHS):
        return 1.0
    if clue.file.endswith((".py", ".ipynb")):
        return 1.0
    if case not in _THERE:
        _THERE[case] = tuple(_folders_there(case))
    there = _THERE[case]
    if not there:
        return 1.0
    entries = (e for e in case.workspace.config_entries(clue.file) if e.line == clue.line)
    given = {str(e.value).replace("\\", "/").strip("./") for e in entries if e.value is not None}
    return OF_FOLDER_THERE if given & set(there) else 1.0


def _folders_there(case: Case) -> Iterator[str]:
    """Yield folders of a missing file that are there, where no other folder has such a file."""
    files = case.workspace.files()
    for fact in case.facts.of(FactKind.PATH):
        path = str(fact.value).replace("\\", "/").strip("./")
        folder, _, name = path.rpartition("/")
        if not folder or any(file.rpartition("/")[2] == name for file in files):
            continue
        parts = folder.split("/")
        for start in range(len(parts)):
            for end in range(start + 1, len(parts) + 1):
                own = "/".join(parts[start:end])
                listed = any(file.startswith(f"{own}/") for file in files)
                if listed or case.workspace.folder_files(own):
                    yield own
