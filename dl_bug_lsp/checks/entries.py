"""Which programs a command runs, with the words of their command lines; nothing is started.

A command is read as a shell does (POSIX sh, in outline): launchers such as ``torchrun`` hand the
words after the script on, a shell script or a target of a Makefile runs the commands in it.
"""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from dl_bug_lsp.provenance.launches import LAUNCHERS
from dl_bug_lsp.workspace import Workspace
from dl_bug_lsp.workspace.configs.shell_files import Command, Word, command_entries, split_commands
from dl_bug_lsp.workspace.similar_names import similarly_named

SHELLS = frozenset(("sh", "bash", "zsh", "dash", "sbatch", "qsub", "source", "."))
SCRIPTS = (".sh", ".bash", ".zsh", ".sbatch", ".slurm", ".pbs")
NOTEBOOK_RUNNERS = frozenset(
    ("jupyter", "papermill", "nbconvert", "jupyter-execute", "jupyter-nbconvert")
)
MOST_ENTRIES = 60
MOST_OPEN = 20
"""Scripts and targets that start one another."""
MOST_FOUND = 20
_VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w+)(?::-([^{}$]*))?\})")
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_PYTHON = re.compile(r"(?:.*[/\\])?(?:python|pypy)[\d.]*(?:\.exe)?")
TESTS = re.compile(
    r"(?:^|/)(?:tests?|docs?|benchmarks?)/|(?:^|/)(?:test_\w*|\w*_test|conftest)\.py$"
)


@dataclass(frozen=True, slots=True)
class Entry:
    """A run of one script: its words, and where they are written (no file: typed by the user).

    ``interpreter`` is the word that names it, None where a launcher chooses; ``folder`` the working
    directory relative to the workspace, None where the script changes it.
    """

    script: str
    words: tuple[Word, ...]
    file: str = ""
    line: int = 0
    interpreter: str | None = None
    folder: str | None = ""
    variables: tuple[tuple[str, str], ...] = ()
    launch: tuple[str, ...] = ()
    """The words in front of the script: the interpreter or a launcher with its options."""

    @property
    def is_typed(self) -> bool:
        """Whether the user named this command, and it was not found among others."""
        return not self.file

    @property
    def told(self) -> str:
        """What is checked, as people call it: a notebook may be run by any program."""
        return self.script if self.script.endswith(".ipynb") else self.shown

    @property
    def shown(self) -> str:
        """The command on one line."""
        words = " ".join(word.text for word in self.words)
        runner = "jupyter execute" if self.script.endswith(".ipynb") else "python"
        return f"{runner} {self.script} {words}".strip()


@dataclass(frozen=True, slots=True)
class MissingFile:
    """A program or script that a command starts and that is not there.

    ``file`` and ``line`` are those of the launch file that has the command, empty and 0 where it
    was typed. ``near`` are the files whose names are like it.
    """

    written: str
    file: str
    line: int
    near: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Entries:
    """The runs that a command starts, and a sentence for each part of it that was not found.

    ``installs`` says that a script installs packages first, so that what is installed now does not
    tell what the runs will find.
    """

    entries: tuple[Entry, ...]
    problems: tuple[str, ...] = ()
    launchers: tuple[str, ...] = ()
    """The shell scripts that the command runs."""
    installs: bool = False
    missing: tuple[MissingFile, ...] = ()


def entries_of(workspace: Workspace, words: Sequence[str], folder: str = "") -> Entries:
    """Return the programs that a command runs; ``words`` are its words, the program first.

    ``folder``, relative to the workspace, is where it is typed.
    """
    reader = _Reader(workspace)
    entries = tuple(reader.of_words([Word(word, 0) for word in words], "", {}, folder))
    if not entries and not reader.problems and not reader.missing:
        shown = " ".join(words)[:200]
        reader.problems.append(
            f"'{shown}' runs no Python program of this folder that could be found; name one, as in "
            "'dl-bug-lsp check -- python train.py'"
        )
    unique = tuple(dict.fromkeys(entries))[:MOST_ENTRIES]
    return reader.result(unique)


def entries_of_line(workspace: Workspace, line: str, folder: str = "") -> Entries:
    """Return the programs that a line runs which is typed into a shell in a folder."""
    reader = _Reader(workspace)
    return reader.result(tuple(dict.fromkeys(reader.of_line(line, folder)))[:MOST_ENTRIES])


