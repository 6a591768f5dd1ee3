"""The entry point: parses the arguments, runs one command, turns what goes wrong into words."""

from __future__ import annotations

import argparse
import contextlib
import gc
import os
import sys
import traceback
from collections.abc import Sequence

from dl_bug_lsp.cli.errors import (
    INTERNAL_ERROR,
    INTERRUPTED,
    WRONG_USE,
    UsageError,
    complain,
    write_crash,
)
from dl_bug_lsp.cli.parser import build_parser

YOUNG_OBJECTS = 50_000
"""Objects more than at the last round that begin the next of the garbage collector.

Following a run makes hundreds of thousands of objects, nearly all of them freed by counting. With
the usual 700 the collector took a third of the time of a report on a program with much data."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code (docs/cli.md); never raises."""
    gc.set_threshold(YOUNG_OBJECTS, 10, 10)
    try:
        arguments = build_parser().parse_args(argv)
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else WRONG_USE
    try:
        return _run(arguments)
    except UsageError as error:
        complain(str(error))
        return WRONG_USE
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        return _unexpected(error, arguments)


def _run(arguments: argparse.Namespace) -> int:
    """Run the chosen command; each is imported only when it is needed."""
    if arguments.command == "localize":
        from dl_bug_lsp.cli import localize_command

        return localize_command.run(arguments)
    if arguments.command == "run":
        from dl_bug_lsp.cli import run_command

        return run_command.run(arguments)
    if arguments.command == "check":
        from dl_bug_lsp.cli import check_command

        return check_command.run(arguments)
    if arguments.command == "server":
        from dl_bug_lsp.cli import server_command

        return server_command.run(arguments)
    if arguments.command == "mcp":
        from dl_bug_lsp.cli import server_command

        return server_command.run_mcp(arguments)
    if arguments.command == "spectrum":
        from dl_bug_lsp.cli import spectrum_command

        return spectrum_command.run(arguments)
    if arguments.command == "triage":
        from dl_bug_lsp.cli import triage_command

        return triage_command.run(arguments)
    if arguments.command == "explain":
        from dl_bug_lsp.cli import explain_command

        return explain_command.run(arguments)
    if arguments.command == "doctor":
        from dl_bug_lsp.cli import doctor_command

        return doctor_command.run(arguments)
    raise UsageError(
        "say what to do: localize, check, run, spectrum, triage, server, mcp, explain or doctor "
        "(see --help)"
    )


def _unexpected(error: Exception, arguments: argparse.Namespace) -> int:
    if isinstance(error, OSError) and _output_is_gone(error):
        return INTERNAL_ERROR
    if arguments.debug:
        traceback.print_exception(type(error), error, error.__traceback__)
        return INTERNAL_ERROR
    place = write_crash(error)
    where = f"the details are in {place}" if place else "run it again with --debug for details"
    complain(f"something went wrong inside the tool ({type(error).__name__}); {where}")
    return INTERNAL_ERROR


def _output_is_gone(error: OSError) -> bool:
    """Say whether our reader went away, and then keep the interpreter's last flush quiet."""
    from dl_bug_lsp.cli.localize_command import is_closed_pipe

    if not is_closed_pipe(error):
        return False
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return True
