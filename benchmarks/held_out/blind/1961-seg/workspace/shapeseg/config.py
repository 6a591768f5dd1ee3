from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml


def load_config(path: str | Path, overrides: list[str] | None = None) -> dict[str, Any]:
    """Read a YAML file and apply ``section.key=value`` overrides."""
    cfg = yaml.safe_load(Path(path).read_text())
    for item in overrides or []:
        dotted, _, raw = item.partition("=")
        node = cfg
        *parents, leaf = dotted.split(".")
        for p in parents:
            node = node[p]
        if leaf not in node:
            raise KeyError(f"unknown setting {dotted!r}")
        node[leaf] = yaml.safe_load(raw)
    return cfg
