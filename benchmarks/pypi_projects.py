"""Projects of the Python Package Index for benchmarks: an environment, and sources with tests."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def environment(folder: Path, *packages: str) -> Path:
    """Make a virtual environment with this package and ``packages``; return its interpreter."""
    place = folder / "environment"
    python = place / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not python.exists():
        venv.create(place, with_pip=True)
    wanted = [f"{ROOT}[spectrum]", *packages]
    run([str(python), "-m", "pip", "install", "-q", *wanted], folder)
    return python


def sources(python: Path, folder: Path, name: str, version: str) -> Path:
    """Download a source distribution and unpack it anew; return its folder."""
    archives = folder / "archives"
    found = list(archives.glob(f"{name}-{version}.tar.gz"))
    if not found:
        archives.mkdir(exist_ok=True)
        wanted = ["--no-deps", "--no-binary", ":all:", f"{name}=={version}"]
        run([str(python), "-m", "pip", "download", "-q", "-d", str(archives), *wanted], folder)
        found = list(archives.glob(f"{name.replace('-', '[-_.]')}-{version}.tar.gz"))
    with tarfile.open(found[0]) as archive:
        archive.extractall(folder / "projects", filter="data")
        top = archive.getnames()[0].split("/")[0]
    return folder / "projects" / top


def run(command: list[str], folder: Path) -> None:
    """Run a command that must succeed."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")


def test_environment(project: Path) -> dict[str, str]:
    """Return the variables with which the project's tests find its code and only wanted plugins."""
    code = [str(project / "src"), str(project)]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    return {**kept, "PYTHONPATH": os.pathsep.join(code), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
