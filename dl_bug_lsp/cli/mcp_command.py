"""``dl-bug-lsp mcp``: the tools for assistants over the Model Context Protocol."""

from __future__ import annotations

import argparse
import gc
import sys
from pathlib import Path

from dl_bug_lsp.cli.errors import FOUND, UsageError
from dl_bug_lsp.cli.localize_command import workspace_folder

MISSING = "the package 'mcp' is missing; install it with: pip install 'dl-bug-lsp[mcp]'"


def run(arguments: argparse.Namespace) -> int:
    """Serve one client over standard input and output; return 0 when it left.

    Raises `UsageError` for folders that do not exist, or where the extra is not installed.
    """
    if arguments.connect is not None:
        if arguments.workspace or arguments.logs:
            raise UsageError("--connect: the editor's server has its own folders")
        return _connect(arguments.connect)
    roots = [workspace_folder(name) for name in arguments.workspace or ["."]]
    logs = []
    for name in arguments.logs:
        if not Path(name).is_dir():
            raise UsageError(f"--logs: there is no folder '{name}'")
        logs.append(Path(name).resolve())
    # Importing the SDK makes hundreds of thousands of objects, all to stay.
    gc.disable()
    try:
        from dl_bug_lsp.mcp_server.protocol import serve_stdio
    except ImportError as error:
        if (error.name or "").partition(".")[0] in ("mcp", "mcp_types", "anyio"):
            raise UsageError(MISSING) from None
        raise
    from dl_bug_lsp.mcp_server.folders import OwnFolders
    from dl_bug_lsp.mcp_server.tools import Tools

    gc.freeze()
    gc.enable()
    if sys.stdin is not None and sys.stdin.isatty():
        sys.stderr.write(
            "This speaks with an assistant over standard input and output "
            "(docs/assistants.md); Ctrl-C ends it.\n"
        )
    serve_stdio(Tools(OwnFolders(roots, logs), tuple(logs)))
    return FOUND


def _connect(path: str) -> int:
    """Hand an assistant's streams on to a server's socket; return 0 when either end is closed."""
    from dl_bug_lsp.mcp_server.bridge import forward

    try:
        forward(Path(path))
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UsageError(f"--connect: no server answers at '{path}' ({reason})") from None
    return FOUND
