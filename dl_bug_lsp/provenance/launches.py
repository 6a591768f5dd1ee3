"""How the failing program was started: its script, the words of its command line, its configs.

What a log shows of it comes as plain lines; launch scripts are read from the workspace. Nothing is
run, and no file is looked at that the workspace does not hold.
"""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from dl_bug_lsp.provenance.printed_output import (
    FILE_NAME,
    filled_names,
    script_of_output,
    scripts_before,
)
from dl_bug_lsp.workspace import Workspace
from dl_bug_lsp.workspace.configs.extensions import CONFIG_EXTENSIONS, SHELL_EXTENSIONS
from dl_bug_lsp.workspace.configs.reading import plain_scalar
from dl_bug_lsp.workspace.configs.shell_files import Command, Word, command_entries, split_commands
from dl_bug_lsp.workspace.contents import ConfigEntry

LAUNCHERS = (*SHELL_EXTENSIONS, ".mk", "/makefile", "/launch.json")
"""Ends of the names of files that start programs."""
_LAST_PART = re.compile(r"[/\\]([\w-]{5,})(?=['\"\s,:;]|$|\.(?:py|ya?ml|toml)\b)", re.MULTILINE)
"""The last part of a path, without the extension of a config."""
CONFIG_FOLDERS = ("config", "conf", "cfg", "experiment", "exp", "recipe", "hparam", "setting")
TOOLING = frozenset(
    ("pyproject", "setup", "tox", "environment", "conda", "docker-compose", "mkdocs", "codecov",
     "package", "package-lock", "tsconfig", "pytest", "mypy", "poetry", "dvc", "citation", "meta",
     "devcontainer", "dependabot", "renovate")
)  # fmt: skip
"""Stems of files that set up tools: none of them configures a model. Those of editors lie in hidden
folders."""
MAIN = "__main__.py"
MAX_LAUNCH_FILES = 60
MAX_LAUNCHERS = 600
"""Launch files whose text is searched for the name of the script."""
MAX_LOG_CHARS = 400_000
MAX_GUESSED = 3
MAX_KEPT = 3
_EXTENSION = "|".join(map(re.escape, (*CONFIG_EXTENSIONS, ".py")))
_PATH = re.compile(rf"(?<![\w./~-])(?:[A-Za-z]:)?[\w./~@+=-]*[\w@+-](?:{_EXTENSION})\b(?!:\d)")
_PROGRAM = re.compile(
    r"(?:^|[\s'\"\[=$+>])((?:\S*/)?(?:python[\d.]*|torchrun|accelerate|deepspeed|srun)[\s'\",].*)$"
)
_CHANGED_FOLDER = re.compile(r"(?:^|[\s;&])cd\s+([\w./\"'-]+)\s*(?:&&|;)")
"""A folder that a command line goes to before it runs a program."""
_PROMPT = re.compile(r"(?:\S*[$#>]|\++) +((\S+).*)$")
SCRIPT_GROUPS = ("console_scripts", "gui_scripts")
SCRIPT_TABLES = (
    ("project", "scripts"),
    ("project", "gui-scripts"),
    *(("project", "entry-points", group) for group in SCRIPT_GROUPS),
    ("tool", "poetry", "scripts"),
)
_SCRIPT = re.compile(r"^\s*([\w.-]+)\s*=\s*([\w.]+:[\w.]+)", re.MULTILINE)
_ARGUMENTS = re.compile(r"\['([^'\[\]]+\.py', '.*')\]")
"""``sys.argv`` as a program prints it."""
_OVERRIDES = re.compile(r"with overrides: ?(\[.*\])")
_OPTIONAL = re.compile(r"(?<=\s)\[[^\[\],'\"=]*[A-Za-z][^\[\],'\"=]*\]\.{0,3}(?=\s|$)")
"""What a usage puts in brackets, as in ``train.py [config.yaml]``: an argument may be left out."""
_README = re.compile(r"(?:^|/)(?:readme|usage|getting_started|quickstart)[^/]*\.(?:md|rst|txt)$")
MOST_READMES = 3
MOST_DOCUMENT = 100_000
_VARIABLE = re.compile(r"\$\{?([A-Za-z_]\w*)\}?")
_EXPANSION = re.compile(r"\$(?:\{([A-Za-z_]\w*)(?::?-([^{}$]*))?\}|([A-Za-z_]\w*))")
"""A variable of the shell, perhaps with what it is without a value (POSIX, "Parameter Expansion").
"""
_DEFAULTED = re.compile(r"\$\{\w+:?-([^{}$]*)\}")
_ANY_VARIABLE = re.compile(r"\$(?:\{[^{}]*\}|\w+)")
MOST_FITTING = 20
_FRAME = re.compile(r"\s*File \"")
_OF_TESTS = re.compile(r"(?:^|/)(?:tests?|testing|\.github|ci)/")
_FUNCTION = re.compile(r", in (?:[\w.]+\.)?(\w+)\s*$")
OF_COMMAND = 5.0
"""What a command agrees more whose first word names a function on the stack (click, typer, fire).
"""
_WORD = re.compile(r"[A-Za-z][\w./-]{3,}")