def entries_found(workspace: Workspace) -> Entries:
    """Return the programs that launch files run, the scripts with a main part, and notebooks.

    Where there are none: the scripts that do something and that no other file imports.
    """
    reader = _Reader(workspace)
    entries: list[Entry] = []
    for file in workspace.files():
        if f"/{file.lower()}".endswith(LAUNCHERS) and not TESTS.search(file):
            entries.extend(reader.of_file(file))
            if len(entries) > MOST_ENTRIES:
                break
    named = {entry.script for entry in entries}
    scripts = [file for file in workspace.python_files() if file not in named]
    scripts.sort(key=lambda file: (file.count("/"), file))
    for file in scripts:
        if len(named) >= MOST_FOUND:
            break
        is_run = file.endswith(".ipynb") or _has_main(workspace, file)
        if not TESTS.search(file) and is_run:
            named.add(file)
            entries.append(Entry(file, (), file, 0, folder=None))
    if not entries:
        found = [f for f in scripts if not TESTS.search(f) and _does_something(workspace, f)]
        imported = _imported(workspace, scripts) if found else frozenset()
        starting = [file for file in found if file not in imported]
        entries.extend(Entry(file, (), file, 0, folder=None) for file in starting[:MOST_FOUND])
    unique = tuple(dict.fromkeys(entries))[:MOST_ENTRIES]
    missing = tuple(lacking for lacking in reader.missing if lacking.near)
    return Entries(unique, (), tuple(reader.launchers), missing=missing)


def _has_main(workspace: Workspace, file: str) -> bool:
    if "__main__" not in (workspace.text(file) or ""):
        return False
    tree = workspace.tree(file)
    return any(
        isinstance(node, ast.If) and "__main__" in ast.unparse(node.test)
        for node in (tree.body if tree is not None else ())
    )


def _does_something(workspace: Workspace, file: str) -> bool:
    """Whether a module calls something or loops when it is run, and does not only define names."""
    tree = workspace.tree(file) if file.endswith(".py") else None
    return any(
        isinstance(node, (ast.For, ast.While, ast.With))
        or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call))
        for node in (tree.body if tree is not None else ())
    )


def _imported(workspace: Workspace, files: Iterable[str]) -> frozenset[str]:
    """Return the files that others of them import."""
    found: set[str] = set()
    for file in files:
        tree = workspace.tree(file)
        for node in ast.walk(tree) if tree is not None else ():
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                base = "." * node.level + (node.module or "")
                joined = base if base.endswith(".") else f"{base}."
                names = [base, *(f"{joined}{alias.name}" for alias in node.names)]
            targets = (workspace.module_file(n, file) for n in names if n.strip("."))
            found.update(target for target in targets if target is not None and target != file)
    return frozenset(found)


