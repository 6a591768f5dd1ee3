"""The tools ``check`` and ``triage``."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dl_bug_lsp.assistants.context import clean
from dl_bug_lsp.mcp_server.folders import ToolError, below
from dl_bug_lsp.mcp_server.tools import Answer, Json, Tool, cleaned
from dl_bug_lsp.views.escape import escape, shorten
from dl_bug_lsp.views.markdown import code, plain

if TYPE_CHECKING:
    from dl_bug_lsp.mcp_server.folders import Folders

MOST_FINDINGS = 20
MOST_GROUPS = 20
_OBJECT: Json = {"type": "object"}
_TEXT: Json = {"type": "string"}


def extra_tools(folders: Folders, logs: Sequence[Path]) -> list[Tool]:
    """Return the tools that look at commands and at folders of logs."""
    return [_check_tool(folders), _triage_tool(folders, logs)]


def _takes(name: str, description: str) -> Json:
    workspace = {"type": "string", "description": "Folder of the code."}
    properties = {name: {**_TEXT, "description": description}, "workspace": workspace}
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
        "required": [name],
    }


def _check_tool(folders: Folders) -> Tool:
    def check(given: Mapping[str, Any]) -> Answer:
        from dl_bug_lsp.checks.checking import check as checked
        from dl_bug_lsp.views.check_view import to_json

        workspace = folders.workspace(given.get("workspace"))
        try:
            words = shlex.split(given["command"])
        except ValueError:
            raise ToolError("the command has a quote that is not closed") from None
        report = checked(workspace, words)
        findings = report.findings
        out = [f"{len(findings)} findings; code spans are quoted. Nothing was started."]
        for finding in findings[:MOST_FINDINGS]:
            place = code(f"{finding.file}:{finding.line}")
            out.append(
                f"- {finding.certainty.value} {place} {plain(finding.id)}: {code(finding.message)}"
            )
        out += [f"- not looked at: {code(problem)}" for problem in report.problems[:5]]
        return Answer(clean("\n".join(out)) + "\n", cleaned(to_json(report)))

    return Tool(
        "check",
        "Check a command before it runs",
        "Say what is certainly or likely wrong with a training command before it is run: names, "
        "imports, options, settings, paths, calls of libraries. Nothing is started.",
        _takes("command", "The command as it would be typed, as in python train.py --lr 1e-3."),
        _OBJECT,
        check,
    )


def _triage_tool(folders: Folders, logs: Sequence[Path]) -> Tool:
    def triage(given: Mapping[str, Any]) -> Answer:
        from dl_bug_lsp.triage import MissingExtraError
        from dl_bug_lsp.triage import triage as triaged
        from dl_bug_lsp.triage.results import to_json

        workspace = folders.workspace(given.get("workspace"))
        folder = below(workspace.root / given["folder"], (workspace.root, *logs))
        if folder is None:
            raise ToolError(f"the folder '{given['folder']}' is outside of the workspace")
        try:
            result = triaged([str(folder)], workers=1)
        except MissingExtraError as error:
            raise ToolError(str(error)) from None
        except Exception as error:
            raise ToolError(shorten(escape(str(error)), 300) or type(error).__name__) from None
        document = to_json(result)
        groups = document["groups"]
        out = [f"{result.logs} logs, {result.failures} failed jobs, {len(groups)} groups:"]
        for group in groups[:MOST_GROUPS]:
            said = code(str(group["exception"]))
            out.append(f"- {group['jobs']} jobs, {plain(group['category'])}: {said}")
        document["groups"] = groups[: 5 * MOST_GROUPS]
        document["unread"] = document["unread"][:MOST_GROUPS]
        return Answer(clean("\n".join(out)) + "\n", cleaned(document))

    return Tool(
        "triage",
        "Triage the logs of many jobs",
        "Read the logs of many jobs below a folder and say what failed how often: failures grouped "
        "into bugs, the most frequent first.",
        _takes("folder", "A folder of logs, below the workspace or given with --logs."),
        _OBJECT,
        triage,
    )
