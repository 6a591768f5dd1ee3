"""``dl-bug-lsp localize``: reads a text or a recorded run, localizes, prints the report.

The text of the failed run comes from a file or standard input, of a huge one the end. Of a recorded
run its interpreter and its trainings are known beside its output.
"""

from __future__ import annotations

import argparse
import contextlib
import errno
import json
import os
import re
import stat
import sys
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TextIO

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
from dl_bug_lsp.data_folder import refusal
from dl_bug_lsp.logs.decoding import is_binary
from dl_bug_lsp.report import Options, Report
from dl_bug_lsp.settings.reading import FILE, Settings, read_project, settings_of

if TYPE_CHECKING:
    from dl_bug_lsp.monitoring.training_run import Recording
    from dl_bug_lsp.post_mortem.records import RecordedException
    from dl_bug_lsp.runs.records import RunRecord
    from dl_bug_lsp.workspace import Workspace

LIMIT = 32 * 2**20
"""Bytes that are kept, from the end: what ended a job stands there."""

_CHUNK = 2**20
_SAMPLE = 2**16
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_COMPRESSED = {
    b"\x1f\x8b": "gzip -dc",
    b"BZh": "bzip2 -dc",
    b"\xfd7zXZ": "xz -dc",
    b"\x28\xb5\x2f\xfd": "zstd -dc",
}
PICKLED = b"\x80"
"""How pickles begin: PyTorch's flight recorder writes one (it is read, and never unpickled)."""


@dataclass(frozen=True, slots=True)
class Input:
    """The bytes of a text and how many of its lines were left out before them."""

    data: bytes
    skipped_lines: int = 0


Shown = Callable[[bytes], None]
"""What prints a part of the input as it comes."""


def read_input(file: str | None, limit: int = LIMIT, shown: Shown | None = None) -> Input:
    """Read ``file``, or standard input for ``-`` and None, and make sure that it is text.

    ``shown`` is given what standard input brings, as it comes.

    Raises `UsageError` where there is nothing to read: no such file, a folder, no rights, nothing
    in it, something binary.
    """
    if file is None or file == "-":
        read = _read_stdin(file, limit, shown)
        name = "standard input"
    else:
        read = _read_file(file, limit)
        name = f"'{file}'"
    if read.data.startswith(PICKLED):
        from dl_bug_lsp.divergence import transcript

        record = transcript(read.data)
        if record is not None:
            return Input(record)
    _check(read.data, name, file)
    return read


def read_inputs(files: Sequence[str], limit: int = LIMIT, shown: Shown | None = None) -> Input:
    """Read the files of one job, one of each process, as one text; one file or none as it is.

    Raises `UsageError` as `read_input` does.
    """
    if len(files) < 2:
        return read_input(files[0] if files else None, limit, shown)
    if "-" in files:
        raise UsageError("- stands for standard input, which cannot be read beside files")
    from dl_bug_lsp.divergence import joined

    share = limit // len(files)
    return Input(joined([(file, read_input(file, share).data) for file in files]))


def _read_stdin(file: str | None, limit: int, shown: Shown | None) -> Input:
    if sys.stdin is None:
        raise UsageError("standard input is closed; name the log file: dl-bug-lsp localize FILE")
    if sys.stdin.isatty():
        if file is None:
            raise UsageError(
                "name the log file (dl-bug-lsp localize FILE), pipe the text in, or give - to "
                "paste it here"
            )
        sys.stderr.write("Paste the text, then press Ctrl-D (on Windows Ctrl-Z and Return).\n")
        sys.stderr.flush()
    try:
        return read_end(sys.stdin.buffer, limit, shown)
    except OSError as error:
        raise UsageError(f"cannot read standard input: {_reason(error)}") from error


def _read_file(file: str, limit: int) -> Input:
    path = Path(file)
    try:
        if path.is_dir():
            raise UsageError(f"'{file}' is a folder; name the log file inside it")
        with path.open("rb") as stream:
            return read_end(stream, limit)
    except FileNotFoundError:
        raise UsageError(f"there is no file '{file}'; check the path of the log") from None
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read '{file}': {_reason(error)}") from error


def _reason(error: Exception) -> str:
    if isinstance(error, PermissionError):
        return "permission denied; check its access rights"
    number = getattr(error, "errno", None)
    return (os.strerror(number) if number else str(error)).lower()


def is_piped() -> bool:
    """Say whether standard input comes from another program that may still be running."""
    try:
        return stat.S_ISFIFO(os.fstat(sys.stdin.fileno()).st_mode)
    except (AttributeError, OSError, ValueError):
        return False


