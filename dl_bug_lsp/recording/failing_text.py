"""What the failing tests printed, as one text in pytest's form, for `localize`."""

from __future__ import annotations

import re
from collections.abc import Mapping

from dl_bug_lsp.spectrum.values import PROGRAM

MOST = 5
"""Groups of tests whose output is told."""
_WIDTH = 80
IN_TEARDOWN = "ERROR at teardown of "
_TEARDOWN = re.compile(rf"^_{{2,80}} {IN_TEARDOWN}", re.MULTILINE)
_ERROR = re.compile(r"^E {2,}(?P<type>[\w.]+)(?=:|$)", re.MULTILINE)
_PLACE = re.compile(r"^(?P<place>\S[^\n]*?:\d{1,8}):(?: |$)", re.MULTILINE)


def failing_text(texts: Mapping[str, str], most: int = MOST) -> str:
    """Return the outputs of failing tests under pytest's headings; ``texts`` are by test name.

    Tests that end at the same line with the same exception are one group: its first test stands
    for it. The largest groups are told, the largest first. A program's output stands as it is.
    """
    programs = [texts[name] for name in sorted(texts) if name.startswith(PROGRAM)]
    if programs and len(programs) == len(texts):
        return programs[0]
    groups: dict[tuple[str, str], list[str]] = {}
    for name in sorted(texts):
        if texts[name].strip():
            groups.setdefault(_ending(texts[name]), []).append(name)
    ordered = sorted(groups.values(), key=lambda names: (-len(names), names[0]))
    if not ordered:
        return ""
    sections = [f"{heading(names[0])}\n\n{texts[names[0]].strip(chr(10))}\n" for names in ordered]
    title = " FAILURES ".center(_WIDTH, "=")
    return "\n".join([title, *sections[:most]])


def heading(name: str, before: str = "") -> str:
    """Return pytest's heading of a test: its classes and name; ``before`` stands before them."""
    short = name.partition("::")[2].replace("::", ".") or name
    return f" {before}{short} ".center(_WIDTH, "_")


def _ending(text: str) -> tuple[str, str]:
    """Return where a test ended and in what exception, as far as its output tells."""
    # A teardown that fails as well is not what the test failed for.
    text = _TEARDOWN.split(text, maxsplit=1)[0]
    places, errors = _PLACE.findall(text), _ERROR.findall(text)
    if not places:
        return text.rstrip().rpartition("\n")[2], ""
    return places[-1], errors[-1] if errors else ""
