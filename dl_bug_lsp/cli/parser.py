"""The arguments of the command line."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import NoReturn

from dl_bug_lsp import __version__
from dl_bug_lsp.cli.errors import PROGRAM, WRONG_USE, complain
from dl_bug_lsp.techniques import NAMES

FORMATS = ("text", "json", "sarif", "github", "context")
CHECK_FORMATS = ("text", "json", "sarif", "github")


class Parser(argparse.ArgumentParser):
    """Says in one line what is wrong with the arguments."""

    def parse_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> argparse.Namespace:
        """Parse, and complain about what is left over with the name of the chosen command."""
        arguments, left_over = self.parse_known_args(args, namespace)
        if left_over:
            chosen = (getattr(arguments, name, None) for name in ("command", "action"))
            program = " ".join([self.prog, *filter(None, chosen)])
            complain(f"unrecognized arguments: {' '.join(left_over)}; see '{program} --help'")
            self.exit(WRONG_USE)
        return arguments

    def error(self, message: str) -> NoReturn:
        """Complain and leave with the exit code of wrong use."""
        complain(f"{message}; see '{self.prog} --help'")
        self.exit(WRONG_USE)


def build_parser() -> argparse.ArgumentParser:
    """Return the parser; the chosen command's name stands in ``command``."""
    parser = Parser(
        prog=PROGRAM,
        description="Says what kind of failure ended a deep-learning job and which lines of "
        "your code and configs most likely hold the cause.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    common = Parser(add_help=False, allow_abbrev=False)
    common.add_argument(
        "--debug", action="store_true", help="show the traceback when the tool itself fails"
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    _add_localize(commands, common)
    _add_check(commands, common)
    _add_run(commands, common)
    _add_spectrum(commands, common)
    _add_triage(commands, common)
    _add_server(commands, common)
    _add_mcp(commands, common)
    _add_explain(commands, common)
    _add_doctor(commands, common)
    return parser


_Commands = argparse._SubParsersAction


def _add_localize(commands: _Commands[Parser], common: Parser) -> None:
    command = commands.add_parser(
        "localize",
        parents=[common],
        allow_abbrev=False,
        help="rank the places that most likely hold the cause",
        description="Reads what a failed run printed and ranks the lines of the workspace that "
        "most likely hold the cause. Exit code: 0 found, 1 nothing found, 2 wrong use.",
    )
    command.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="the log; - or nothing reads standard input; several are one job's, a file a rank",
    )
    command.add_argument(
        "--workspace", default=".", metavar="DIR", help="folder of the code (default: this one)"
    )
    command.add_argument("--format", choices=FORMATS, default="text", help="default: text")
    command.add_argument(
        "--tokens",
        type=_tokens,
        metavar="N",
        help="tokens that --format context takes at most (default: 1500)",
    )
    command.add_argument(
        "--brief", action="store_true", help="one line a failure, the one that ended the job last"
    )
    command.add_argument(
        "--pass",
        dest="passing",
        choices=("auto", "always", "never"),
        default="auto",
        help="print what a pipe brings as it comes, before the report; auto does so on a terminal",
    )
    command.add_argument(
        "--python", metavar="PYTHON", help="interpreter of the failed run: its libraries are read"
    )
    command.add_argument(
        "--top", type=_positive, metavar="N", help="places at most (default: the project's, 10)"
    )
    command.add_argument(
        "--top-files",
        type=_natural,
        metavar="N",
        help="files at most, 0 for all (default: the project's, 10)",
    )
    command.add_argument(
        "--technique",
        choices=NAMES,
        help="rank by a published technique for bug reports instead of by ours",
    )
    command.add_argument(
        "--map",
        action="append",
        default=[],
        type=_mapping,
        metavar="REMOTE=LOCAL",
        help="the log's path REMOTE is LOCAL here; may be given several times",
    )
    command.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        help="colour in text; auto asks the terminal, NO_COLOR and FORCE_COLOR",
    )


def _add_check(commands: _Commands[Parser], common: Parser) -> None:
    command = commands.add_parser(
        "check",
        parents=[common],
        allow_abbrev=False,
        usage=f"{PROGRAM} check [options] [-- COMMAND [ARGUMENT ...]]",
        help="say before a run what is wrong",
        description="Looks for what would make a command fail: options, configs, imports, calls of "
        "libraries. Nothing is run. Without a command, the programs of the folder are looked at. "
        "Exit code: 0 nothing sure, 1 something is surely wrong, 2 wrong use.",
    )
    command.add_argument(
        "--workspace", default=".", metavar="DIR", help="folder of the code (default: this one)"
    )
    command.add_argument("--format", choices=CHECK_FORMATS, default="text", help="default: text")
    command.add_argument(
        "--strict", action="store_true", help="exit code 1 also for what is likely wrong"
    )
    command.add_argument(
        "--python", metavar="PYTHON", help="interpreter of the run (default: the command's)"
    )
    command.add_argument(
        "--ignore",
        action="append",
        default=[],
        metavar="ID",
        help="leave a check out; may be given several times",
    )
    command.add_argument(
        "--gpu",
        metavar="SIZE",
        help="GPU memory, such as 24GB; estimates whether one training step fits",
    )
    command.add_argument("--color", choices=("auto", "always", "never"), default="auto")
    command.add_argument("words", nargs=argparse.REMAINDER, metavar="COMMAND", help="the command")


