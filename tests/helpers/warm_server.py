"""A client's server in a process that `warm_start` forks."""

from __future__ import annotations

from typing import Any

from pytest_lsp import ClientServerConfig
from warm_start import program


class WarmServer(ClientServerConfig):
    """Starts `dl-bug-lsp server`, at the first use the process that forks as well."""

    def __init__(self, *arguments: str, **options: Any) -> None:
        super().__init__(server_command=["server", *arguments], **options)

    def get_server_command(self, devtools: str | None = None) -> list[str]:
        return program(*self.server_command)