class _Reader:
    """Reads commands, with the files that they run."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.files = frozenset(workspace.files())
        self.problems: list[str] = []
        self.missing: list[MissingFile] = []
        self.launchers: list[str] = []
        self._open: set[str] = set()
        self.installs = False

    def result(self, entries: tuple[Entry, ...]) -> Entries:
        """Return what was read, each thing once."""
        problems, missing = dict.fromkeys(self.problems), dict.fromkeys(self.missing)
        return Entries(
            entries, tuple(problems), tuple(self.launchers), self.installs, tuple(missing)
        )

    def of_words(
        self, words: list[Word], file: str, variables: dict[str, str], folder: str | None
    ) -> Iterator[Entry]:
        """Yield the runs of one simple command."""
        words = [part for word in words for part in self._expanded(word, file, variables)]
        before = dict(variables)
        while words and (match := _ASSIGNMENT.fullmatch(words[0].text)):
            before[match[1]] = match[2]
            words.pop(0)
        if not words:
            return
        name = words[0].text.rpartition("/")[2]
        if name == "make":
            yield from self._make(words[1:], folder)
            return
        if name in NOTEBOOK_RUNNERS:
            yield from self._notebooks(words, name, file, before, folder)
            return
        if name.endswith(".ipynb") and not file:
            # A notebook that is named alone is to be run, as a script is.
            yield from self._notebooks([Word("jupyter", 0), *words[:1]], "", "", before, folder)
            return
        texts = [word.text for word in words]
        if name in SHELLS and "-c" in texts[1:-1]:
            line = texts[texts.index("-c") + 1]
            yield from self._commands(file, [(words[0].line, line)], folder)
            return
        shell = self._shell_script(words, name, file, folder)
        if shell is not None:
            yield from self.of_file(shell, folder)
            return
        if name.partition(":")[0].endswith("launch.json"):
            yield from self._editor(words[0].text)
            return
        entry = self._program(words, file, before, folder)
        if entry is not None:
            yield entry

    def _expanded(self, word: Word, file: str, variables: dict[str, str]) -> Iterator[Word]:
        """Yield a word with its variables put in, split at blanks where no quotes prevent it."""
        text = _filled(word.text, variables)
        written = self.workspace.source_line(file, word.line) if file and word.line else ""
        quoted = f'"{word.text}"' in written or f'{word.text}"' in written
        if text == word.text or quoted:
            yield Word(text, word.line)
        else:
            yield from (Word(part, word.line) for part in text.split())

    def _shell_script(
        self, words: list[Word], name: str, file: str, folder: str | None
    ) -> str | None:
        plain = [w.text for w in words[1:] if not w.text.startswith("-")]
        if name in SHELLS and "-c" not in [w.text for w in words]:
            written = plain[0] if plain else ""
        elif words[0].text.endswith(SCRIPTS):
            written = words[0].text
        else:
            return None
        script = self._file(written, folder)
        if script is None:
            self._lacks(written, file, words[0].line, folder)
        return script

    def _lacks(self, written: str, file: str, line: int, folder: str | None) -> None:
        """Note a program or script that is nowhere: not in the workspace, nor on the disk."""
        if not written or folder is None or any(sign in written for sign in "$*?`~"):
            return
        if written.startswith(("/", "\\")) or ":" in written or ".." in written.split("/"):
            self.problems.append(f"'{written}' is no file of this workspace")
            return
        folders = (folder, "", posixpath.dirname(file))
        paths = (posixpath.normpath(posixpath.join(base, written)) for base in folders)
        if any(self.workspace.existing_file(path) is not None for path in paths):
            self.problems.append(f"'{written}' is not read: an ignore rule leaves it out")
            return
        near = similarly_named(written, self.files, folder)
        self.missing.append(MissingFile(written, file, line, tuple(near)))

    def _program(
        self, words: list[Word], file: str, variables: dict[str, str], folder: str | None
    ) -> Entry | None:
        rows = command_entries(file, Command(words))
        command = next((row for row in rows if row.length is not None), None)
        if command is None or command.length is None:
            return None
        rest = words[len(words) - command.length :]
        at = len(words) - command.length - 1
        interpreter = words[0].text if _PYTHON.fullmatch(words[0].text) else None
        is_module = at > 0 and words[at - 1].text in ("-m", "--module")
        script = self._script(words[at].text, is_module, folder)
        if script is None:
            if not is_module and words[at].text.endswith(".py"):
                self._lacks(words[at].text, file, words[0].line, folder)
            return None
        environment = tuple(sorted(variables.items()))
        line = words[0].line
        launch = tuple(word.text for word in words[:at])
        return Entry(script, tuple(rest), file, line, interpreter, folder, environment, launch)

    def _notebooks(
        self,
        words: list[Word],
        name: str,
        file: str,
        variables: dict[str, str],
        folder: str | None,
    ) -> Iterator[Entry]:
        """Yield the notebooks that a command runs; papermill's second one is its output."""
        if "nbconvert" in [w.text for w in words] and "--execute" not in [w.text for w in words]:
            return
        notebooks = [w for w in words[1:] if w.text.endswith(".ipynb")]
        for word in notebooks[:1] if name == "papermill" else notebooks:
            notebook = self._file(word.text, folder)
            if notebook is None:
                self._lacks(word.text, file, word.line, folder)
                continue
            own = folder if name == "papermill" else posixpath.dirname(notebook)
            yield Entry(notebook, (), file, word.line, None, own, tuple(sorted(variables.items())))

    def _script(self, written: str, is_module: bool, folder: str | None) -> str | None:
        if is_module:
            stem = written.replace(".", "/")
            names = (f"{stem}.py", f"{stem}/__main__.py", f"src/{stem}.py")
            return next((f for n in names if (f := self._file(n, folder)) is not None), None)
        if written.endswith(".py"):
            return self._file(written, folder)
        return None

    def _file(self, written: str, folder: str | None) -> str | None:
        """Return the workspace file that a path means from a working directory."""
        if not written:
            return None
        plain = posixpath.normpath(_VARIABLE.sub(".", written)).lstrip("/")
        for base in (folder or "", ""):
            path = posixpath.normpath(posixpath.join(base, plain))
            if path in self.files:
                return path
        if folder is None or "$" in written or written.startswith("/"):
            return self.workspace.file_named(plain)
        return None

    def of_file(self, file: str, folder: str | None = "") -> Iterator[Entry]:
        """Yield the runs that a shell script or a Makefile holds."""
        if file in self._open or len(self._open) > MOST_OPEN:
            return
        if file.endswith("launch.json"):
            yield from self._editor(file)
            return
        self._open.add(file)
        lines = list(enumerate(self.workspace.lines(file), 1))
        if file.lower().endswith(("makefile", ".mk")):
            lines = [(n, line.lstrip("\t @-+")) for n, line in lines if line.startswith("\t")]
        elif file not in self.launchers:
            self.launchers.append(file)
        yield from self._commands(file, lines, folder)
        self._open.discard(file)

    def of_line(self, line: str, folder: str = "") -> Iterator[Entry]:
        """Yield the runs of a line of shell that no file holds."""
        yield from self._commands("", [(0, line)], folder)

    def _commands(
        self, file: str, lines: Iterable[tuple[int, str]], folder: str | None
    ) -> Iterator[Entry]:
        variables: dict[str, str] = {}
        looped: set[str] = set()
        for command in split_commands(lines)[0]:
            words = list(command.words)
            while words and words[0].text in ("export", "local", "readonly", "declare", "do",
                                              "then", "else", "if", "!"):  # fmt: skip
                words.pop(0)
            if not words:
                continue
            if words[0].text in ("for", "while", "read", "select", "case"):
                looped.update(word.text for word in words[1:2])
            start = " ".join(word.text for word in words[:4])
            self.installs |= "pip install" in start or "-m venv" in start or "conda " in start
            if words[0].text in ("cd", "pushd", "popd"):
                folder = None
            assigned = [_ASSIGNMENT.fullmatch(word.text) for word in words]
            if all(assigned):
                for match in filter(None, assigned):
                    # What is set twice is not known at any one place.
                    again = match[1] in variables or match[1] in looped
                    variables[match[1]] = "$" if again else _filled(match[2], variables)
                continue
            known = {k: v for k, v in variables.items() if k not in looped}
            yield from self.of_words(words, file, known, folder)

    def _make(self, words: list[Word], folder: str | None) -> Iterator[Entry]:
        names = ("Makefile", "makefile", "GNUmakefile")
        file = next((f for n in names if (f := self._file(n, folder)) is not None), None)
        if file is None:
            self.problems.append("there is no Makefile in this folder")
            return
        targets = [w.text for w in words if not w.text.startswith("-") and "=" not in w.text]
        chosen: list[tuple[int, str]] = []
        current: list[str] = []
        known: set[str] = set()
        for number, line in enumerate(self.workspace.lines(file), 1):
            head = re.match(r"([^\s:=#][^:=#]*)::?(?!=)", line)
            if head:
                current = head[1].split()
                known.update(current)
                targets = targets or current[:1]
            elif line.startswith("\t") and any(target in current for target in targets):
                chosen.append((number, line.lstrip("\t @-+")))
        lacking = [target for target in targets if target not in known and "%" not in target]
        if lacking:
            self.problems.append(f"{file} has no target '{lacking[0]}'")
        text = [(number, line.replace("$$", "$")) for number, line in chosen]
        call = f"{file} {' '.join(targets)}"
        if call in self._open or len(self._open) > MOST_OPEN:
            # A target that makes itself, or others in a circle.
            return
        self._open.add(call)
        yield from self._commands(file, text, folder)
        self._open.discard(call)

    def _editor(self, written: str) -> Iterator[Entry]:
        """Yield the configurations of a ``launch.json``, or the one named after a colon."""
        path, _, title = written.partition(":")
        file = path if path in self.files else self._file(f".vscode/{path}", "")
        if file is None:
            self.problems.append(f"there is no file '{path}' in this folder")
            return
        rows: dict[object, dict[str, list[tuple[object, int]]]] = {}
        for entry in self.workspace.config_entries(file):
            at = entry.path
            if len(at) >= 3 and at[0] == "configurations" and entry.length is None:
                row = rows.setdefault(at[1], {})
                row.setdefault(str(at[2]), []).append((entry.value, entry.line))
        for row in rows.values():
            name = str(row.get("name", [("", 0)])[0][0])
            program = row.get("program") or row.get("module") or []
            if not program or (title and name != title):
                continue
            text = str(program[0][0]).replace("${workspaceFolder}/", "")
            script = self._script(text, "module" in row, "")
            args = tuple(Word(str(value), line) for value, line in row.get("args", []))
            if script is not None:
                own = None if "cwd" in row else ""
                yield Entry(script, args, file, program[0][1], None, own)


def _filled(text: str, variables: dict[str, str]) -> str:
    """Return a word with the script's own variables put in; what is not known keeps its ``$``."""

    def value(match: re.Match[str]) -> str:
        name = match[1] or match[2]
        return variables.get(name, match[3] if match[3] is not None else match[0])

    return _VARIABLE.sub(value, text) if "$" in text else text