def _add_run(commands: _Commands[Parser], common: Parser) -> None:
    command = commands.add_parser(
        "run",
        parents=[common],
        allow_abbrev=False,
        usage=f"{PROGRAM} run [options] -- COMMAND [ARGUMENT ...]",
        help="run a command unchanged and say why it failed",
        description="Runs a command as if it had been typed without us: its output, signals, "
        "terminal and exit code are its own. Its output is kept in .dlbug/runs/ of the workspace, "
        "and when it fails, a short report follows on standard error.",
    )
    command.add_argument(
        "--workspace",
        metavar="DIR",
        help="folder of the code (default: the project that this folder belongs to)",
    )
    command.add_argument("--format", choices=FORMATS, default="text", help="default: text")
    command.add_argument("--no-report", action="store_true", help="record only")
    command.add_argument(
        "--check",
        action="store_true",
        help="check first; if an error is certain, it is printed and the command does not start",
    )
    command.add_argument(
        "--locals",
        action="store_true",
        help="if an exception ends a Python program, also record what the local variables of its "
        "frames in the workspace held: types, shapes, lengths, short values, no secrets; nothing "
        "is recorded before",
    )
    command.add_argument(
        "--spectrum",
        action="store_true",
        help="also record which lines and which tensor shapes passing and failing steps of a "
        "Python program meet; slows it down and says by how much",
    )
    command.add_argument(
        "--monitor",
        action="store_true",
        help="also record what a training with PyTorch or Keras does: losses, gradients, weights, "
        "activations of each layer, rates, data; in .dlbug/training.db",
    )
    command.add_argument(
        "--monitor-share",
        type=_share,
        default=None,
        metavar="SHARE",
        help="share of the training's time that --monitor may take (default: 0.025; 1: every "
        "step is looked at closely)",
    )
    command.add_argument(
        "--hang-after",
        type=_seconds,
        metavar="SECONDS",
        help="when nothing moves for so long (no output, no progress of any process), write the "
        "stacks of all Python processes into the log and tell which rank is elsewhere",
    )
    command.add_argument(
        "--hang-then",
        choices=("end", "leave"),
        default="end",
        help="end a run that hangs (default), or leave it alone",
    )
    command.add_argument("--color", choices=("auto", "always", "never"), default="auto")
    command.add_argument("words", nargs=argparse.REMAINDER, metavar="COMMAND", help="the command")


def _add_spectrum(commands: _Commands[Parser], common: Parser) -> None:
    command = commands.add_parser(
        "spectrum",
        allow_abbrev=False,
        help="rank lines by which failing and passing tests run them",
        description="Takes in what tests executed, and ranks the lines that failing tests run and "
        "passing ones do not. `pytest --dl-bug` records it as well.",
    )
    actions = command.add_subparsers(dest="action", metavar="ACTION", title="actions")
    command.set_defaults(debug=False)
    taking = actions.add_parser(
        "import",
        parents=[common],
        allow_abbrev=False,
        help="take in a coverage file with contexts and a JUnit report",
    )
    taking.add_argument(
        "--coverage", default=".coverage", metavar="FILE", help="default: .coverage"
    )
    taking.add_argument("--junit", required=True, metavar="FILE", help="pytest's --junit-xml")
    taking.add_argument("--workspace", default=".", metavar="DIR", help="folder of the code")
    report = actions.add_parser(
        "report", parents=[common], allow_abbrev=False, help="show the ranked table or a heat map"
    )
    report.add_argument("--workspace", default=".", metavar="DIR", help="folder of the code")
    report.add_argument("--formula", metavar="NAME", help="combined (default), Ochiai, DStar, ...")
    report.add_argument("--level", choices=("line", "function", "branch"), default="line")
    report.add_argument("--top", type=_positive, default=20, metavar="N", help="rows; default: 20")
    report.add_argument("--format", choices=("text", "json", "html"), default="text")
    report.add_argument("--output", metavar="FILE", help="write there and not to standard output")
    report.add_argument("--color", choices=("auto", "always", "never"), default="auto")


def _add_triage(commands: _Commands[Parser], common: Parser) -> None:
    command = commands.add_parser(
        "triage",
        parents=[common],
        allow_abbrev=False,
        help="read the logs of many jobs and group their failures",
        description="Reads the logs of many jobs, groups their failures into bugs and says what "
        "failed how often. Needs the extra 'triage'. Exit code: 0 a failure found, 1 none, 2 wrong "
        "use.",
    )
    command.add_argument(
        "paths",
        nargs="+",
        metavar="PATH",
        help="a log, a folder, a glob, an archive (zip, tar; gz, bz2, xz), a URL of fsspec, or a "
        "manifest of jobs",
    )
    command.add_argument(
        "--jobs",
        action="append",
        default=[],
        metavar="FILE",
        help="a manifest of jobs: CSV, JSON lines, parquet or sacct's output; several times",
    )
    command.add_argument(
        "--results",
        metavar="DIR",
        help="keep what was read as parquet in DIR, with a page; the next run reads only what is "
        "new (default: nothing is kept)",
    )
    command.add_argument("--workspace", metavar="DIR", help="rank places in this folder of code")
    command.add_argument(
        "--scheduler", metavar="ADDRESS", help="read on the Dask cluster of this scheduler"
    )
    command.add_argument(
        "--workers", type=_positive, metavar="N", help="processes here (default: one a core)"
    )
    command.add_argument("--format", choices=("text", "json", "html"), default="text")
    command.add_argument("--top", type=_positive, default=20, metavar="N", help="failures in text")
    command.add_argument("--output", metavar="FILE", help="write there and not to standard output")
    command.add_argument("--quiet", action="store_true", help="show no progress")


