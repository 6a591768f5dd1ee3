"""A client that takes the specification at its word: what it did not declare must not be sent.

Built on pytest-lsp's client, which warns where an answer does not fit the client's capabilities
(warnings are errors in this suite). `problems` holds what the server sent against the
capabilities, `unread` the messages to the user that no test has looked at.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

from lsprotocol import types
from lsprotocol.converters import get_converter
from pygls.protocol import default_converter
from pytest_lsp import LanguageClient
from pytest_lsp.client import register_lsp_features
from pytest_lsp.protocol import LanguageClientProtocol
from warm_server import WarmServer

RECORDED = Path(__file__).parents[1] / "server" / "clients"
CLIENTS = sorted(path.stem for path in RECORDED.glob("*.json"))

NEEDS = {
    "window/workDoneProgress/create": ("window", "workDoneProgress"),
    "window/showDocument": ("window", "showDocument", "support"),
    "workspace/configuration": ("workspace", "configuration"),
    "workspace/workspaceFolders": ("workspace", "workspaceFolders"),
    "workspace/applyEdit": ("workspace", "applyEdit"),
    "workspace/codeLens/refresh": ("workspace", "codeLens", "refreshSupport"),
    "workspace/diagnostic/refresh": ("workspace", "diagnostics", "refreshSupport"),
}
"""The capability that a client must have declared for each of the server's requests."""
ALWAYS = {
    "textDocument/publishDiagnostics",
    "window/showMessage",
    "window/logMessage",
    "$/progress",
    "client/registerCapability",
    "client/unregisterCapability",
    "window/showMessageRequest",
}
DIAGNOSTIC_PARTS = {
    "related_information": "relatedInformation",
    "code_description": "codeDescriptionSupport",
    "data": "dataSupport",
    "tags": "tagSupport",
}


class StrictProtocol(LanguageClientProtocol):
    """Looks at every message before it is handled."""

    _server: StrictClient  # type: ignore[assignment]

    def _handle_request(self, msg_id: Any, method_name: str, params: Any) -> None:
        self._look(method_name, params)
        with self._warnings_kept():
            super()._handle_request(msg_id, method_name, params)

    def _handle_notification(self, method_name: str, params: Any) -> None:
        self._look(method_name, params)
        with self._warnings_kept():
            super()._handle_notification(method_name, params)

    def _warnings_kept(self) -> Any:
        return _Kept(self._server.problems)

    def _look(self, method: str, params: Any) -> None:
        client = self._server
        if method == "$/cancelRequest":
            return
        if method not in ALWAYS and method not in NEEDS:
            client.problems.append(f"{method} is a message that no client knows")
        elif method in NEEDS and not client.declares(*NEEDS[method]):
            client.problems.append(f"{method} needs {'.'.join(NEEDS[method])}")
        elif method == "textDocument/publishDiagnostics":
            client.problems.extend(_undeclared(client, params))
        elif method == "client/registerCapability":
            for one in params.registrations:
                room, _, name = one.method.partition("/")
                if not client.declares(room, name, "dynamicRegistration"):
                    client.problems.append(f"{one.method} is registered undeclared")
        elif method in {"window/showMessage", "window/showMessageRequest", "window/logMessage"}:
            client.unread.append(params.message)


def _agree(_client: LanguageClient, _params: Any) -> None:
    """Answer a request with nothing, which means yes."""


def _undeclared(client: StrictClient, params: types.PublishDiagnosticsParams) -> list[str]:
    found = []
    for diagnostic in params.diagnostics:
        for part, name in DIAGNOSTIC_PARTS.items():
            declared = client.declares("textDocument", "publishDiagnostics", name)
            if getattr(diagnostic, part) is not None and not declared:
                found.append(f"a diagnostic has {part}, which was not declared")
    return found


class _Kept(warnings.catch_warnings):
    """Turns the warnings raised inside into problems."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__(record=True)
        self._problems = problems
        self._caught: list[warnings.WarningMessage] = []

    def __enter__(self) -> Any:
        self._caught = super().__enter__() or []
        warnings.simplefilter("always")
        return self._caught

    def __exit__(self, *raised: object) -> None:
        self._problems.extend(str(one.message) for one in self._caught)
        super().__exit__(*raised)


class StrictClient(LanguageClient):
    """One client program, as its capability file tells."""

    protocol: StrictProtocol

    def __init__(self, name: str) -> None:
        super().__init__(protocol_cls=StrictProtocol, converter_factory=default_converter)
        register_lsp_features(self)
        for method in (
            types.CLIENT_REGISTER_CAPABILITY,
            types.CLIENT_UNREGISTER_CAPABILITY,
            types.WORKSPACE_CODE_LENS_REFRESH,
        ):
            self.feature(method)(_agree)
        self.name = name
        path = RECORDED / f"{name}.json"
        self.raw: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        self.problems: list[str] = []
        self.unread: list[str] = []
        self.encoding = "utf-16"

    def declares(self, *names: str) -> bool:
        """Say whether the client declared a capability."""
        found: Any = self.raw["capabilities"]
        for name in names:
            found = found.get(name) if isinstance(found, dict) else None
        return found is not None and found is not False

    async def open_session(
        self, folders: list[Path], options: dict[str, Any] | None = None
    ) -> types.InitializeResult:
        """Initialize with folders, as the client's program would."""
        params = get_converter().structure(
            {
                "processId": None,
                "rootUri": folders[0].as_uri() if folders else None,
                "clientInfo": self.raw["clientInfo"],
                "capabilities": self.raw["capabilities"],
                "workspaceFolders": [{"uri": f.as_uri(), "name": f.name} for f in folders],
                "initializationOptions": options,
            },
            types.InitializeParams,
        )
        result = await self.initialize_session(params)
        encoding = result.capabilities.position_encoding
        self.encoding = str(getattr(encoding, "value", encoding) or "utf-16")
        return result

    async def execute(self, command: str, argument: object = None) -> Any:
        """Execute a command of the server."""
        arguments = [] if argument is None else [argument]
        return await self.workspace_execute_command_async(
            types.ExecuteCommandParams(command, arguments)
        )

    def assert_clean(self) -> None:
        """Fail where the server broke the specification or told the user what no test expects."""
        assert self.problems == []
        assert self.unread == []


async def start(name: str, *arguments: str) -> StrictClient:
    """Start the real server and a client of this name."""
    config = WarmServer(*arguments, client_factory=lambda: StrictClient(name))
    client = await config.start()
    assert isinstance(client, StrictClient)
    return client


async def leave(client: StrictClient) -> None:
    """End the session in order and the process with it."""
    await client.shutdown_session()
    await client.stop()
