"""What the editor shows is what an assistant is told: the same failures, places and lines."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import jsonschema
from wire import Wire

from dl_bug_lsp.mcp_server.folders import OwnFolders
from dl_bug_lsp.mcp_server.tools import FAILURES_SCHEMA, Tools

FIXTURE = Path(__file__).parents[2] / "fixtures" / "114-churn-fold-columns"
LOG = (FIXTURE / "log.txt").read_text(encoding="utf-8")


def places(listed: list[dict[str, Any]], root: Path) -> list[tuple[int, str, int, str]]:
    return [
        (
            one["suspect"],
            one["uri"].removeprefix(root.as_uri() + "/"),
            one["range"]["start"]["line"] + 1,
            one["text"],
        )
        for entry in listed
        for failure in entry["failures"]
        for one in failure["places"]
    ]


def test_the_failures_of_an_assistant_are_those_of_the_editor(tmp_path: Path) -> None:
    root = tmp_path / "churn"
    shutil.copytree(FIXTURE / "workspace", root, ignore=shutil.ignore_patterns(".dlbug"))
    wire = Wire()
    try:
        wire.initialize([root])
        wire.command("dlBug.localize", {"text": LOG, "source": "paste"})
        wire.command("dlBug.dismiss", {"suspect": 2})
        shown = places(wire.command("dlBug.failures", {}), root)
        context = wire.command("dlBug.report", {"format": "context", "tokens": 600})
        first = shown[0]
        why = wire.command("dlBug.why", {"uri": (root / first[1]).as_uri(), "line": first[2]})
        assert wire.leave() == 0
    finally:
        wire.kill()
    assert f"{first[1]}:{first[2]}" in context
    assert f"`{first[1]}:{first[2]}`" in why["text"]
    assert 2 not in {rank for rank, *_ in shown}

    # A line comes above the first place: it moves, as it does in the editor.
    file = root / first[1]
    file.write_text("# moved\n" + file.read_text("utf-8"), "utf-8")
    answer = Tools(OwnFolders([root])).latest_failures({"detail": "full"})
    jsonschema.validate(answer.values, FAILURES_SCHEMA)
    (failure,) = [one for one in answer.values["failures"] if one["primary"]]
    told = [(p["rank"], p["file"], p["line"], p["text"]) for p in failure["places"]]
    moved = [(r, f, line + (f == first[1]), text) for r, f, line, text in shown]
    assert told == [one for one in moved if one[0] in {rank for rank, *_ in told}]
    assert len(told) == len(moved)
    assert f"`{first[1]}:{first[2] + 1}`" in answer.text
