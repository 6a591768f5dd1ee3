"""What the commands before the failing one have written: the files that are in no workspace.

A script of commands prepares data, trains and evaluates; what one of them writes the next one
reads. Each command is followed once, when a file is asked for, with what those before it wrote.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from itertools import chain

from dl_bug_lsp.interpretation.interpreter import Interpreter
from dl_bug_lsp.interpretation.libraries.python.files import (
    Kept,
    fits_pattern,
    is_written,
    kept_here,
    written_files,
)
from dl_bug_lsp.interpretation.libraries.python.written_text import forget
from dl_bug_lsp.interpretation.values import Origin, Value
from dl_bug_lsp.provenance.printed_output import filled_names
from dl_bug_lsp.workspace import Workspace

MOST_COMMANDS = 4
MOST_STEPS = 20_000
"""Steps of each command that is followed for what it writes."""
MOST_FILES = 300
MOST_NAMING = 2
SHORTEST = 5
"""Letters of a file's name from which it is looked for in scripts."""
MOST_SETTINGS = 100
MAIN = re.compile(r"^if __name__ == ", re.MULTILINE)
WRITING = re.compile(
    r"\b(?:save\w*|dumps?|write_text|to_csv|to_json|to_parquet|to_pickle|to_feather|to_hdf"
    r"|create_dataset|write|writelines|writerows?)\("
)
Command = tuple[str, "list[Value] | None"]
"""A script and the words of its command line, None where they are not known."""


class EarlierRun(Interpreter):
    """Follows a command that did not fail."""

    SKETCHES = True

    def _resume(self, place: Origin) -> None:
        """There is no stack to come to."""
        del place


def _from_its_folder(run: Interpreter, path: str) -> str:
    """Return a path as a run says it that was started in the folder of its script."""
    folder = posixpath.dirname(run.script)
    return posixpath.relpath(path, folder) if folder and not posixpath.isabs(path) else path


