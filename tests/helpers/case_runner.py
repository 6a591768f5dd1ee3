"""Plays a case's steps to the server through one client, and says what that client shows."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from case_files import Case, Step
from lsprotocol import types
from strict_client import StrictClient, leave, start

PATIENCE = 20.0
"""Seconds after which what has not come is taken never to come."""
SEVERITIES = {1: "error", 2: "warning", 3: "information", 4: "hint"}
PERCENT = re.compile(r" \([<\d]+ %\)")
"""Scores, which change with the weights."""
AS_BEFORE = "(as before)"
"""Stands for the lines of the step before, but for that step's own answer."""
ONLY_WHERE = {
    "lens ": ("textDocument", "codeLens"),
    "> ": ("textDocument", "publishDiagnostics", "relatedInformation"),
}
"""Lines that stand only where the client declared the capability."""


class Player:
    """One case in one client; the client's process is used again for the next case."""

    def __init__(self, case: Case, client: StrictClient, root: Path) -> None:
        self.case = case
        self.client = client
        self.root = root
        self.fresh: StrictClient | None = None
        self._buffers: dict[str, tuple[int, str]] = {}
        self._said: list[str] = []
        self._before: list[str] = []

    async def open(self) -> None:
        """Write the workspace and open it."""
        for name, text in self.case.files.items():
            if not name.startswith("input/"):
                path = self.root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
        await self._set(json.dumps(self.case.settings))
        self._folders(added=[self.root])
        await self._barrier()

    async def close(self) -> None:
        """Take the case's folder back and see that nothing of it is left."""
        for name in list(self._buffers):
            await self._close_document(name)
        self._folders(removed=[self.root])
        await self._barrier()
        await self._until(lambda: self._diagnostics() == [])
        self.client.assert_clean()
        if self.fresh is not None:
            await leave(self.fresh)

    async def play(self, step: Step, *, update: bool) -> list[str]:
        """Do a step and return what is shown: as soon as it is what is expected, else at last."""
        self._said, before = [], self._before
        verb, _, rest = step.words.partition(" ")
        await self._verbs()[verb](rest)
        await self._barrier()
        wanted = self.visible(step.expected)
        if wanted[:1] == [AS_BEFORE]:
            wanted = [*before, *wanted[1:]]
        end = time.monotonic() + (1.5 if update else PATIENCE)
        while True:
            self._before = await self.shown()
            shown = [*self._before, *self._said]
            if shown == wanted and not update:
                return step.expected
            if time.monotonic() > end:
                is_same = update and before and self._before == before
                return [AS_BEFORE, *self._said] if is_same else shown
            await asyncio.sleep(0.02)
            if verb == "failures":
                # What a log tells may change nothing else that one could wait for.
                self._said = []
                await self._failures(rest)

    def visible(self, lines: list[str]) -> list[str]:
        """Leave out what this client cannot show."""
        return [
            line
            for line in lines
            if all(
                self.client.declares(*needs)
                for start, needs in ONLY_WHERE.items()
                if line.startswith(start)
            )
        ]

    async def shown(self) -> list[str]:
        """Return diagnostics, their related places, and lenses."""
        found = self._diagnostics()
        if self.client.declares("textDocument", "codeLens"):
            for name in sorted({line.split(":")[0] for line in found if line[0] != ">"}):
                params = types.CodeLensParams(types.TextDocumentIdentifier(self._uri(name)))
                for lens in await self.client.text_document_code_lens_async(params) or []:
                    if lens.command is None:
                        lens = await self.client.code_lens_resolve_async(lens)
                    assert lens.command is not None
                    line = lens.range.start.line + 1
                    found.append(f"lens {name}:{line} {lens.command.title.partition(' (')[0]}")
        return found

    def _diagnostics(self) -> list[str]:
        found: list[tuple[str, int, str]] = []
        begin = f"{self.root.as_uri()}/"
        for uri, diagnostics in self.client.diagnostics.items():
            if uri.startswith(begin):
                name = uri[len(begin) :]
                found.extend((name, d.range.start.line, self._words(name, d)) for d in diagnostics)
        return [line for _, _, lines in sorted(found) for line in lines.split("\n")]

    def _words(self, name: str, one: types.Diagnostic) -> str:
        place = f"{name}:{one.range.start.line + 1}:{self._columns(name, one.range)}"
        severity = SEVERITIES[one.severity.value if one.severity else 1]
        lines = [f"{place} {severity} {one.code}{_rank(one.message)}"]
        for related in one.related_information or ():
            file = related.location.uri.removeprefix(f"{self.root.as_uri()}/")
            lines.append(f"> {file}:{related.location.range.start.line + 1} {related.message}")
        return "\n".join(lines)

    def _columns(self, name: str, place: types.Range) -> str:
        """Return the range's columns in code points, which are the same in every encoding."""
        lines = self._text(name).split("\n")
        ends = []
        for position in (place.start, place.end):
            line = lines[position.line] if position.line < len(lines) else ""
            ends.append(len(_cut(line, position.character, self.client.encoding)))
        return f"{ends[0]}-{ends[1]}"

    # ------------------------------------------------------------------ steps
    def _verbs(self) -> dict[str, Callable[[str], Awaitable[None]]]:
        return {
            "localize": self._localize,
            "append": self._append,
            "write": self._write,
            "delete": self._delete,
            "open": self._open,
            "edit": self._edit,
            "save": self._save,
            "close": self._close_document,
            "dismiss": self._dismiss,
            "resolve": self._resolve,
            "rename": self._rename,
            "clear": self._clear,
            "set": self._set,
            "restart": self._restart,
            "hover": self._hover,
            "actions": self._actions,
            "links": self._links,
            "symbols": self._symbols,
            "failures": self._failures,
        }

    async def _localize(self, rest: str) -> None:
        name, _, source = rest.partition(" as ")
        argument = {"text": self.case.files[name].replace("$ROOT", str(self.root))}
        report = await self.client.execute(
            "dlBug.localize",
            {**argument, "workspace": self.root.as_uri(), **({"source": source} if source else {})},
        )
        assert report is not None

    async def _append(self, rest: str) -> None:
        log, source = rest.split(" ")
        with self._path(log).open("a", encoding="utf-8") as stream:
            stream.write(self.case.files[source].replace("$ROOT", str(self.root)))

    async def _write(self, rest: str) -> None:
        name, source = rest.split(" ")
        kind = types.FileChangeType.Changed
        if not self._path(name).exists():
            kind = types.FileChangeType.Created
        self._path(name).parent.mkdir(parents=True, exist_ok=True)
        self._path(name).write_text(self.case.files[source], encoding="utf-8")
        self._tell(name, kind)

    async def _delete(self, name: str) -> None:
        self._path(name).unlink()
        self._tell(name, types.FileChangeType.Deleted)

    async def _open(self, name: str) -> None:
        text = self._path(name).read_text(encoding="utf-8")
        self._buffers[name] = (1, text)
        item = types.TextDocumentItem(self._uri(name), "python", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    async def _edit(self, rest: str) -> None:
        name, first, last, text = rest.split(" ", 3)
        new: str = json.loads(text)
        version, before = self._buffers[name]
        lines = before.splitlines(keepends=True)
        after = "".join([*lines[: int(first) - 1], new, *lines[int(last) :]])
        self._buffers[name] = (version + 1, after)
        place = types.Range(
            types.Position(int(first) - 1, 0), types.Position(max(int(first) - 1, int(last)), 0)
        )
        change = types.TextDocumentContentChangePartial(range=place, text=new)
        document = types.VersionedTextDocumentIdentifier(version + 1, self._uri(name))
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))

    async def _save(self, name: str) -> None:
        self._path(name).write_text(self._buffers[name][1], encoding="utf-8")
        document = types.TextDocumentIdentifier(self._uri(name))
        self.client.text_document_did_save(types.DidSaveTextDocumentParams(document))
        self._tell(name, types.FileChangeType.Changed)

    async def _close_document(self, name: str) -> None:
        self._buffers.pop(name)
        document = types.TextDocumentIdentifier(self._uri(name))
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(document))

    async def _dismiss(self, rest: str) -> None:
        argument = {"suspect": int(rest)} if rest else {}
        self._said.append(f"dismissed {await self.client.execute('dlBug.dismiss', argument)}")

    async def _resolve(self, source: str) -> None:
        await self.client.execute("dlBug.resolve", {"source": source})

    async def _rename(self, rest: str) -> None:
        """Rename a file or a folder outside of the editor: gone under one name, new by another."""
        old, new = rest.split(" ")
        self._path(old).rename(self._path(new))
        self._tell(old, types.FileChangeType.Deleted)
        self._tell(new, types.FileChangeType.Created)

    async def _clear(self, _rest: str) -> None:
        await self.client.execute("dlBug.clear")

    async def _set(self, rest: str) -> None:
        settings = json.loads(rest)
        self.client.set_configuration({"dlBug": settings})
        sent = None if self.client.declares("workspace", "configuration") else {"dlBug": settings}
        self.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(sent))

    async def _restart(self, _rest: str) -> None:
        """End the server, start another, as an editor does; only this case uses the new one."""
        before = self.client if self.fresh is None else self.fresh
        # What a server keeps is written soon after it changed; the folder's end waits for nothing.
        await self._until((self.root / ".dlbug" / "failures.json").is_file)
        if self.fresh is None:
            self._folders(removed=[self.root])
            await self._barrier()
        else:
            await leave(before)
        self.fresh = self.client = await start(before.name)
        await self.client.open_session([self.root])

    async def _hover(self, rest: str) -> None:
        name, line = rest.split(":")
        found = await self.client.text_document_hover_async(
            types.HoverParams(
                types.TextDocumentIdentifier(self._uri(name)), types.Position(int(line) - 1, 8)
            )
        )
        content = getattr(found, "contents", None)
        text = getattr(content, "value", content) or ""
        text = re.sub(r"file://\S*/pages/[^/]*/", "…/", PERCENT.sub("", str(text)))
        text = text.replace(self.root.as_uri(), "…")
        self._said.extend(f"hover {line}" for line in text.splitlines() if line.strip())

    async def _actions(self, rest: str) -> None:
        name, line = rest.split(":")
        at = types.Position(int(line) - 1, 8)
        found = await self.client.text_document_code_action_async(
            types.CodeActionParams(
                types.TextDocumentIdentifier(self._uri(name)),
                types.Range(at, at),
                types.CodeActionContext([]),
            )
        )
        self._said.extend(f"action {one.title}" for one in found or ())

    async def _links(self, name: str) -> None:
        document = types.TextDocumentIdentifier(self._uri(name))
        found = await self.client.text_document_document_link_async(
            types.DocumentLinkParams(document)
        )
        for one in found or ():
            target = (one.target or "").removeprefix(f"{self.root.as_uri()}/")
            self._said.append(f"link {one.range.start.line + 1} {target}")

    async def _symbols(self, name: str) -> None:
        document = types.TextDocumentIdentifier(self._uri(name))
        found = await self.client.text_document_document_symbol_async(
            types.DocumentSymbolParams(document)
        )
        for one in found or ():
            place = one.range if isinstance(one, types.DocumentSymbol) else one.location.range
            self._said.append(f"symbol {place.start.line + 1} {one.name}")

    async def _failures(self, _rest: str) -> None:
        for one in await self.client.execute("dlBug.failures"):
            kinds = ", ".join(failure["category"] for failure in one["failures"])
            self._said.append(f"failures of {one['source']}: {kinds}")

    # ------------------------------------------------------------------ parts
    def _path(self, name: str) -> Path:
        return self.root / name

    def _uri(self, name: str) -> str:
        return f"{self.root.as_uri()}/{name}"

    def _text(self, name: str) -> str:
        if name in self._buffers:
            return self._buffers[name][1]
        path = self._path(name)
        return path.read_text(encoding="utf-8") if path.is_file() else ""

    def _tell(self, name: str, kind: types.FileChangeType) -> None:
        if self.client.declares("workspace", "didChangeWatchedFiles", "dynamicRegistration"):
            event = types.FileEvent(self._uri(name), kind)
            params = types.DidChangeWatchedFilesParams([event])
            self.client.workspace_did_change_watched_files(params)

    def _folders(self, added: list[Path] = (), removed: list[Path] = ()) -> None:  # type: ignore[assignment]
        event = types.WorkspaceFoldersChangeEvent(
            added=[types.WorkspaceFolder(f.as_uri(), f.name) for f in added],
            removed=[types.WorkspaceFolder(f.as_uri(), f.name) for f in removed],
        )
        params = types.DidChangeWorkspaceFoldersParams(event)
        self.client.workspace_did_change_workspace_folders(params)

    async def _barrier(self) -> None:
        """Wait until the server has taken in everything that was sent."""
        await self.client.execute("dlBug.failures")

    async def _until(self, holds: Callable[[], Any]) -> None:
        end = time.monotonic() + PATIENCE
        while not holds() and time.monotonic() < end:
            await asyncio.sleep(0.02)
        assert holds()


def _rank(message: str) -> str:
    """Return a suspect's rank or, of other diagnostics, the message; scores change with weights."""
    found = re.search(r"suspicious place (\d+) of", message)
    return f" {found[1]}" if found else f": {message.splitlines()[0]}"


def _cut(line: str, units: int, encoding: str) -> str:
    """Return the beginning of a line that is so many code units long."""
    codec, width = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2)}.get(
        encoding, ("utf-32-le", 4)
    )
    return line.encode(codec)[: units * width].decode(codec)