@dataclass(frozen=True, slots=True)
class Launch:
    """One command that runs a program; ``words`` are its arguments without the program's name.

    ``file`` is empty and ``line`` 0 where only the log shows the command. A word's path is that of
    the option or override, or the position of a bare word. The line of a word that is nothing but a
    variable of the shell is the one that sets the variable; ``written_at`` holds, by the number of
    the word, the one that it is written in. ``folder`` is where the command was typed, as far as
    the line says so.
    """

    script: str
    words: tuple[ConfigEntry, ...]
    file: str
    line: int
    written_at: Mapping[int, int] = field(default_factory=dict, compare=False)
    folder: str = field(default="", compare=False)

    @property
    def texts(self) -> tuple[str, ...]:
        """The words as ``name=value`` and bare values, to compare commands."""
        return tuple(f"{name_of(w)}={w.text}" if name_of(w) else w.text for w in self.words)


@dataclass(frozen=True, slots=True)
class Run:
    """What is known of the failing run.

    ``launches`` holds several only where nothing tells which one it was; ``configs`` the files that
    a command line or the log names; ``guessed`` those that go by the script's or the run's name;
    ``printed`` the settings that the log shows with one value each, as texts. ``before`` holds the
    commands of other scripts that the log shows, ``printing`` the scripts whose output it begins
    with.
    """

    script: str | None = None
    launches: tuple[Launch, ...] = ()
    configs: tuple[str, ...] = ()
    guessed: tuple[str, ...] = ()
    overrides: tuple[ConfigEntry, ...] = ()
    printed: Mapping[str, str] = field(default_factory=dict)
    documented: tuple[Launch, ...] = ()
    before: tuple[Launch, ...] = ()
    printing: tuple[str, ...] = ()

    @property
    def files(self) -> tuple[str, ...]:
        """The config files of the run, the certain ones first."""
        return tuple(dict.fromkeys((*self.configs, *self.guessed)))

    def agrees(self, launch: Launch) -> bool:
        """Whether a command sets no option to another value than the log shows."""
        words = ((self.printed.get(name_of(word)), word.text) for word in launch.words)
        return all(
            not text or shown is None or _plain(shown) == _plain(text) for shown, text in words
        )

    def options(self, name: str) -> list[ConfigEntry]:
        """Return the words of the command lines that set an option, the last one of each."""
        entries: list[ConfigEntry] = []
        for launch in self.launches:
            named = [w for w in launch.words if name_of(w) == name]
            entries.extend(named[-1:])
        return entries


NO_RUN = Run()


def name_of(word: ConfigEntry) -> str:
    """Return the name of an option or override as Python code has it; empty for a position."""
    if any(isinstance(part, int) for part in word.path):
        return ""
    return ".".join(str(part) for part in word.path).lstrip("-+~").replace("-", "_")


def run_of(workspace: Workspace, log: Iterable[str], frames: tuple[str, ...]) -> Run:
    """Return what the log's lines, the workspace's launch files and names tell of a run.

    ``frames`` are the workspace files of the traceback, outermost first.
    """
    log = tuple(log)
    lines = _bounded(log)
    names = workspace.of_names("launches.names", _Names)
    programs = _installed_programs(workspace, names)
    shown = list({(s.script, s.texts): s for s in _shown_launches(lines, names, programs)}.values())
    script = frames[0] if frames else (shown[-1].script if shown else None)
    script = script or script_of_output(workspace, log)
    overrides = tuple(e for e in _hydra_overrides(lines))
    named = _named_configs(workspace, lines, names, frozenset(frames))
    text = "\n".join(lines)
    launches = _likeliest(
        [
            *_launches(workspace, script, names, programs, lines),
            *(own for s in shown if (own := _of_script(s, script, names, programs)) is not None),
        ],
        text, shown, overrides, named, names, _functions(log),
    ) if script else ()  # fmt: skip
    launches = tuple(_with_files_of_words(workspace, launch, names) for launch in launches)
    paths = (
        names.find(word.text, launch.folder)
        for launch in launches
        for word in _with_values(launch.words)
    )
    configs = dict.fromkeys(f for f in (*paths, *named) if f is not None and f != script)
    configs = dict.fromkeys(f for f in configs if is_settings(workspace, f, script))
    fitting: list[str] = []
    if not configs:
        fitting = _fitting(workspace, launches)
        fitting = [f for f in fitting if is_settings(workspace, f, script)]
        configs = dict.fromkeys(fitting if len(fitting) == 1 else ())
    printed = _printed(text)
    if not configs:
        configs = dict.fromkeys(_printed_configs(workspace, script, printed, frozenset(frames)))
    if configs and not any(map(is_config_name, configs)):
        # A log that prints its settings names data files, and in a folder's name its config.
        by_run = _of_the_run(workspace, script, text, frozenset(frames))
        configs = dict.fromkeys((*(by_run if len(by_run) == 1 else ()), *configs))
    before = tuple(s for s in shown if s.script != script)
    printing = scripts_before(workspace, log, script) if script and not before else ()
    earlier = tuple(dict.fromkeys((*(launch.script for launch in before), *printing)))
    guessed = () if configs else _guessed(workspace, script, text, frozenset(frames), earlier)
    if not configs and not guessed and len(fitting) <= MAX_GUESSED:
        guessed = tuple(fitting)
    if not overrides:
        overrides = launches[0].words if len(launches) == 1 else ()
    documented = (
        tuple(_documented(workspace, script, names, programs)) if script and not launches else ()
    )
    return Run(
        *(script, launches, tuple(configs), guessed, overrides, _once(printed), documented),
        *(before, printing),
    )