def _add_server(commands: _Commands[Parser], common: Parser) -> None:
    command = commands.add_parser(
        "server",
        parents=[common],
        allow_abbrev=False,
        help="run the language server",
        description="Speaks the Language Server Protocol, with one client; editors start it.",
    )
    way = command.add_mutually_exclusive_group()
    way.add_argument(
        "--stdio", action="store_true", help="on standard input and output, as without any option"
    )
    way.add_argument(
        "--tcp",
        metavar="HOST:PORT",
        help="wait for a client on a TCP port; port 0 lets the system choose and prints it",
    )
    way.add_argument(
        "--ws", metavar="HOST:PORT", help="wait for one on a WebSocket (needs the extra 'ws')"
    )
    command.add_argument(
        "--token-file",
        metavar="PATH",
        help="only serve a client that knows the token in this file; needed where the address is "
        "not of this machine alone",
    )
    command.add_argument(
        "--log-file", metavar="PATH", help="write the server's log there (at most 1 MB, twice)"
    )
    command.add_argument(
        "--mcp-socket",
        metavar="PATH",
        help="also serve assistants at this new Unix socket ('dl-bug-lsp mcp --connect PATH'); "
        "needs the extra 'mcp'",
    )
    command.add_argument("--clientProcessId", type=int, help=argparse.SUPPRESS)


def _add_explain(commands: _Commands[Parser], common: Parser) -> None:
    command = commands.add_parser(
        "explain",
        parents=[common],
        allow_abbrev=False,
        help="show what a failure category means",
        description="Shows what a failure category means, its usual causes and what helps. A "
        "message in place of the category is classed first.",
    )
    command.add_argument(
        "category",
        nargs="?",
        metavar="CATEGORY",
        help="as in tensor_mismatch, a common word (oom) or a message; without it, all",
    )
    command.add_argument("--color", choices=("auto", "always", "never"), default="auto")


def _add_mcp(commands: _Commands[Parser], common: Parser) -> None:
    command = commands.add_parser(
        "mcp",
        parents=[common],
        allow_abbrev=False,
        help="serve assistants over the Model Context Protocol",
        description="Offers tools to an assistant over standard input and output "
        "(docs/assistants.md); needs the extra 'mcp'. Nothing is sent anywhere else.",
    )
    command.add_argument(
        "--workspace",
        action="append",
        metavar="DIR",
        help="folder of the code (default: this one); may be given several times",
    )
    command.add_argument(
        "--logs",
        action="append",
        default=[],
        metavar="DIR",
        help="folder of logs outside of the workspace that tools may read; may be repeated",
    )
    command.add_argument(
        "--connect",
        metavar="SOCKET",
        help="speak with the server that an editor started with --mcp-socket SOCKET",
    )


def _add_doctor(commands: _Commands[Parser], common: Parser) -> None:
    command = commands.add_parser(
        "doctor",
        parents=[common],
        allow_abbrev=False,
        help="show versions, the workspace and its index",
        description="Shows what a report of a problem should hold: versions, platform, what the "
        "workspace holds and the state of its index.",
    )
    command.add_argument("--workspace", default=".", metavar="DIR")


def _number(text: str, least: int) -> int:
    try:
        number = int(text)
    except ValueError:
        number = least - 1
    if number < least:
        raise argparse.ArgumentTypeError(f"must be a whole number from {least} on, not '{text}'")
    return number


def _positive(text: str) -> int:
    return _number(text, 1)


def _tokens(text: str) -> int:
    return _number(text, 200)


def _share(text: str) -> float:
    """Read a share of time, above 0 and at most 1."""
    try:
        share = float(text)
    except ValueError:
        share = 0.0
    if not 0 < share <= 1:
        raise argparse.ArgumentTypeError(f"'{text}' is no number above 0 and at most 1")
    return share


def _seconds(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 1 <= number <= 10**7:
        raise argparse.ArgumentTypeError(f"must be seconds, 1 or more, not '{text}'")
    return number


def _natural(text: str) -> int:
    return _number(text, 0)


def _mapping(text: str) -> tuple[str, str]:
    remote, sign, local = text.partition("=")
    if not (sign and remote and local):
        raise argparse.ArgumentTypeError(
            f"must be REMOTE=LOCAL, as in /mnt/job/code=., not '{text}'"
        )
    return remote, local
