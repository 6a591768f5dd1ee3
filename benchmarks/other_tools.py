"""Other tools on recorded failures: the lines that ruff, TorchFix, pyright and pyrefly report.

Each tool is started once for all programs, each of which is a project of its own: with its folder
as the root of its imports, and the libraries of one interpreter.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

Lines = dict[str, set[tuple[str, int]]]
"""For each program the reported lines: files relative to its folder, lines 1-based."""
NAMES = ("ruff", "torchfix", "pyright", "pyrefly")
MOST_FILES = 400
"""Files that one command line names."""


def lines_of(
    tools: Path, programs: Mapping[str, Path], place: Path, python: str, stubs: Path | None = None
) -> dict[str, Lines]:
    """Return what each tool of a folder reports, by tool and program.

    ``place`` is an empty folder, to which the programs are copied; ``stubs`` a folder with
    pyrefly's stubs for PyTorch, which are asked before the interpreter's own packages.
    Raises OSError if a tool cannot be started, ValueError if its answer cannot be read.
    """
    folders: dict[str, str] = {}
    for number, (name, folder) in enumerate(sorted(programs.items())):
        folders[f"p{number:04}"] = name
        shutil.copytree(folder, place / f"p{number:04}", symlinks=True)
    found: dict[str, Lines] = {}
    for tool, ask in (
        ("ruff", _ruff),
        ("torchfix", _torchfix),
        ("pyright", _pyright),
        ("pyrefly", _pyrefly),
    ):
        if not (tools / tool).exists():
            continue
        rows: Lines = {name: set() for name in programs}
        for path, line in ask(tools / tool, place, python, stubs):
            full = Path(path) if Path(path).is_absolute() else place / path
            # Links are left as they are: a program may hold links to its own files.
            parts = full.relative_to(place).parts
            rows[folders[parts[0]]].add(("/".join(parts[1:]), line))
        found[tool] = rows
    return found


Found = list[tuple[str, int]]
Ask = Callable[[Path, Path, str, Path | None], Found]


def _ruff(tool: Path, place: Path, python: str, stubs: Path | None) -> Found:
    words = [tool, "check", "--isolated", "--no-cache", "--exit-zero", "--no-respect-gitignore"]
    rows = json.loads(_output([*words, "--output-format", "json", "."], place) or "[]")
    return [(r["filename"], r["location"]["row"]) for r in rows]


def _torchfix(tool: Path, place: Path, python: str, stubs: Path | None) -> Found:
    text = _output([tool, "--select=ALL", "."], place)
    rows = re.findall(r"^(?:\./)?(.+?):(\d+):\d+: ", text, re.MULTILINE)
    return [(file, int(line)) for file, line in rows]


def _pyright(tool: Path, place: Path, python: str, stubs: Path | None) -> Found:
    roots = [{"root": folder.name} for folder in sorted(place.iterdir()) if folder.is_dir()]
    config = place / "pyrightconfig.json"
    config.write_text(json.dumps({"executionEnvironments": roots}), encoding="utf-8")
    answer = json.loads(_output([tool, "--outputjson", "--pythonpath", python], place))
    config.unlink()
    rows = answer["generalDiagnostics"]
    return [(r["file"], r["range"]["start"]["line"] + 1) for r in rows if "range" in r]


def _pyrefly(tool: Path, place: Path, python: str, stubs: Path | None) -> Found:
    """Return what pyrefly's usual preset reports: without a config file it checks far less."""
    asked = "import sys, sysconfig; print(sysconfig.get_path('purelib'), sys.version_info[:2])"
    words = _output([python, "-c", asked], place).replace("(", "").replace(")", "").split()
    packages, version = words[0], f"{words[1].rstrip(',')}.{words[2]}"
    paths = [str(stubs), packages] if stubs is not None else [packages]
    config = (
        f'preset = "default"\nsearch-path = ["."]\npython-version = "{version}"\n'
        f"site-package-path = {json.dumps(paths)}\n"
    )
    for folder in place.iterdir():
        (folder / "pyrefly.toml").write_text(config, encoding="utf-8")
    files = sorted(str(f.relative_to(place)) for f in place.rglob("*.py") if f.is_file())
    found: Found = []
    for first in range(0, len(files), MOST_FILES):
        words = [str(tool), "check", "--min-severity", "warn", "--output-format", "json"]
        words += files[first : first + MOST_FILES]
        rows = json.loads(_output(words, place) or "{}").get("errors", [])
        found += [(r["path"], r["line"]) for r in rows]
    return found


def _output(words: list[Path | str] | list[str], folder: Path) -> str:
    done = subprocess.run(
        [str(word) for word in words], cwd=folder, stdout=subprocess.PIPE, text=True, check=False
    )
    print(f"    {Path(words[0]).name}: exit code {done.returncode}", file=sys.stderr)
    return done.stdout