def _fitting(workspace: Workspace, launches: Iterable[Launch]) -> list[str]:
    """Return the config files that paths of commands may mean, as far as they are written out.

    A variable of the shell stands for any part of a name; files that an ignore rule hides count,
    as those that a run has written for the next one.
    """
    found: dict[str, None] = {}
    for launch in launches:
        for word in _with_values(launch.words):
            if word.text.endswith(CONFIG_EXTENSIONS) and "://" not in word.text:
                path = posixpath.normpath(posixpath.join(launch.folder, word.text))
                found.update(dict.fromkeys(_files_like(workspace, path.split("/"))))
    return list(found)


def _files_like(workspace: Workspace, parts: Sequence[str]) -> list[str]:
    """Return the files whose path has parts in which variables may stand for any text."""
    folders = [""]
    for part in parts[:-1]:
        inner: list[str] = []
        for folder in folders:
            pattern = _with_any(part)
            names = workspace.folders_in(folder) if "$" in part else [posixpath.join(folder, part)]
            inner.extend(f for f in names if pattern.fullmatch(f.rpartition("/")[2]))
        folders = inner[:MOST_FITTING]
    pattern = _with_any(parts[-1])
    files = (f for folder in folders for f in workspace.folder_files(folder))
    return [f for f in files if pattern.fullmatch(f.rpartition("/")[2])][:MOST_FITTING]


def _with_any(part: str) -> re.Pattern[str]:
    """Return the pattern of a part of a path in which each variable is any text."""
    return re.compile(".*".join(re.escape(piece) for piece in _ANY_VARIABLE.split(part)))


def _functions(log: Iterable[str]) -> frozenset[str]:
    """Return the names of the functions on the stacks of a log."""
    found = (_FUNCTION.search(line) for line in log if _FRAME.match(line))
    return frozenset(match[1] for match in found if match is not None)


def is_tooling(file: str) -> bool:
    """Whether a file sets up tools (packaging, checks, editors) and no program."""
    parts = file.lower().split("/")
    return (
        any(p.startswith(".") and p != ".env" for p in parts)
        or parts[-1].partition(".")[0] in TOOLING
    )


def is_settings(workspace: Workspace, file: str, script: str | None) -> bool:
    """Whether a file is a config: of a format for settings, or Python that only assigns."""
    if not file.endswith(".py"):
        entries = workspace.config_entries(file)[:1] if file.endswith(CONFIG_EXTENSIONS) else ()
        # A list at the top is data.
        return any(isinstance(part, str) for entry in entries for part in entry.path[:1])
    tree = workspace.tree(file) if file != script else None
    if tree is None:
        return False
    kinds = (ast.Assign, ast.AnnAssign, ast.Import, ast.ImportFrom, ast.Expr, ast.If, ast.With,
             ast.AugAssign, ast.Delete, ast.For)  # fmt: skip
    makes = any(isinstance(s, (ast.Assign, ast.AnnAssign)) for s in tree.body)
    functions = [s for s in tree.body if isinstance(s, ast.FunctionDef)]
    if any(f.name in ("get_config", "get_hyper") for f in functions):
        return True
    return makes and all(isinstance(s, kinds) for s in tree.body)


def _bounded(log: Iterable[str]) -> list[str]:
    """Return the lines that are no frames or comments, of a long log its beginning and end."""
    lines = [line for line in log if not _FRAME.match(line) and line[:1] != "#"]
    size = sum(map(len, lines))
    while size > MAX_LOG_CHARS and len(lines) > 2:
        cut = len(lines) // 4
        lines = [*lines[:cut], *lines[-cut:]] if cut else lines[:1]
        size = sum(map(len, lines))
    return lines


class _Names:
    """Which workspace file a printed or written path means, by its longest suffix."""

    def __init__(self, files: tuple[str, ...]) -> None:
        self._by_name: dict[str, list[str]] = {}
        for file in files:
            self._by_name.setdefault(file.rpartition("/")[2], []).append(file)

    def find(self, written: str, folder: str = "") -> str | None:
        """Return the file; None for no file, or where several fit alike.

        What a file of ``folder`` says is meant from that folder where it has such a file.
        """
        if folder:
            beside = posixpath.normpath(posixpath.join(folder, written.replace("\\", "/")))
            if beside in self._by_name.get(beside.rpartition("/")[2], ()):
                return beside
        parts = [p for p in written.replace("\\", "/").split("/") if p not in ("", ".", "..")]
        if not parts or "site-packages" in parts or "dist-packages" in parts:
            return None
        best: list[str] = []
        most = 0
        for file in self._by_name.get(parts[-1], ()):
            own = file.split("/")
            shared = 0
            for a, b in zip(reversed(own), reversed(parts), strict=False):
                if a != b:
                    break
                shared += 1
            if shared < min(len(own), len(parts)) or shared < most:
                continue
            best = [file] if shared > most else [*best, file]
            most = shared
        exact = [f for f in best if f == "/".join(parts)]
        return exact[0] if exact else best[0] if len(best) == 1 else None


