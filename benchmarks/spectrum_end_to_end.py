"""From `pytest --dl-bug` to a diagnostic, on real projects with faults that were really fixed.

``python benchmarks/spectrum_end_to_end.py FOLDER`` makes an environment in FOLDER, downloads
projects of the Python Package Index, takes one fix of theirs back at a time (by what their change
logs tell), starts the language server on the project, runs its tests with the plugin, waits for the
diagnostics, and prints the rank of the first faulty line in the ranked list, and whether an editor
shows a diagnostic there.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from lsp_session import Message, Session
from pypi_projects import environment, sources, test_environment

from dl_bug_lsp.recording.spectra import current_spectrum, ranked_now
from dl_bug_lsp.workspace import Workspace

BESIDE = ("pytest==8.3.4", "coverage==7.6.10", "simplejson", "pytz", "freezegun", "pyyaml")
PLUGINS = (
    "-pno:cacheprovider",
    "-pdl_bug_lsp.recording.pytest_plugin",
)
SECONDS = 60


@dataclass(frozen=True)
class Fault:
    """A fix taken back: ``now`` becomes ``before`` in a file; ``told`` is what the project says.

    Faulty are the lines of ``before``; of a fix that only added lines, the line that follows.
    """

    project: str
    version: str
    file: str
    told: str
    now: str
    before: str
    follows: str = ""
    deselected: tuple[str, ...] = ()
    """Tests that fail without the fault."""

    def seed(self, project: Path) -> range:
        """Take the fix back and return the faulty lines, 1-based."""
        path = project / self.file
        text = path.read_text("utf-8")
        if text.count(self.now) != 1:
            sys.exit(f"{self.project}: the fix stands {text.count(self.now)} times in {self.file}")
        head, _, tail = text.partition(self.now)
        path.write_text(head + self.before + tail, "utf-8")
        if self.follows:
            head, _, _ = (head + self.before + tail).partition(self.follows)
            return range(head.count("\n") + 1, head.count("\n") + 2)
        first = head.count("\n") + 1
        return range(first, first + self.before.rstrip("\n").count("\n") + 1)


ROUNDING = """\
            powers_difference = powers[ordinal_] / powers[ordinal_ - 1]
            if float(format % chopped) == powers_difference:
                chopped = value / float(powers[ordinal_])
                singular, plural = human_powers[ordinal_]
                return (
                    negative_prefix
                    + " ".join(
                        [format, _ngettext(singular, plural, math.ceil(chopped))]
                    )
                ) % chopped

"""
FAULTS = (
    Fault(
        "marshmallow",
        "3.23.0",
        "src/marshmallow/schema.py",
        "3.11.1: keys with dots are kept as they are with unknown=INCLUDE",
        "                        ret_d[key] = value\n",
        "                        set_value(ret_d, key, value)\n",
        deselected=("tests/test_version_attributes.py",),
    ),
    Fault(
        "marshmallow",
        "3.23.0",
        "src/marshmallow/fields.py",
        "3.9.1: a Dict without fields of its own takes dicts only",
        "        if not isinstance(value, _Mapping):\n"
        '            raise self.make_error("invalid")\n'
        "        if not self.value_field and not self.key_field:\n"
        "            return self.mapping_type(value)\n",
        "        if not self.value_field and not self.key_field:\n"
        "            return value\n"
        "        if not isinstance(value, _Mapping):\n"
        '            raise self.make_error("invalid")\n',
        deselected=("tests/test_version_attributes.py",),
    ),
    Fault(
        "tomlkit",
        "0.13.2",
        "tomlkit/items.py",
        "0.12.5: no second minus sign for a float after a calculation",
        "        if self._sign and result >= 0:\n"
        '            raw = f"+{raw}"\n\n        return Float(',
        '        if self._sign:\n            raw = f"+{raw}" if result >= 0 else f"-{raw}"\n\n'
        "        return Float(",
    ),
    Fault(
        "tomlkit",
        "0.13.2",
        "tomlkit/items.py",
        "0.13.1: a table of arrays of tables is a super table, too",
        "                not isinstance(child, (Table, AoT))\n",
        "                not isinstance(child, Table)\n",
    ),
    Fault(
        "humanize",
        "4.11.0",
        "src/humanize/number.py",
        "intword goes on to the next word where rounding reaches it",
        ROUNDING,
        "",
        follows="            singular, plural = human_powers[ordinal_ - 1]\n",
    ),
    Fault(
        "mistune",
        "3.0.2",
        "src/mistune/markdown.py",
        "3.0.0: a text without a new line at its end gets one",
        "        if not s.endswith('\\n'):\n            s += '\\n'\n",
        "",
        follows="        state.process(s)\n",
    ),
)


def main() -> None:
    """Run every fault and print a row for it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="faults of this project")
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    python = environment(folder, *BESIDE)
    print("rank  shown  failing  of  project: the fix that was taken back")
    for fault in FAULTS:
        if arguments.only in fault.project:
            print(row(fault, python, folder), flush=True)


def row(fault: Fault, python: Path, folder: Path) -> str:
    """Seed a fault, record, and return its row of the table."""
    project = sources(python, folder, fault.project, fault.version)
    faulty = fault.seed(project)
    for old in (project / ".dlbug").glob("spectrum.db*"):
        old.unlink()
    session = Session([sys.executable, "-m", "dl_bug_lsp", "server"])
    try:
        session.initialize(project)
        run_tests(fault, python, project)
        shown = diagnosed(session, project / fault.file, faulty)
    finally:
        session.end()
    workspace = Workspace(project, cache=False)
    recorded = current_spectrum(workspace)
    runs = recorded.spectrum
    rank = ranked(ranked_now(workspace, recorded).report.failures, fault.file, faulty)
    counts = f"{len(runs.failing):>7} {len(runs.failing) + len(runs.passing):>4}"
    return f"{rank:>4}  {shown:>5}  {counts}  {fault.project}: {fault.told}"


def run_tests(fault: Fault, python: Path, project: Path) -> None:
    """Run the project's tests with the plugin."""
    command = [str(python), "-m", "pytest", "-q", *PLUGINS, "--dl-bug", "tests"]
    command += [f"--deselect={name}" for name in fault.deselected]
    done = subprocess.run(
        command, cwd=project, env=test_environment(project), capture_output=True, check=False
    )
    if b" failed" not in done.stdout:
        sys.exit(f"{fault.project}: no test fails\n{(done.stdout + done.stderr).decode()[-2000:]}")


def ranked(failures: Iterable[object], file: str, faulty: range) -> str:
    """Return the best rank that any failure gives a faulty line."""
    ranks = [
        suspect.rank
        for failure in failures
        for suspect in failure.suspects  # type: ignore[attr-defined]
        if suspect.file == file and any(suspect.line <= line <= suspect.end_line for line in faulty)
    ]
    return str(min(ranks)) if ranks else "-"


def diagnosed(session: Session, path: Path, faulty: range) -> str:
    """Wait for the diagnostics of a file; say whether one of them covers a faulty line."""

    def covers(message: Message) -> bool:
        if message.get("method") != "textDocument/publishDiagnostics":
            return False
        if message["params"]["uri"] != path.as_uri():
            return False
        ranges = [one["range"] for one in message["params"]["diagnostics"]]
        return any(
            at["start"]["line"] + 1 <= line <= at["end"]["line"] + 1
            for at in ranges
            for line in faulty
        )

    try:
        session.heard(covers, SECONDS)
    except TimeoutError:
        return "no"
    return "yes"


if __name__ == "__main__":
    main()
