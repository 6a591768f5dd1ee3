"""The recorded failures of ``fixtures/`` as the ranking's tests see them.

    python tests/helpers/ranked_fixtures.py

writes down which of them have their cause among the first five lines today. The shipped weights
were learned from these very failures: the list guards against losses and measures nothing.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from dl_bug_lsp.localize import localize
from dl_bug_lsp.report import Report
from dl_bug_lsp.workspace import Workspace

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
LIST = Path(__file__).parents[1] / "ranking" / "fixtures_top5.json"
CUT = 5


def folders() -> list[Path]:
    """Return the folders of the recorded failures, by name."""
    found = (truth.parent for truth in FIXTURES.glob("*/truth.json"))
    return sorted(folder for folder in found if (folder / "log.txt").is_file())


@cache
def localized(folder: Path) -> tuple[Report, Workspace, bytes]:
    """Return the report of one recorded failure, its workspace and its log."""
    workspace = Workspace(folder / "workspace", cache=False)
    text = (folder / "log.txt").read_bytes()
    return localize(text, workspace), workspace, text


def cause_leads(folder: Path) -> bool:
    """Whether one of the lines that one would change is among the first five."""
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    causes = {(cause["file"], cause["line"]) for cause in truth["root_cause"]}
    primary = localized(folder)[0].primary
    suspects = primary.suspects[:CUT] if primary is not None else ()
    return any((s.file, s.line) in causes for s in suspects)


def main() -> None:
    """Write the list."""
    found = [folder.name for folder in folders() if cause_leads(folder)]
    LIST.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(f"{len(found)} of {len(folders())}")


if __name__ == "__main__":
    main()