def _with_files_of_words(workspace: Workspace, launch: Launch, names: _Names) -> Launch:
    """Put in the words that files hold which a command names, at their lines of these files.

    They are absl's ``--flagfile`` (abseil.io, "Special Flags") and, of a script that allows it,
    argparse's ``@file`` (``fromfile_prefix_chars``).
    """
    words: list[ConfigEntry] = []
    written_at: dict[int, int] = {}
    for number, word in enumerate(launch.words):
        file = None
        if name_of(word) == FLAG_FILE or (
            word.text.startswith("@") and FROM_FILE in (workspace.text(launch.script) or "")
        ):
            file = names.find(word.text.removeprefix("@"), launch.folder)
        if file is None:
            if number in launch.written_at:
                written_at[len(words)] = launch.written_at[number]
            words.append(word)
            continue
        told: list[Word] = []
        for line, text in enumerate(workspace.lines(file)[:MOST_FLAG_LINES], 1):
            if not text.lstrip().startswith(COMMENTS_OF_FLAGS):
                told.extend(Word(part.strip("'\""), line) for part in text.split())
        words.extend(_parsed(file, told))
    if not any(word.file != launch.file for word in words if word.file):
        return launch
    return replace(launch, words=tuple(words), written_at=written_at)


FLAG_FILE, FROM_FILE = "flagfile", "fromfile_prefix_chars"
COMMENTS_OF_FLAGS = ("#", "//")
MOST_FLAG_LINES = 1_000


def _with_values(words: Iterable[ConfigEntry]) -> Iterator[ConfigEntry]:
    """Yield the words that say a text: positions, and options with a value."""
    return (w for w in words if w.value is not True)


def _installed_programs(workspace: Workspace, names: _Names) -> dict[str, str]:
    """Return the file of each program that the workspace's package installs, by its name.

    They are the ``console_scripts`` of the entry points specification (Python Packaging User
    Guide), which ``pyproject.toml``, ``setup.cfg`` and ``setup.py`` each spell in their own way.
    """
    texts = [
        (entry.key, entry.value)
        for entry in workspace.config_entries("pyproject.toml")
        if entry.path[:-1] in SCRIPT_TABLES and isinstance(entry.value, str)
    ]
    for entry in workspace.config_entries("setup.cfg"):
        if entry.key in SCRIPT_GROUPS:
            texts.extend(_SCRIPT.findall(entry.text))
    tree = workspace.tree("setup.py")
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            texts.extend(_SCRIPT.findall(node.value))
    files = ((name, _script_named(target.partition(":")[0], names)) for name, target in texts)
    return {name: file for name, file in files if file is not None}


def _program_named(
    name: str, names: _Names, programs: Mapping[str, str], folder: str
) -> str | None:
    """Return the workspace file that the first word of a command runs."""
    return programs.get(name.rpartition("/")[2]) or _script_named(name, names, folder)


def _script_named(name: str, names: _Names, folder: str = "") -> str | None:
    """Return the workspace file that a launch line's script or module means.

    ``folder`` is that of the file in which the line stands.
    """
    plain = _VARIABLE.sub("", name).strip("\"'")
    if plain.endswith((".py", ".ipynb")):
        return names.find(plain, folder)
    if re.fullmatch(r"\w+(\.\w+)+|\w+", plain):
        path = plain.replace(".", "/")
        return names.find(f"{path}.py") or names.find(f"{path}/__main__.py")
    return None


def _grouped(
    file: str,
    entries: Iterable[ConfigEntry],
    names: _Names,
    programs: Mapping[str, str],
    folder: str = "",
) -> Iterator[Launch]:
    """Yield the launches among the entries of commands: a program, then its words.

    They were typed in ``folder``.
    """
    variables: dict[str, str] = {}
    set_at: dict[str, tuple[str, int]] = {}
    written_at: dict[int, int] = {}
    script: str | None = None
    name, line = "", 0
    words: list[ConfigEntry] = []
    for entry in entries:
        if len(entry.path) == 1 and entry.length is None:
            variables[entry.key] = _expanded(entry.text, variables)
            set_at[entry.key] = (entry.file, entry.line)
            continue
        if len(entry.path) == 1:
            if script is not None:
                yield Launch(script, tuple(words), file, line, written_at, folder)
            name, line, written_at = entry.key, entry.line, {}
            program, words = _command_in_variable(name, variables, set_at) or (name, [])
            script = _program_named(program, names, programs, folder or file.rpartition("/")[0])
        elif script is not None and entry.path[0] == name:
            word = _without_variables(entry, entry.path[1:], variables)
            alone = _VARIABLE.fullmatch(entry.text.strip("\"'"))
            if alone is not None and alone[1] in set_at and _holds_options(word):
                own, line_of = set_at[alone[1]]
                words.extend(_parsed(own, [Word(p, line_of) for p in word.text.split()]))
                continue
            if alone is not None and alone[1] in set_at:
                own, line_of = set_at[alone[1]]
                if own == file:
                    written_at[len(words)] = word.line
                word = replace(word, file=own, line=line_of, end_line=line_of)
            words.append(word)
    if script is not None:
        yield Launch(script, tuple(words), file, line, written_at, folder)


