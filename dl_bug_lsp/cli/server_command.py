"""``dl-bug-lsp server`` runs the language server, ``dl-bug-lsp mcp`` the tools for assistants."""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Callable, Coroutine
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dl_bug_lsp.cli.errors import FOUND, UsageError
from dl_bug_lsp.cli.localize_command import workspace_folder

if TYPE_CHECKING:
    from dl_bug_lsp.server.app import DlBugServer
    from dl_bug_lsp.server.transports import Channel


# ---------------------------------------------------------------------- the Model Context Protocol
MISSING = "the package 'mcp' is missing; install it with: pip install 'dl-bug-lsp[mcp]'"


def run_mcp(arguments: argparse.Namespace) -> int:
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


# ---------------------------------------------------------------------- the language server
def run(arguments: argparse.Namespace) -> int:
    """Serve until the client leaves; ends the process itself.

    Raises `UsageError` for an address, a socket or a log file that cannot be used.
    """
    accept = _transport(arguments)
    log_file = arguments.log_file
    if log_file is not None:
        try:
            Path(log_file).open("a", encoding="utf-8").close()
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise UsageError(f"cannot write the log file '{log_file}': {reason}") from None
    beside = _beside(arguments.mcp_socket)
    # Importing the protocol makes some 100,000 objects, all to stay: collecting among them costs
    # a seventh of the start. The server turns the collector on again.
    gc.disable()
    from dl_bug_lsp.server.run import serve_and_exit

    serve_and_exit(accept, log_file, arguments.clientProcessId, beside)
    return 0


def _beside(socket: str | None) -> Callable[[DlBugServer], Coroutine[Any, Any, None]] | None:
    """Return what serves assistants beside the editor, None where nobody asked for it."""
    if socket is None:
        return None
    if sys.platform == "win32":
        raise UsageError("--mcp-socket needs Unix sockets, which this system does not have")
    if find_spec("mcp") is None:
        raise UsageError(MISSING)
    path = Path(socket).absolute()
    if path.exists() or not path.parent.is_dir():
        why = "is there already" if path.exists() else "lies in no folder"
        raise UsageError(f"--mcp-socket: '{socket}' {why}")

    def beside(server: DlBugServer) -> Coroutine[Any, Any, None]:
        from dl_bug_lsp.mcp_server.beside_editor import serve_socket

        return serve_socket(server, path)

    return beside


def _transport(arguments: argparse.Namespace) -> Callable[[], Channel]:
    from dl_bug_lsp.server import transports

    for option, accept in (("tcp", transports.accept_tcp), ("ws", transports.accept_ws)):
        address_text = getattr(arguments, option)
        if address_text is not None:
            try:
                address = transports.parse_address(address_text)
            except ValueError as error:
                raise UsageError(f"--{option}: {error}, not '{address_text}'") from None
            token = _token(arguments.token_file)
            if token is None and not address.is_local:
                raise UsageError(
                    f"--{option}: {address} can be reached from other machines; give --token-file"
                )
            return partial(accept, address, token)
    if arguments.token_file is not None:
        raise UsageError("--token-file is for --tcp and --ws")
    if sys.stdin is None or sys.stdout is None:
        raise UsageError("the server needs standard input and output; an editor starts it")
    if sys.stdin.isatty():
        sys.stderr.write(
            "The language server speaks with an editor over standard input and output "
            "(docs/editors.md); Ctrl-C ends it.\n"
        )
    return transports.standard_streams


def _token(file: str | None) -> str | None:
    if file is None:
        return None
    from dl_bug_lsp.server.transports import read_token

    try:
        return read_token(file)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"--token-file '{file}': {reason.lower()}") from None
