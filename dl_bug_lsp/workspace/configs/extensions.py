"""Extensions of the names of config files and of shell scripts: the one table of both."""

from __future__ import annotations

CONFIG_EXTENSIONS = (
    *(".yaml", ".yml", ".json", ".json5", ".jsonc", ".toml", ".ini", ".cfg", ".conf"),
    ".gin",
)
"""Files from which programs read their settings."""
SETTINGS_ONLY_EXTENSIONS = tuple(e for e in CONFIG_EXTENSIONS if e != ".json")
"""Those that hold settings whatever they are called: files of JSON are as often data."""
SHELL_EXTENSIONS = (".sh", ".bash", ".zsh", ".sbatch", ".slurm", ".pbs")
"""Shell scripts, those of schedulers too."""