def _command_in_variable(
    name: str, variables: Mapping[str, str], set_at: Mapping[str, tuple[str, int]]
) -> tuple[str, list[ConfigEntry]] | None:
    """Return the program and the first words of a command that a variable holds (``$RUN``)."""
    alone = _VARIABLE.fullmatch(name)
    if alone is None or alone[1] not in set_at:
        return None
    file, line = set_at[alone[1]]
    words = [Word(part, line) for part in variables[alone[1]].split()]
    entries = command_entries(file, Command(words)) if words else []
    program = next((e.key for e in entries if len(e.path) == 1 and e.length is not None), None)
    if program is None:
        return None
    return program, [
        _without_variables(e, e.path[1:], variables)
        for e in entries
        if len(e.path) > 1 and e.path[0] == program
    ]


MOST_SOURCED = 8


def _with_sourced(
    workspace: Workspace, names: _Names, file: str, entries: Iterable[ConfigEntry]
) -> list[ConfigEntry]:
    """Return the entries of a script with the variables that the files set which it sources."""
    joined: list[ConfigEntry] = []
    sourced = 0
    for entry in entries:
        joined.append(entry)
        is_name = len(entry.path) > 1 and entry.path[0] in ("source", ".")
        other = names.find(entry.text, file.rpartition("/")[0]) if is_name else None
        if other is None or other == file or sourced >= MOST_SOURCED:
            continue
        sourced += 1
        joined.extend(
            e for e in workspace.config_entries(other) if len(e.path) == 1 and e.length is None
        )
    return joined


def _holds_options(word: ConfigEntry) -> bool:
    """Whether a bare word is a variable of several words, which the shell splits (``$ARGS``)."""
    is_bare = any(isinstance(part, int) for part in word.path)
    return is_bare and word.text.startswith("-") and " " in word.text


def _parsed(file: str, words: Sequence[Word]) -> list[ConfigEntry]:
    """Return what words say as the arguments of a program."""
    command = Command([Word("python", 0), Word("main.py", 0), *words])
    parsed = (e for e in command_entries(file, command) if e.path[0] == "main.py")
    return [_without_variables(e, e.path[1:], {}) for e in parsed if len(e.path) > 1]


def _without_variables(
    entry: ConfigEntry, path: tuple[str | int, ...], variables: Mapping[str, str]
) -> ConfigEntry:
    """Put a script's own variables in: ``--out=$OUT`` with ``OUT=runs/a``."""
    if isinstance(path[0], str):
        path = tuple(part for key in path for part in str(key).split("."))
    text = entry.text
    if "$" in text and isinstance(entry.value, str):
        text = _expanded(text, variables)
    value = entry.value if text == entry.text else plain_scalar(text)
    return ConfigEntry(entry.file, entry.line, entry.end_line, path, value, text, entry.length)


def _expanded(text: str, variables: Mapping[str, str]) -> str:
    """Put in the variables that a script has set; others stay, or are what they are by default."""

    def value(match: re.Match[str]) -> str:
        held = variables.get(match[1] or match[3])
        if held is None:
            held = match[2] if match[2] else match[0]
        return held

    return _EXPANSION.sub(value, text)


def _of_script(
    launch: Launch, script: str | None, names: _Names, programs: Mapping[str, str]
) -> Launch | None:
    """Return a command as one that runs a script, None where it runs another.

    The name of an installed program may be that of a package: ``python -m`` runs the package's
    ``__main__.py``.
    """
    if launch.script == script:
        return launch
    meant = (name for name, file in programs.items() if file == launch.script)
    is_main = script is not None and script.rpartition("/")[2] == MAIN
    is_package = is_main and any(_script_named(name, names) == script for name in meant)
    return replace(launch, script=script) if is_package and script is not None else None


def _launches(
    workspace: Workspace,
    script: str | None,
    names: _Names,
    programs: Mapping[str, str],
    lines: Sequence[str],
) -> Iterator[Launch]:
    """Yield the commands of launch files that run a script; ``lines`` are those of the log."""
    if script is None:
        return
    folder, _, base = script.rpartition("/")
    # `python -m package` names the package of a `__main__.py`.
    words = (folder.rpartition("/")[2],) if base == MAIN else (base, base.removesuffix(".py"))
    words = (*words, *(name for name, file in programs.items() if file == script))
    files = [f for f in workspace.files() if f"/{f.lower()}".endswith(LAUNCHERS)]
    files.sort(key=lambda f: (not f.startswith(folder), f.count("/"), f))
    texts = {file: workspace.text(file) or "" for file in files[:MAX_LAUNCHERS]}
    naming = [file for file, text in texts.items() if any(word in text for word in words)]
    if len(naming) > MAX_LAUNCH_FILES:
        # A folder of scripts for every data set: those whose words the log prints come first.
        shown = frozenset(_WORD.findall("\n".join(lines)))
        same = {file: len(shown.intersection(_WORD.findall(texts[file]))) for file in naming}
        naming.sort(key=lambda file: -same[file])
    for file in naming[:MAX_LAUNCH_FILES]:
        entries = workspace.config_entries(file)
        if file.endswith("launch.json"):
            launches = _of_editor(file, entries, names)
        else:
            joined = _with_sourced(workspace, names, file, entries)
            launches = _grouped(file, joined, names, programs)
        for launch in launches:
            own = _of_script(launch, script, names, programs)
            if own is not None:
                yield own


