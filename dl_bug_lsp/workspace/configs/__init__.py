"""Readers of config, data and launch files, one module a format; all give `ConfigEntry` values."""

from __future__ import annotations

from collections.abc import Callable

from dl_bug_lsp.workspace.configs.json_files import read_json_config
from dl_bug_lsp.workspace.configs.reading import ConfigReading
from dl_bug_lsp.workspace.configs.toml_files import read_toml_config
from dl_bug_lsp.workspace.configs.yaml_files import read_yaml_config

Reader = Callable[[str, str], ConfigReading]

_BY_EXTENSION: dict[str, Reader] = {
    "yaml": read_yaml_config,
    "yml": read_yaml_config,
    "json": read_json_config,
    "toml": read_toml_config,
}


def reader_for(file: str) -> Reader | None:
    """Return the reader of a file's format, chosen by its name; None where it is no config."""
    name = file.rpartition("/")[2].lower()
    return _BY_EXTENSION.get(name.rpartition(".")[2])


__all__ = ["ConfigReading", "Reader", "reader_for"]