class EarlierRuns:
    """The commands that ran before the failing one, oldest first.

    Where none of them wrote a file, a script that names it is taken to have. Each is followed by a
    ``run`` of its own.
    """

    def __init__(
        self,
        workspace: Workspace,
        commands: Sequence[Command],
        script: str = "",
        run: type[EarlierRun] = EarlierRun,
        variables: Mapping[str, Value] | None = None,
    ) -> None:
        self.workspace = workspace
        self._run_type = run
        self.variables = dict(variables or {})
        """What the script of the commands exports: the environment of each of them."""
        self.commands = tuple(commands)[-MOST_COMMANDS:]
        self.script = script
        """The failing script, which is none of those that ran before."""
        self._runs: list[EarlierRun] = []
        self._asked: set[str] = set()

    @property
    def files(self) -> frozenset[str]:
        """The workspace files that the commands followed so far are made of or read."""
        found: set[str] = set()
        for run in self._runs:
            found |= {run.script, *run.modules, *run.files_read}
        return frozenset(found)

    def kept(self, path: str) -> Kept | None:
        """Return what a command wrote under a path, the latest one; None where none did."""
        self._follow(path)
        runs = list(reversed(self._runs))
        found = (kept_here(run, name) for name in self._meant(path) for run in runs)
        others = (
            kept_here(run, _from_its_folder(run, name))
            for name in self._meant(path)
            for run in runs
        )
        return next((kept for kept in chain(found, others) if kept is not None), None)

    def _meant(self, path: str) -> list[str]:
        """Return what a path of the failing run means from the root of the workspace.

        The run may have been started in the folder of its script.
        """
        folder = posixpath.dirname(self.script)
        if not folder or posixpath.isabs(path):
            return [posixpath.normpath(path)]
        inside = posixpath.normpath(posixpath.join(folder, path))
        names = [posixpath.normpath(path), *([] if inside.startswith("..") else [inside])]
        return [name for name in names if not name.startswith("..")] or names

    def _may_have_written(self, run: Interpreter, path: str) -> bool:
        return any(
            is_written(run, name) or is_written(run, _from_its_folder(run, name))
            for name in self._meant(path)
        )

    def wrote(self, path: str) -> bool:
        """Whether a command may have written a file."""
        self._follow(path)
        return any(self._may_have_written(run, path) for run in self._runs)

    def matching(self, pattern: str) -> list[str]:
        """Return the paths that the commands wrote which a pattern of the shell stands for."""
        self._follow_commands()
        wanted = tuple(posixpath.normpath(pattern).split("/"))
        paths = sorted(set().union(*map(written_files, self._runs)))
        return [path for path in paths if fits_pattern(tuple(path.split("/")), wanted)]

    def followed_by(self, run: type[EarlierRun]) -> list[EarlierRun]:
        """Return the same commands, followed anew by runs of another class, oldest first."""
        again = EarlierRuns(self.workspace, self.commands, self.script, run, self.variables)
        again._follow_commands()
        for path in sorted(self._asked):
            again._follow(path)
        return again._runs

    def runs(self) -> list[EarlierRun]:
        """Return the commands as they were followed, latest first."""
        self._follow_commands()
        return list(reversed(self._runs))

    def writers(self, path: str) -> list[str]:
        """Return the scripts of the commands that wrote a file under its very path."""
        self._follow(path)
        wanted = self._meant(path)
        return [
            run.script
            for run in self._runs
            if not written_files(run).isdisjoint(
                (*wanted, *(_from_its_folder(run, name) for name in wanted))
            )
        ]

    def in_workspace(self, workspace: Workspace, edited: str) -> EarlierRuns:
        """Return the same commands in a workspace of which one file is another."""
        if edited not in self.files:
            return self
        return EarlierRuns(workspace, self.commands, self.script, self._run_type, self.variables)

    def _follow(self, path: str) -> None:
        """Follow the commands, and scripts that name a file which none of them wrote."""
        self._follow_commands()
        if path in self._asked or any(self._may_have_written(run, path) for run in self._runs):
            return
        self._asked.add(path)
        for script in self._naming(posixpath.basename(path)):
            if len(self._runs) < MOST_COMMANDS:
                self._run(script, None)

    def _follow_commands(self) -> None:
        for command in self.commands[len(self._runs) :]:
            self._run(*command)

    def _run(self, script: str, words: list[Value] | None) -> None:
        before = EarlierRuns(self.workspace, (), script, self._run_type, self.variables)
        before._runs = list(self._runs)
        before._asked = self._asked
        run = self._run_type(self.workspace, script, (script, 0), words, steps=MOST_STEPS)
        run.earlier = before
        self._runs.append(run)
        outcome = run.run()
        if outcome.complete and not outcome.elsewhere:
            return
        # Nobody knows what it would have written after that.
        for lines in run.disk.unfinished.values():
            forget(lines)
        if not outcome.complete:
            run.disk.partly.add(".")

    def _nearest_first(self) -> list[str]:
        """Return the Python files, those in the folder of the failing script and on top first.

        Scripts that prepare a user's data mostly stand there, not in the packages of a checkout.
        """
        own = posixpath.dirname(self.script)

        def depth(file: str) -> tuple[bool, int]:
            folder = posixpath.dirname(file)
            return folder not in ("", own), file.count("/")

        return sorted(self.workspace.python_files(), key=depth)

    def _naming(self, name: str) -> list[str]:
        """Return the scripts that write files and name one, those that ran left out.

        Those that fill a name in come behind them, then those that name a settings file in which
        its name stands.
        """
        if len(name) < SHORTEST or "." not in name:
            return []
        ran = {self.script, *(run.script for run in self._runs)}
        settings = [
            posixpath.basename(file)
            for file in self.workspace.config_files()[:MOST_SETTINGS]
            if name in (self.workspace.text(file) or "")
        ]
        direct: list[str] = []
        filled: list[str] = []
        indirect: list[str] = []
        for file in self._nearest_first()[:MOST_FILES]:
            text = self.workspace.text(file) or "" if file not in ran else ""
            if not WRITING.search(text) or file.endswith(".ipynb"):
                continue
            if name in text:
                direct.append(file)
            elif any(pattern.fullmatch(name) for pattern in filled_names(text)):
                filled.append(file)
            elif MAIN.search(text) and any(named in text for named in settings):
                indirect.append(file)
        return [*direct, *filled, *indirect][:MOST_NAMING]