def commands_before(workspace: Workspace, launch: Launch) -> tuple[Launch, ...]:
    """Return the commands that the same file gives before one, in its order."""
    if not launch.file or launch.file.endswith("launch.json"):
        return ()
    names = workspace.of_names("launches.names", _Names)
    programs = _installed_programs(workspace, names)
    entries = _with_sourced(workspace, names, launch.file, workspace.config_entries(launch.file))
    commands = list(_grouped(launch.file, entries, names, programs))
    lines = [command.line for command in commands]
    return tuple(commands[: lines.index(launch.line)]) if launch.line in lines else ()


def _of_editor(file: str, entries: Iterable[ConfigEntry], names: _Names) -> Iterator[Launch]:
    """Yield the launches of VS Code's ``launch.json``."""
    configurations: dict[tuple[str | int, ...], dict[str, list[ConfigEntry]]] = {}
    for entry in entries:
        if len(entry.path) >= 3 and entry.path[0] == "configurations" and entry.length is None:
            configurations.setdefault(entry.path[:2], {}).setdefault(str(entry.path[2]), []).append(
                entry
            )
    for parts in configurations.values():
        program = next(iter(parts.get("program", parts.get("module", []))), None)
        script = _script_named(str(program.value), names) if program is not None else None
        if script is None or program is None:
            continue
        words = [Word("python", program.line), Word("main.py", program.line)]
        words.extend(Word(str(a.value), a.line) for a in parts.get("args", []))
        parsed = command_entries(file, Command(words))
        options = (e for e in parsed if e.path[0] == "main.py" and len(e.path) > 1)
        plain = tuple(_without_variables(e, e.path[1:], {}) for e in options)
        yield Launch(script, plain, file, program.line)


def _shown_launches(
    lines: list[str], names: _Names, programs: Mapping[str, str]
) -> Iterator[Launch]:
    """Yield the commands that a log shows: traced ones, and those a launcher tells of."""
    for line in lines:
        told = line[:4000] if ".py" in line or " -m " in line else ""
        argv = _ARGUMENTS.search(told)
        match = _PROGRAM.search(told) or _prompted(line[:4000], programs)
        if not match and not argv:
            continue
        text = match[1] if match else f"python', '{argv[1]}" if argv else ""
        if "', '" in text or '", "' in text:
            quoted = re.findall(r"'([^']*)'|\"([^\"]*)\"", "'" + text)
            text = " ".join(single or other for single, other in quoted)
        commands, _, _ = split_commands([(0, text)])
        entries = [e for command in commands[:1] for e in command_entries("", command)]
        moved = _CHANGED_FOLDER.search(line[: match.start(1)]) if match else None
        folder = posixpath.normpath(moved[1].strip("\"'")) if moved else ""
        yield from _grouped("", entries, names, programs, folder)


def _prompted(line: str, programs: Mapping[str, str]) -> re.Match[str] | None:
    """Return the match of a command at a prompt that runs an installed program."""
    match = _PROMPT.match(line) if programs else None
    return match if match is not None and match[2].rpartition("/")[2] in programs else None


def _documented(
    workspace: Workspace, script: str, names: _Names, programs: Mapping[str, str]
) -> Iterator[Launch]:
    """Yield the commands that start a script in its docstring and in files that say how to."""
    tree = workspace.tree(script)
    documents = [(script, 1, ast.get_docstring(tree, clean=False) if tree is not None else None)]
    readmes = [f for f in workspace.files() if _README.search(f.lower())]
    readmes.sort(key=lambda f: (f.count("/"), f))
    documents += [(file, 0, workspace.text(file)) for file in readmes[:MOST_READMES]]
    seen: set[tuple[str, ...]] = set()
    for file, first, text in documents:
        joined = (text or "")[:MOST_DOCUMENT].replace("\\\n", "  ")
        for number, line in enumerate(joined.splitlines(), first or 1):
            match = _PROGRAM.search(line[:2000]) if ".py" in line or " -m " in line else None
            if match is None or "<" in match[1] or "..." in match[1]:
                continue
            command_line = _OPTIONAL.sub("", match[1].strip("`"))
            commands, _, _ = split_commands([(0, command_line)])
            entries = [e for command in commands[:1] for e in command_entries("", command)]
            for launch in _grouped("", entries, names, programs):
                if launch.script == script and launch.texts not in seen:
                    seen.add(launch.texts)
                    yield Launch(script, launch.words, file, number)


def _hydra_overrides(lines: list[str]) -> list[ConfigEntry]:
    """Return the overrides that hydra prints of a job that failed."""
    for line in reversed(lines):
        match = _OVERRIDES.search(line[:8000])
        if match is None:
            continue
        try:
            texts = ast.literal_eval(match[1])
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
        if isinstance(texts, list):
            return _parsed("", [Word(str(text), 0) for text in texts])
    return []


def _named_configs(
    workspace: Workspace, lines: list[str], names: _Names, frames: frozenset[str]
) -> list[str]:
    """Return the config files that the log names, those named first before others."""
    files: dict[str, None] = {}
    seen: set[str] = set()
    for line in lines:
        if "." not in line:
            continue
        for written in _PATH.findall(line[:4000]):
            if written in seen:
                continue
            seen.add(written)
            file = names.find(written)
            if file is not None and file not in frames and not is_tooling(file):
                files[file] = None
    return list(files)


