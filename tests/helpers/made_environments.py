"""Python environments as `venv` makes them, with small packages in them; nothing can be run."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path


def made_environment(prefix: Path, packages: Mapping[str, str]) -> str:
    """Write an environment with the texts of its packages; return the path of its interpreter."""
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    home = Path(os.path.realpath(sys.executable)).parent
    files = {
        "bin/python": "no program",
        "pyvenv.cfg": f"home = {home}\nversion = {version}.0\n",
        **{f"lib/python{version}/site-packages/{name}": text for name, text in packages.items()},
    }
    for name, text in files.items():
        (prefix / name).parent.mkdir(parents=True, exist_ok=True)
        (prefix / name).write_text(text)
    return str(prefix / "bin" / "python")
