"""``dl-bug-lsp check [-- COMMAND]``: what can be known to be wrong before a job runs."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from dl_bug_lsp.assistants.explaining import shown_lines
from dl_bug_lsp.cli.errors import UsageError, terminal_width, wants_colour
from dl_bug_lsp.cli.localize_command import (
    json_text,
    path_prefix,
    print_rendered,
    project_settings,
    workspace_folder,
)

if TYPE_CHECKING:
    from dl_bug_lsp.checks.checking import CheckOptions
    from dl_bug_lsp.checks.findings import CheckReport
    from dl_bug_lsp.settings.reading import Settings
    from dl_bug_lsp.workspace import Workspace

CLEAN, WRONG = 0, 1


def run(arguments: argparse.Namespace) -> int:
    """Check, print, return 1 where something is surely wrong (with --strict: likely).

    Raises `UsageError` for a check or a workspace that does not exist.
    """
    from dl_bug_lsp.checks.checking import BY_ID
    from dl_bug_lsp.checks.resources import size_of
    from dl_bug_lsp.workspace import Workspace

    unknown = [name for name in arguments.ignore if name not in BY_ID]
    if unknown:
        raise UsageError(f"there is no check '{unknown[0]}'; see docs/checks.md for all")
    workspace = Workspace(workspace_folder(arguments.workspace))
    command = arguments.words[1:] if arguments.words[:1] == ["--"] else arguments.words
    settings = project_settings(workspace)
    gpu = size_of(arguments.gpu) if arguments.gpu is not None else None
    if arguments.gpu is not None and gpu is None:
        raise UsageError(f"'{arguments.gpu}' is no size of memory; write it as in --gpu 24GB")
    report = checked(workspace, command, settings, arguments.python, arguments.ignore, gpu)
    text = rendered(report, workspace, arguments.format, arguments.color, sys.stdout)
    print_rendered(text, arguments.format, sys.stdout)
    return exit_code(report, arguments.strict or settings.check_strict)


def checked(
    workspace: Workspace,
    command: Sequence[str],
    settings: Settings,
    python: str | None = None,
    ignore: Sequence[str] = (),
    gpu: int | None = None,
) -> CheckReport:
    """Check with a project's settings, to which the arguments add."""
    from dl_bug_lsp.checks.checking import CheckOptions, check

    options: CheckOptions = CheckOptions(
        python,
        (*settings.check_ignore, *ignore),
        settings.check_exclude,
        gpu,
        folder=_folder_in(workspace.root),
    )
    return check(workspace, command, options)


def _folder_in(root: Path) -> str | None:
    """Return the current folder relative to a workspace, None where it lies outside."""
    try:
        relative = Path.cwd().resolve().relative_to(root.resolve()).as_posix()
    except (OSError, ValueError):
        return None
    return "" if relative == "." else relative


def exit_code(report: CheckReport, strict: bool) -> int:
    """Return 1 where something is surely wrong, with ``strict`` also where it is likely."""
    from dl_bug_lsp.checks.findings import Certainty

    return WRONG if report.has(Certainty.LIKELY if strict else Certainty.SURE) else CLEAN


def rendered(
    report: CheckReport, workspace: Workspace, shape: str, colour: str, stream: TextIO
) -> str:
    """Return the findings in the format ``shape``, as it is fit for ``stream``."""
    from dl_bug_lsp.views import check_view

    if shape == "json":
        document: dict[str, Any] = check_view.to_json(report)
        return json_text(document)
    if shape == "sarif":
        return json_text(check_view.to_sarif(report, shown_lines(workspace)))
    if shape == "github":
        home = os.environ.get("GITHUB_WORKSPACE") or os.curdir
        return check_view.to_github(report, path_prefix(workspace.root, Path(home)))
    from dl_bug_lsp.views.layout import PathStyle, Style

    style = Style(wants_colour(colour, stream))
    paths = PathStyle(path_prefix(workspace.root, Path.cwd()))
    lines = shown_lines(workspace)
    return check_view.render_text(report, lines, terminal_width(), style, paths)