_STARTED = re.compile(
    r"(?m)^(?:[^\n$#%>]{0,80}[$#%>+]+ )?(?:\w+=\S{0,80} )*(?:(?:bash|sh|zsh|source|sbatch|\.) +)?"
    r"(?:\./)?([\w./-]{1,200}\.(?:sh|bash|slurm|sbatch))(?= |$)"
)
"""A script of the shell that was started, as a prompt or a trace (``set -x``) shows it."""
MOST_OF_START = 20_000
OF_STARTED = 20.0


def _likeliest(
    launches: list[Launch],
    text: str,
    shown: list[Launch],
    overrides: tuple[ConfigEntry, ...],
    named: list[str],
    names: _Names,
    functions: frozenset[str],
) -> tuple[Launch, ...]:
    """Return the commands that agree best with the log: several where they agree alike.

    The first word may name one of the ``functions`` on the stack: a command of a group.
    """
    texts = {launch.texts for launch in shown}
    printed: dict[str, set[str]] = {}
    rows = _rows(text)

    def shown_values(name: str) -> set[str]:
        """Return what the log shows as an option's values: ``enc_in`` may be printed "Enc In"."""
        if name and name not in printed:
            spelt = re.escape(name.strip("_")).replace("_", "[ _-]")
            pattern = (
                rf"(?i)(?<![\w.]){spelt}['\"]?\s{{0,40}}[:=]\s{{0,40}}['\"]?([^\s,'\"(){{}}\[\]]+)"
            )
            own = {_plain(value) for value in re.findall(pattern, text)}
            printed[name] = own | {_plain(value) for value in rows.get(name, ())}
        return printed.get(name, set())

    changed = {f"{name_of(w)}={w.text}" for w in overrides}
    started = {names.find(written) for written in _STARTED.findall(text[:MOST_OF_START])} - {None}

    def agreement(launch: Launch) -> float:
        total = 10.0 * (launch.texts in texts) + OF_STARTED * (launch.file in started)
        first = next((w.text for w in launch.words if not name_of(w)), "")
        command = first.replace("-", "_")
        total += OF_COMMAND * (command in functions)
        if changed:
            own = {t for t in launch.texts if "=" in t}
            total += 8.0 * (own == changed) + len(own & changed) - len(own - changed)
        for word in launch.words:
            if word.value is True or not word.text:
                continue
            file = names.find(word.text)
            if file is not None:
                total += 3.0 if file in named else 0.0
                continue
            values = shown_values(name_of(word))
            if _plain(_with_defaults(word.text)) in values:
                total += 1.0
            elif values:
                total -= 0.5
        return total

    typed = [launch for launch in launches if not launch.file and launch.words]
    candidates = [launch for launch in launches if launch.file]
    # A file's command with options that the shown one lacks is that of another run.
    fitting = [c for c in candidates if any(_options_of(c) <= _options_of(t) for t in typed)]
    candidates = (fitting or typed if typed else candidates) or launches
    # Scripts that test a project start its programs in many ways: none is a user's.
    candidates = [c for c in candidates if not _OF_TESTS.search(c.file)] or candidates
    if not candidates:
        return ()
    scores = [agreement(launch) for launch in candidates]
    best = max(scores)
    best_launches = [
        launch for launch, score in zip(candidates, scores, strict=True) if score == best
    ]
    return tuple(best_launches) if len(best_launches) <= MAX_KEPT else ()


def _with_defaults(text: str) -> str:
    """Return a word in which variables of the shell stand for what they are without a value."""
    return _DEFAULTED.sub(lambda match: match[1], text)


def _options_of(launch: Launch) -> set[str]:
    """Return the names of the options that a command sets."""
    return {name for word in launch.words if (name := name_of(word))}


_PRINTED = re.compile(
    r"([A-Za-z_][\w.\-]{1,80})['\"]?\s{0,40}[:=]\s{0,8}['\"]?([^\s,'\"{}()\[\];]{1,80})"
)
"""A setting as programs print it: ``lr: 0.1``, ``lr=0.1``, ``'lr': 0.1``."""
_ROW = re.compile(
    r"(?m)^[ \t]{0,40}(?:\|[ \t]{0,40})?([A-Za-z_][\w.\-]{1,80})[ \t]{0,80}[|\u2502]"
    r"[ \t]{0,80}([^\s|\u2502](?:[^|\u2502\n]{0,79}[^\s|\u2502])?)[ \t]{0,80}[|\u2502]?[ \t]{0,40}$"
)
"""A setting in a printed table of two columns: ``lr | 0.1``."""
FEW_PRINTED = 4
"""Settings of a file that a log must print alike, so that the file is taken for the run's."""
MOST_CANDIDATES = 150
MOST_ENTRIES = 400


def _printed(text: str) -> dict[str, dict[str, str]]:
    """Return what a log shows as settings: by name, the values in one spelling and as printed."""
    printed: dict[str, dict[str, str]] = {}
    for match in _PRINTED.finditer(text):
        printed.setdefault(match[1].rpartition(".")[2], {}).setdefault(_plain(match[2]), match[2])
    for name, values in _rows(text).items():
        for value in values:
            printed.setdefault(name.rpartition(".")[2], {}).setdefault(_plain(value), value)
    return printed


