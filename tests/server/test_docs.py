"""What the server answers to `initialize` is what its document says: no more and no less."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from strict_client import CLIENTS
from wire import Wire

PAGE = Path(__file__).parents[2] / "docs" / "server.md"
ROWS = {
    "positionEncoding": "position encoding",
    "textDocumentSync": "text document sync",
    "notebookDocumentSync": "notebook document sync",
    "codeLensProvider": "code lens",
    "hoverProvider": "hover",
    "codeActionProvider": "code action",
    "documentLinkProvider": "document link",
    "documentSymbolProvider": "document symbol",
    "fileOperations": "file operations",
    "executeCommandProvider": "execute command",
    "workspaceFolders": "workspace folders",
}
"""The document's name of each capability; those of ``workspace`` stand beside the others."""
NOT_OFFERED = {"pull diagnostics": "diagnosticProvider"}
DECLARED = {"notebookDocumentSync", "fileOperations"}
"""What is offered to clients only that declared it."""


def capabilities(client: str) -> dict[str, Any]:
    """Return what the server offers to a client, those of ``workspace`` beside the others."""
    told = json.loads((Path(__file__).parent / "clients" / f"{client}.json").read_text())
    params = {"processId": None, "rootUri": None, "capabilities": told["capabilities"]}
    wire = Wire()
    try:
        answer = wire.answer(wire.ask("initialize", params))
        assert wire.leave() == 0
    finally:
        wire.kill()
    offered: dict[str, Any] = answer["result"]["capabilities"]
    offered.update(offered.pop("workspace"))
    return {name: value for name, value in offered.items() if value}


def table(heading: str) -> Iterator[list[str]]:
    """Yield the cells of each row of the table below a heading."""
    part = PAGE.read_text(encoding="utf-8").partition(f"## {heading}")[2].partition("\n## ")[0]
    for line in part.splitlines():
        if line.startswith("| ") and not line.startswith(("| command |", "| capability |")):
            yield [cell.strip() for cell in line.strip("|").split(" | ")]


@pytest.mark.parametrize("client", CLIENTS)
def test_the_table_of_capabilities_is_what_is_offered(client: str) -> None:
    offered = capabilities(client)
    assert set(ROWS) - set(offered) <= DECLARED
    assert set(offered) <= set(ROWS)
    named = {name.strip() for cells in table("Capabilities") for name in cells[0].split(",")}
    assert named == {*ROWS.values(), *NOT_OFFERED}
    for name, key in NOT_OFFERED.items():
        assert key not in offered, name


def test_the_table_of_commands_is_what_is_offered() -> None:
    offered = capabilities("vscode_1.139")["executeCommandProvider"]["commands"]
    documented = [
        name for cells in table("Commands") for name in re.findall(r"`(dlBug\.\w+)`", cells[0])
    ]
    assert sorted(documented) == sorted(offered)
