"""Checks the built extension: its size, and that all it needs is in it."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

MOST_BYTES = 4_000_000
NEEDED = (
    *("extension/package.json", "extension/changelog.md", "extension/dist/extension.js"),
    "extension/images/icon.png",
)


def main(client: Path) -> int:
    """Print the size and the parts of the one ``.vsix`` in a folder; return the exit code."""
    (vsix,) = client.glob("*.vsix")
    size = vsix.stat().st_size
    with zipfile.ZipFile(vsix) as archive:
        names = archive.namelist()
    wheels = [
        name for name in names if name.startswith("extension/wheel/") and name.endswith(".whl")
    ]
    problems = [f"{name} is missing" for name in NEEDED if name not in names]
    if len(wheels) != 1:
        problems.append(f"one wheel is needed, there are {len(wheels)}")
    if size > MOST_BYTES:
        problems.append(f"{size} bytes are more than {MOST_BYTES}")
    print(f"{vsix}: {size / 1e6:.2f} MB, {len(names)} files")
    for problem in problems:
        print(f"{vsix.name}: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
