"""``dl-bug-lsp localize``: reads a text, localizes, prints the report."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from dl_bug_lsp.cli.errors import (
    FOUND,
    NOT_FOUND,
    UsageError,
    complain,
    terminal_width,
    wants_colour,
    write_bytes,
    write_text,
)
from dl_bug_lsp.cli.log_input import is_closed_pipe, is_piped, read_inputs
from dl_bug_lsp.cli.recorded_runs import interpreter, of_sound_end, trainings
from dl_bug_lsp.data_folder import refusal
from dl_bug_lsp.report import Options, Report
from dl_bug_lsp.settings.reading import FILE, Settings, read_project, settings_of

if TYPE_CHECKING:
    from dl_bug_lsp.runs.records import RunRecord
    from dl_bug_lsp.workspace import Workspace


def run(arguments: argparse.Namespace) -> int:
    """Localize and print; return 0 when a place was found, 1 when none was.

    Raises `UsageError` for options that exclude each other and for inputs that cannot be read.
    """
    root = workspace_folder(arguments.workspace)
    if arguments.brief and arguments.format != "text":
        raise UsageError("--brief is a form of the text; leave --format out")
    if arguments.tokens is not None and arguments.format != "context":
        raise UsageError("--tokens is for --format context")
    text_input = read_inputs(arguments.files, shown=_pass_on if _passes(arguments) else None)
    from dl_bug_lsp.localize import localize
    from dl_bug_lsp.workspace import Workspace

    for _, local in arguments.map:
        if not (root / local).exists():
            raise UsageError(f"--map: there is nothing at '{local}' in the workspace '{root}'")
    workspace = Workspace(root)
    if (why := refusal(root)) is not None:
        complain(why)
    options = _options(arguments, workspace)
    trained, known = None, None
    if (record := _record(arguments)) is not None:
        options = replace(options, python=options.python or interpreter(record.command))
        trained = trainings(root, record.trainings) if record.exit_code == 0 else None
    if trained is not None:
        from dl_bug_lsp.monitoring.diagnosis_invariants import read_invariants

        known = read_invariants(root)
    if arguments.technique is None:
        report = localize(text_input.data, workspace, options, None, trained, known)
    else:
        from dl_bug_lsp.techniques.localizing import localize_with

        report = localize_with(arguments.technique, text_input.data, workspace, options)
    if record is not None and record.exit_code == 0:
        report = of_sound_end(report)
    report = report.after(text_input.skipped_lines)
    # What was looked at is kept for the next time; indexing everything first would take longer.
    workspace.keep_index()
    has_places = any(failure.suspects for failure in report.failures)
    try:
        _print(report, workspace, arguments)
    except OSError as error:
        if not is_closed_pipe(error):
            raise
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return FOUND if has_places else NOT_FOUND


def _record(arguments: argparse.Namespace) -> RunRecord | None:
    """Return the record of the run whose output is to be read, where `run` recorded it."""
    from dl_bug_lsp.runs import records

    return records.of_log(Path(arguments.files[0])) if len(arguments.files) == 1 else None


def _passes(arguments: argparse.Namespace) -> bool:
    """Say whether the program's output is printed as it comes through the pipe."""
    if arguments.passing == "auto":
        plain = arguments.format == "text" and is_piped()
        return plain and sys.stdout is not None and sys.stdout.isatty()
    return bool(arguments.passing == "always")


def _pass_on(part: bytes) -> None:
    """Print a part of the input; a reader that went away does not end the reading."""
    with contextlib.suppress(OSError, ValueError):
        write_bytes(part, sys.stdout)
        sys.stdout.flush()


def _options(arguments: argparse.Namespace, workspace: Workspace) -> Options:
    """Return what the arguments say, else the project's settings (`[tool.dl-bug-lsp]`)."""
    of_project = project_settings(workspace).options
    top = of_project.top
    if arguments.format == "context":
        from dl_bug_lsp.assistants.explaining import PLACES

        top = PLACES
    return Options(
        top if arguments.top is None else arguments.top,
        of_project.top_files if arguments.top_files is None else arguments.top_files,
        tuple({**dict(of_project.path_map), **dict(arguments.map)}.items()),
        python=arguments.python,
    )


