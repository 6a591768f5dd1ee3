"""Write what `dl-bug-lsp localize` prints first on a fixture into docs/reading_a_report.md.

python docs/make_report_sample.py
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "reading_a_report.md"
FIXTURE = ROOT / "fixtures" / "101-leaf-resnet-head"
SAMPLE = re.compile(r"(?m)^    .+\n    (?:Likely|Not) .+$")
"""The sample: an indented message, and the line that says where to look."""


def sample() -> str:
    """Return the first two lines of the report, indented as code."""
    command = [sys.executable, "-m", "dl_bug_lsp", "localize", str(FIXTURE / "log.txt")]
    done = subprocess.run(
        command, cwd=FIXTURE / "workspace", capture_output=True, text=True, check=True
    )
    return "\n".join(f"    {line}" for line in done.stdout.splitlines()[:2])


def main() -> None:
    """Put the lines into the page."""
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(SAMPLE.sub(lambda _: sample(), text, count=1), encoding="utf-8")


if __name__ == "__main__":
    main()
