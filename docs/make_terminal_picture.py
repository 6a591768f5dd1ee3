"""Draws what `dl-bug-lsp localize` prints on a fixture as docs/terminal.svg, for the README.

python docs/make_terminal_picture.py [FIXTURE] [--lines N] [--output FILE]
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

ROOT = Path(__file__).resolve().parent.parent
FIXTURE = ROOT / "fixtures" / "104-charlm-context-length"
COLUMNS = 96

CELL_WIDTH, LINE_HEIGHT, FONT_SIZE = 8.4, 19, 14
MARGIN, BAR = 18, 34
FONTS = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
BACKGROUND, FOREGROUND, FAINT = "#16181d", "#d7dae0", "#868c98"
COLOURS = {"31": "#ff6b6b", "33": "#ffc75f", "36": "#5fd3e0"}

SGR = re.compile(r"\x1b\[([\d;]*)m")


@dataclass(frozen=True)
class Look:
    """The state that SGR codes leave behind."""

    colour: str = FOREGROUND
    bold: bool = False
    underlined: bool = False

    def after(self, codes: str) -> Look:
        """Return the state after one SGR sequence (those that `views.style` uses)."""
        look = self
        for code in codes.split(";"):
            if code in ("", "0"):
                look = Look()
            elif code == "1":
                look = replace(look, bold=True)
            elif code == "2":
                look = replace(look, colour=FAINT)
            elif code == "4":
                look = replace(look, underlined=True)
            elif code in COLOURS:
                look = replace(look, colour=COLOURS[code])
        return look


def runs(line: str) -> Iterator[tuple[int, str, Look]]:
    """Return the pieces of a line that look alike, each with the column where it begins."""
    look, column, at = Look(), 0, 0
    for match in [*SGR.finditer(line), None]:
        text = line[at : match.start() if match else len(line)]
        if text:
            yield column, text, look
            column += len(text)
        if match:
            look, at = look.after(match[1]), match.end()


def draw(lines: list[str], title: str) -> str:
    """Return an SVG of a terminal window that shows the lines."""
    width = round(2 * MARGIN + COLUMNS * CELL_WIDTH)
    height = BAR + MARGIN + len(lines) * LINE_HEIGHT + MARGIN // 2
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-label={quoteattr(title)}>',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width}" height="{height}" rx="9" fill="{BACKGROUND}"/>',
    ]
    for at, colour in enumerate(("#ff5f57", "#febc2e", "#28c840")):
        out.append(f'<circle cx="{20 + 20 * at}" cy="18" r="6" fill="{colour}"/>')
    out.append(f'<g font-family="{FONTS}" font-size="{FONT_SIZE}" xml:space="preserve">')
    for number, line in enumerate(lines):
        y = BAR + MARGIN + number * LINE_HEIGHT
        out.extend(_text(column, y, text, look) for column, text, look in runs(line))
    out.extend(("</g>", "</svg>"))
    return "\n".join(out) + "\n"


def _text(column: int, y: int, text: str, look: Look) -> str:
    stripped = text.lstrip(" ")
    column += len(text) - len(stripped)
    stripped = stripped.rstrip(" ")
    if not stripped:
        return ""
    x = MARGIN + column * CELL_WIDTH
    # The length is given, so that columns stay in line whatever font the reader has.
    length = len(stripped) * CELL_WIDTH
    marks = ' font-weight="bold"' if look.bold else ""
    marks += ' text-decoration="underline"' if look.underlined else ""
    return (
        f'<text x="{x:.1f}" y="{y}" textLength="{length:.1f}" '
        f'lengthAdjust="spacingAndGlyphs" fill="{look.colour}"{marks}>{escape(stripped)}</text>'
    )


def record(fixture: Path, count: int) -> list[str]:
    """Return the first lines that the command line prints on a fixture, with their colours."""
    done = subprocess.run(
        [sys.executable, "-m", "dl_bug_lsp", "localize", "../log.txt", "--color", "always"],
        cwd=fixture / "workspace",
        capture_output=True,
        env={**os.environ, "COLUMNS": str(COLUMNS), "PYTHONUTF8": "1"},
        check=True,
    )
    lines = done.stdout.decode("utf-8").splitlines()
    shown = lines[:count]
    if len(lines) > count:
        shown.append("\x1b[2m…\x1b[0m")
    return ["\x1b[2m$\x1b[0m \x1b[1mdl-bug-lsp localize run.log\x1b[0m", "", *shown]


def main() -> None:
    """Record a fixture and draw it."""
    parser = argparse.ArgumentParser(description="Draw the terminal's output as SVG.")
    parser.add_argument("fixture", nargs="?", type=Path, default=FIXTURE)
    parser.add_argument("--lines", type=int, default=46)
    parser.add_argument("--output", type=Path, default=ROOT / "docs" / "terminal.svg")
    arguments = parser.parse_args()
    lines = record(arguments.fixture.resolve(), arguments.lines)
    title = "dl-bug-lsp in a terminal: " + SGR.sub("", lines[2])
    arguments.output.write_text(draw(lines, title), encoding="utf-8")


if __name__ == "__main__":
    main()