def project_settings(workspace: Workspace) -> Settings:
    """Return the settings of a workspace's project; each odd one is told in one line."""
    if FILE not in workspace.config_files():
        return Settings()
    project = read_project(workspace.config_entries(FILE))
    for line, sentence in project.complaints:
        complain(f"{FILE}, line {line}: {sentence}")
    return settings_of(project.given)


def workspace_folder(name: str) -> Path:
    """Return the workspace's folder, absolute, or raise `UsageError`."""
    path = Path(name)
    try:
        if path.is_dir():
            next(path.iterdir(), None)
            return path.resolve()
        exists = path.exists()
    except PermissionError:
        raise UsageError(f"cannot read the workspace '{name}': permission denied") from None
    except (OSError, ValueError):
        exists = False
    if exists:
        raise UsageError(f"the workspace '{name}' is a file; name the folder of the code")
    raise UsageError(f"there is no folder '{name}'; --workspace takes the folder of the code")


def _print(report: Report, workspace: Workspace, arguments: argparse.Namespace) -> None:
    shape = "brief" if arguments.brief else arguments.format
    text = rendered(report, workspace, shape, arguments.color, sys.stdout, arguments.tokens)
    print_rendered(text, arguments.format, sys.stdout)


def rendered(
    report: Report,
    workspace: Workspace,
    shape: str,
    colour: str,
    stream: TextIO,
    tokens: int | None = None,
) -> str:
    """Return the report in the format ``shape``, as it is fit for ``stream``."""
    if shape == "json":
        from dl_bug_lsp.views.json_view import to_json

        return json_text(to_json(report))
    if shape == "sarif":
        from dl_bug_lsp.assistants.explaining import shown_lines
        from dl_bug_lsp.views.sarif import to_sarif

        return json_text(to_sarif(report, shown_lines(workspace)))
    if shape == "github":
        from dl_bug_lsp.views.github import to_github

        home = os.environ.get("GITHUB_WORKSPACE") or os.curdir
        return to_github(report, path_prefix(workspace.root, Path(home)))
    from dl_bug_lsp.assistants.explaining import context_of, shown_lines
    from dl_bug_lsp.views.layout import PathStyle, Style
    from dl_bug_lsp.views.text import render_text

    if shape == "context":
        # Its reader looks from the workspace, wherever this command was typed.
        return context_of(report, workspace, tokens)
    style = Style(wants_colour(colour, stream))
    paths = PathStyle(path_prefix(workspace.root, Path.cwd()))
    if shape == "brief":
        from dl_bug_lsp.views.text import render_brief

        return render_brief(report, style, paths)
    return render_text(report, shown_lines(workspace), terminal_width(), style, paths)


def print_rendered(text: str, shape: str, stream: TextIO) -> None:
    """Print a rendered report; machines get UTF-8 whatever the terminal's encoding."""
    if shape in ("json", "sarif", "context"):
        write_bytes(text.encode("utf-8"), stream)
    else:
        write_text(text, stream)


def json_text(document: dict[str, Any]) -> str:
    """Return a document as JSON in which nothing hides or turns what is read."""
    from dl_bug_lsp.views.escape import ascii_json

    text = json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2)
    return ascii_json(text) + "\n"


def path_prefix(root: Path, reader: Path) -> str:
    """Return what leads from the reader's folder to the workspace, empty or ending in ``/``."""
    try:
        way = os.path.relpath(root, reader.resolve())
    except (OSError, ValueError):
        return root.as_posix() + "/"
    if way == os.curdir:
        return ""
    if Path(way).parts[:3] == (os.pardir,) * 3:
        return root.as_posix().rstrip("/") + "/"
    return Path(way).as_posix() + "/"
