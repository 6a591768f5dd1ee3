"""``dl-bug-lsp server``: runs the language server."""

from __future__ import annotations

import argparse
import gc
import sys
from pathlib import Path

from dl_bug_lsp.cli.errors import UsageError


def run(arguments: argparse.Namespace) -> int:
    """Serve until the client leaves; ends the process itself."""
    if sys.stdin is None or sys.stdout is None:
        raise UsageError("the server needs standard input and output; an editor starts it")
    if sys.stdin.isatty():
        sys.stderr.write(
            "The language server speaks with an editor over standard input and output "
            "(docs/editors.md); Ctrl-C ends it.\n"
        )
    log_file = arguments.log_file
    if log_file is not None:
        try:
            Path(log_file).open("a", encoding="utf-8").close()
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise UsageError(f"cannot write the log file '{log_file}': {reason}") from None
    # Importing the protocol makes some 100,000 objects, all to stay: collecting among them costs
    # a seventh of the start. The server turns the collector on again.
    gc.disable()
    from dl_bug_lsp.server.run import serve_and_exit

    serve_and_exit(log_file)
    return 0
