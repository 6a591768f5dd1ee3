"""Readers of config, data and launch files, one module a format; all give `ConfigEntry` values."""

from __future__ import annotations

from collections.abc import Callable

from dl_bug_lsp.workspace.configs.build_files import (
    is_requirements_name,
    read_dockerfile,
    read_makefile,
    read_requirements,
)
from dl_bug_lsp.workspace.configs.gin_files import read_gin_config
from dl_bug_lsp.workspace.configs.ini_files import read_env_config, read_ini_config
from dl_bug_lsp.workspace.configs.json_reader import read_json_config
from dl_bug_lsp.workspace.configs.reading import ConfigReading
from dl_bug_lsp.workspace.configs.shell_files import read_shell_config
from dl_bug_lsp.workspace.configs.tables import is_table_name, read_header
from dl_bug_lsp.workspace.configs.toml_files import read_toml_config
from dl_bug_lsp.workspace.configs.yaml_files import read_yaml_config

Reader = Callable[[str, str], ConfigReading]

_BY_EXTENSION: dict[str, Reader] = {
    "yaml": read_yaml_config,
    "yml": read_yaml_config,
    "json": read_json_config,
    "json5": read_json_config,
    "jsonc": read_json_config,
    "toml": read_toml_config,
    "ini": read_ini_config,
    "cfg": read_ini_config,
    "conf": read_ini_config,
    "config": read_ini_config,
    "properties": read_ini_config,
    "gin": read_gin_config,
    "env": read_env_config,
    "sh": read_shell_config,
    "bash": read_shell_config,
    "zsh": read_shell_config,
    "sbatch": read_shell_config,
    "slurm": read_shell_config,
    "pbs": read_shell_config,
    "mk": read_makefile,
    "dockerfile": read_dockerfile,
}


def reader_for(file: str) -> Reader | None:
    """Return the reader of a file's format, chosen by its name; None where it is no config."""
    name = file.rpartition("/")[2].lower()
    if is_requirements_name(name):
        return read_requirements
    if name in ("dockerfile", "containerfile") or name.startswith("dockerfile."):
        return read_dockerfile
    if name in ("makefile", "gnumakefile"):
        return read_makefile
    if name == ".env" or name.startswith(".env."):
        return read_env_config
    if name in ("poetry.lock", "uv.lock", "package-lock.json", "pipfile.lock"):
        return None
    if is_table_name(name):
        return read_header
    return _BY_EXTENSION.get(name.rpartition(".")[2])


__all__ = ["ConfigReading", "Reader", "reader_for"]
