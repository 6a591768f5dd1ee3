"""From a workspace and a command to findings: the one function that all front ends call.

Here are listed all checks, and the modules of this package that find what they report.
"""

from __future__ import annotations

import fnmatch
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from dl_bug_lsp.checks import (
    commands,
    configs,
    forecasts,
    library_calls,
    model_code,
    options,
    resources,
    sources,
    tables,
    training_code,
)
from dl_bug_lsp.checks.entries import Entries, entries_found, entries_of, entries_of_line
from dl_bug_lsp.checks.findings import Check, CheckReport, Finding
from dl_bug_lsp.checks.program import CheckedProgram
from dl_bug_lsp.environments.interpreters import Environment, environment_of
from dl_bug_lsp.workspace import Workspace

Finder = Callable[[CheckedProgram], Iterator[Finding]]

PARTS = (
    sources, options, commands, configs, tables, library_calls, forecasts, training_code,
    model_code, resources,
)  # fmt: skip
FINDERS: tuple[Finder, ...] = tuple(part.find for part in PARTS)
CHECKS: tuple[Check, ...] = tuple(
    sorted((check for part in PARTS for check in part.CHECKS), key=lambda check: check.id)
)
BY_ID = {check.id: check for check in CHECKS}


MOST_FINDINGS = 1_000
LONGEST_COMMENT_LINE = 2_000
FOLLOWED = frozenset(check.id for check in forecasts.CHECKS)
_IGNORE = re.compile(r"#\s*dl-bug:\s*ignore(?:\[(?P<ids>[\w\s,-]*)\])?")


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """What a user may choose; ``python`` is the interpreter as a word of a command line.

    Findings of the ids in ``ignore`` are left out, and those in files that match ``exclude``.
    ``gpu`` is the memory of the card on which the job will run, in bytes. ``selected`` is an
    editor's interpreter, for commands that name none by its path; ``in_editor`` says that the
    command's shell may have another ``PATH`` than this process. ``folder``, relative to the
    workspace, is where the command is typed; None, where that is not known, counts as the root.
    """

    python: str | None = None
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    gpu: int | None = None
    selected: str | None = None
    in_editor: bool = False
    folder: str | None = None


def check(
    workspace: Workspace,
    command: Sequence[str] | str = (),
    options: CheckOptions | None = None,
) -> CheckReport:
    """Look for what is wrong before a command is run; without one, in the programs found.

    ``command`` is a list of words, or a line as it is typed into a shell.
    Nothing is started, and nothing of the user's is imported. Never raises on what files hold: what
    stands in the way of a check is one sentence of the report's problems.
    """
    options = options or CheckOptions()
    entries = _entries(workspace, command, options.folder or "")
    environment, problems = _environment(workspace, entries, options)
    program = CheckedProgram(
        workspace, entries.entries, environment, entries.launchers, options.gpu
    )
    program.installs = entries.installs
    program.not_there = entries.missing
    program.is_folder_known = options.folder is not None
    program.other_path = options.in_editor and not options.selected
    findings: list[Finding] = []
    for finder in FINDERS if entries.entries or not command else (commands.find,):
        findings.extend(_found(finder, program))
    problems += [
        f"the setting names no check: '{name}'" for name in options.ignore if name not in BY_ID
    ]
    shown_findings = _kept(workspace, findings, options)
    shown = tuple(entry.told for entry in entries.entries)
    problems = [*entries.problems, *problems, *program.problems]
    written = command if isinstance(command, str) else shlex.join(command)
    unique = tuple(dict.fromkeys(problems))
    return CheckReport(str(workspace.root), tuple(shown_findings), unique, shown, written)


def has_interpreter(written: str, workspace: Workspace) -> bool:
    """Say whether a word of a command line means an interpreter that is there."""
    return environment_of(written, workspace.root) is not None


def _found(finder: Finder, program: CheckedProgram) -> Iterator[Finding]:
    """Yield what one part finds; what is nested too deeply for it is one sentence."""
    try:
        yield from finder(program)
    except (RecursionError, MemoryError) as error:
        name = finder.__module__.rpartition(".")[2]
        program.problems.append(f"the checks of {name} were cut short ({type(error).__name__})")


def _entries(workspace: Workspace, command: Sequence[str] | str, folder: str) -> Entries:
    if not command:
        return entries_found(workspace)
    if isinstance(command, str):
        return entries_of_line(workspace, command, folder)
    return entries_of(workspace, command, folder)


def _environment(
    workspace: Workspace, entries: Entries, options: CheckOptions
) -> tuple[Environment | None, list[str]]:
    """Return the environment of the run, and why it is not known."""
    if entries.installs:
        return None, ["a script installs packages first: what is installed now is not looked at"]
    named = [entry.interpreter for entry in entries.entries if entry.interpreter]
    plain = [name for name in dict.fromkeys(named) if "$" not in name]
    written = options.python or (plain[0] if len(plain) == 1 else None)
    if options.selected and not (written and ("/" in written or "\\" in written)):
        written = options.selected
    environment = environment_of(written, workspace.root)
    if environment is None:
        name = f"'{written}'" if written else "python"
        return None, [f"no interpreter {name} was found: imports and libraries are not checked"]
    if not environment.is_known:
        return environment, [
            f"the environment of {environment.interpreter} could not be read in full: "
            "missing modules are not reported"
        ]
    return environment, []


def _kept(
    workspace: Workspace, findings: Iterable[Finding], options: CheckOptions
) -> list[Finding]:
    """Return the findings that nobody asked to leave out, each place once, the surest first."""
    distinct: dict[tuple[str, str, int, str], Finding] = {}
    findings = list(findings)
    seen = {(f.category, f.file, f.line) for f in findings if f.id not in FOLLOWED}
    for finding in sorted(findings, key=lambda finding: finding.order):
        if finding.id in options.ignore or (finding.file and finding.line < 1):
            continue
        # What a run comes to may be what another check has seen in the text.
        if finding.id in FOLLOWED and (finding.category, finding.file, finding.line) in seen:
            continue
        if any(fnmatch.fnmatch(finding.file, glob) for glob in options.exclude):
            continue
        if finding.file and finding.id in _ignored(workspace, finding):
            continue
        distinct.setdefault((finding.id, finding.file, finding.line, finding.message), finding)
    return list(distinct.values())[:MOST_FINDINGS]


def _ignored(workspace: Workspace, finding: Finding) -> Iterator[str]:
    """Yield the ids that comments on a finding's lines ask to leave out."""
    for line in range(finding.line, finding.end_line + 1):
        text = workspace.source_line(finding.file, line)[:LONGEST_COMMENT_LINE]
        match = _IGNORE.search(text) if "dl-bug" in text else None
        if match is None:
            continue
        if match["ids"] is None:
            yield finding.id
        else:
            yield from (part.strip() for part in match["ids"].split(","))