def _rows(text: str) -> dict[str, list[str]]:
    """Return what the rows of printed tables of two columns hold, by the first column."""
    rows: dict[str, list[str]] = {}
    for match in _ROW.finditer(text) if "|" in text or "\u2502" in text else ():
        rows.setdefault(match[1], []).append(match[2])
    return rows


def _once(printed: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Return the settings that are shown with one value only."""
    return {name: next(iter(texts.values())) for name, texts in printed.items() if len(texts) == 1}


def _printed_configs(
    workspace: Workspace,
    script: str | None,
    printed: Mapping[str, Mapping[str, str]],
    frames: frozenset[str],
) -> list[str]:
    """Return the config files whose settings the log prints, with the same values.

    Many programs print their settings when they start and name no file.
    """
    if len(printed) < FEW_PRINTED:
        return []
    scores: dict[str, int] = {}
    files = [f for f in workspace.files() if f.endswith(CONFIG_EXTENSIONS) and f not in frames]
    for file in sorted(files, key=lambda f: (not is_config_name(f), f))[:MOST_CANDIDATES]:
        if is_tooling(file) or not is_settings(workspace, file, script):
            continue
        entries = [e for e in workspace.config_entries(file)[:MOST_ENTRIES] if e.key in printed]
        own = {(e.key, _plain(e.text)) for e in entries if e.value is not None}
        same = {key for key, value in own if value in printed[key]}
        other = {key for key, _ in own} - same
        if len(same) >= FEW_PRINTED and len(other) * 2 <= len(same):
            scores[file] = len(same) - len(other)
    best = max(scores.values(), default=0)
    candidates = [file for file, score in scores.items() if score == best]
    return candidates if len(candidates) <= MAX_KEPT else []


def _plain(value: str) -> str:
    """Return a value in the one way in which different spellings of it agree."""
    text = value.strip("'\" ").rstrip(".").lower()
    try:
        return repr(float(text))
    except ValueError:
        return text


def _guessed(
    workspace: Workspace,
    script: str | None,
    text: str,
    frames: frozenset[str],
    earlier: Sequence[str] = (),
) -> tuple[str, ...]:
    """Return the few configs that go by the script's name or the run's name, or lie beside it.

    Before those beside it come the ones that name files of the ``earlier`` scripts.
    """
    settings = workspace.of_names("launches.settings", _settings_files)
    candidates = [file for file in settings if file not in frames]
    folder, _, name = (script or "").rpartition("/")
    stem = name.partition(".")[0]
    by_stem = [f for f in candidates if stem and _stem(f) == stem]
    words = frozenset(re.findall(r"[\w-]{4,}", text))
    by_run = [f for f in candidates if len(_stem(f)) >= 5 and _stem(f) in words]
    beside = [f for f in candidates if folder and f.rpartition("/")[0] == folder]
    for group in (by_stem, by_run, _fed(workspace, candidates, earlier), beside):
        settings_files = (
            [f for f in group if is_settings(workspace, f, script)] if len(group) < 9 else []
        )
        if 0 < len(settings_files) <= MAX_GUESSED:
            return tuple(settings_files)
    return ()


def _fed(workspace: Workspace, configs: Iterable[str], scripts: Sequence[str]) -> list[str]:
    """Return the config files that name most of the files which stand in scripts."""
    texts = [workspace.text(script) or "" for script in scripts]
    named = {match[1] for text in texts for match in FILE_NAME.finditer(text)}
    filled = [pattern for text in texts for pattern in filled_names(text)]
    counts: dict[str, tuple[int, int]] = {}
    for file in configs if named else ():
        values = (entry.value for entry in workspace.config_entries(file)[:MOST_ENTRIES])
        names = {posixpath.basename(value) for value in values if isinstance(value, str)}
        exact = len(names & named)
        others = sum(any(pattern.fullmatch(name) for pattern in filled) for name in names)
        if exact or others:
            counts[file] = (exact, others)
    best = max(counts.values(), default=(0, 0))
    return [file for file, count in counts.items() if count == best]


def _of_the_run(
    workspace: Workspace, script: str | None, text: str, frames: frozenset[str]
) -> list[str]:
    """Return the config files by whose names the run has called a folder or file of its own."""
    words = frozenset(_LAST_PART.findall(text))
    candidates = workspace.of_names("launches.settings", _settings_files)
    named = [f for f in candidates if f not in frames and _stem(f) in words and is_config_name(f)]
    return [f for f in named if len(named) < 9 and is_settings(workspace, f, script)]


def _settings_files(files: tuple[str, ...]) -> tuple[str, ...]:
    """Return the files that are settings of a program, as far as their names tell."""
    return tuple(
        f
        for f in files
        if (f.endswith(CONFIG_EXTENSIONS) or (f.endswith(".py") and _in_config_folder(f)))
        and not is_tooling(f)
        and "test" not in f.lower()
    )


def _stem(file: str) -> str:
    return file.rpartition("/")[2].rpartition(".")[0]


def is_config_name(file: str) -> bool:
    """Whether a file's name, or a folder's above it, says that it holds settings."""
    return _stem(file).lower().startswith(CONFIG_FOLDERS) or _in_config_folder(file)


def _in_config_folder(file: str) -> bool:
    return any(p.startswith(CONFIG_FOLDERS) for p in file.lower().split("/")[:-1])