def read_end(stream: BinaryIO, limit: int, shown: Shown | None = None) -> Input:
    """Read a stream in bounded memory and keep the whole lines of its last ``limit`` bytes.

    Raises `UsageError` for UTF-16 above the limit, which cannot be cut at its lines.
    """
    part = getattr(stream, "read1", stream.read) if shown is not None else stream.read
    chunks: deque[bytes] = deque()
    held = skipped = 0
    cut = False
    while chunk := part(_CHUNK):
        if shown is not None:
            shown(chunk)
        chunks.append(chunk)
        held += len(chunk)
        while held - len(chunks[0]) >= limit:
            dropped = chunks.popleft()
            if not cut and dropped.startswith(_UTF16):
                raise UsageError("the text is too large for UTF-16; convert it to UTF-8 first")
            cut = True
            held -= len(dropped)
            skipped += dropped.count(b"\n")
    data = b"".join(chunks)
    if len(data) <= limit and not cut:
        return Input(data)
    excess = max(0, len(data) - limit)
    start = data.find(b"\n", max(0, excess - 1)) + 1
    start = start or excess
    return Input(data[start:], skipped + data.count(b"\n", 0, start))


def _check(data: bytes, name: str, file: str | None) -> None:
    if not data.strip():
        raise UsageError(f"{name} is empty; give the text that the failed run printed")
    unpack = next((tool for magic, tool in _COMPRESSED.items() if data.startswith(magic)), None)
    if unpack is not None:
        raise UsageError(
            f"{name} is compressed; unpack it first: {unpack} {file or 'FILE'} | "
            "dl-bug-lsp localize -"
        )
    if is_binary(data[:_SAMPLE]):
        raise UsageError(f"{name} is binary; give the text that the failed run printed")


def is_closed_pipe(error: OSError) -> bool:
    """Say whether the reader of our output went away (Windows reports EINVAL)."""
    windows = sys.platform == "win32" and error.errno == errno.EINVAL
    return isinstance(error, BrokenPipeError) or windows


# ---------------------------------------------------------------------- recorded runs
def trainings(workspace: Path, numbers: tuple[int, ...]) -> Recording | None:
    """Return recorded trainings by the runs' numbers; None where there are none of these."""
    if not numbers:
        return None
    from dl_bug_lsp.monitoring.store import read_recording
    from dl_bug_lsp.monitoring.training_run import Recording

    runs = tuple(run for run in read_recording(workspace).runs if run.number in numbers)
    return Recording(runs) if runs else None


def of_sound_end(report: Report) -> Report:
    """Return what the output of a run says that ended without an error.

    What is read as a person's words on a failure is none there: nobody wrote of one.
    """
    # Imported late: of most runs there is nothing to say.
    from dl_bug_lsp.views.words import is_silent

    kept = tuple(f for f in report.failures if f.exception is not None or is_silent(f))
    return replace(report, failures=kept)


def interpreter(command: Sequence[str]) -> str | None:
    """Return the interpreter that a command names, None where it names none."""
    first = command[0] if command and command[0] != "--" else "".join(command[1:2])
    name = re.split(r"[/\\]", first)[-1]
    return first if re.fullmatch(r"(?:python|pypy)[\d.]*(?:\.exe)?", name) else None


# ---------------------------------------------------------------------- the command
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
            where = "" if Path(local).is_absolute() else f" in the workspace '{root}'"
            raise UsageError(f"--map: there is nothing at '{local}'{where}")
    workspace = Workspace(root)
    if (why := refusal(root)) is not None:
        complain(why)
    options = _options(arguments, workspace)
    if arguments.python is not None:
        from dl_bug_lsp.checks.checking import has_interpreter

        if not has_interpreter(arguments.python, workspace):
            complain(f"--python: no interpreter '{arguments.python}' was found")
    trained, known = None, None
    if (record := _record(arguments)) is not None:
        options = replace(options, python=options.python or interpreter(record.command))
        trained = trainings(root, record.trainings) if record.exit_code == 0 else None
    if trained is not None:
        from dl_bug_lsp.monitoring.diagnosis_invariants import read_invariants

        known = read_invariants(root)
    if arguments.technique is None:
        frames = _recorded_frames(Path(arguments.files[0]), root) if record is not None else ()
        report = localize(text_input.data, workspace, options, None, trained, known, frames)
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


def _recorded_frames(log: Path, root: Path) -> tuple[RecordedException, ...]:
    """Return what the local variables held when a recorded run died; nothing without a record."""
    from dl_bug_lsp.post_mortem.records import read_kept
    from dl_bug_lsp.runs.records import frames_file

    return read_kept(frames_file(log.with_suffix("")), root)


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
    read = workspace.elements(FILE)
    if read.problem:
        at = f", line {read.problem_line}" if read.problem_line else ""
        from dl_bug_lsp.views.escape import one_line

        problem = one_line(read.problem).rstrip(".")
        complain(f"{FILE}{at}: {problem}; settings that cannot be read have their defaults")
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
