"""How well failures are read as people paste them: `python benchmarks/pasted.py [--misses]`.

`tests/pasted/cases` holds texts in the forms of real issues and forum posts, reworded, each
labelled before the program was run on it. They are read with no workspace. Of the cases marked
``held_out`` only totals are printed.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dl_bug_lsp.localize import localize
from dl_bug_lsp.report import FailureReport
from dl_bug_lsp.workspace import Workspace

CASES = Path(__file__).parent.parent / "tests" / "pasted" / "cases"
_CODE = re.compile(r"`[^`]*`")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")


@dataclass(frozen=True, slots=True)
class PastedCase:
    """A text and its labels; ``exception`` and ``message`` are None where no exception is named.

    ``first`` is the category that fits best of those that are acceptable. Advice that names one of
    the words of ``misleads`` would be wrong for this text.
    """

    name: str
    text: str
    exception: str | None
    message: str | None
    categories: frozenset[str]
    retry: str | None
    extrinsic: str | None
    held_out: bool
    first: str
    misleads: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Score:
    """What was right of one case; ``exception`` is None where none is labelled."""

    exception: bool | None
    category: bool
    advised: bool
    misled: bool


def number(name: str) -> int:
    """Return a case's number, with which its name begins."""
    return int(name.partition("-")[0])


def cases() -> Iterator[PastedCase]:
    """Read the cases in order of their numbers."""
    for path in sorted(CASES.glob("*.txt"), key=lambda path: number(path.stem)):
        head, text = path.read_text(encoding="utf-8").split("\n---\n", 1)
        labels = dict(line.split(": ", 1) for line in head.split("\n"))
        known = {key: None if value == "-" else value for key, value in labels.items()}
        yield PastedCase(
            path.stem,
            text.replace("␛", "\x1b").replace("␍", "\r"),
            known["exception"],
            known["message"],
            frozenset(labels["categories"].split()),
            known["retry"],
            known["extrinsic"],
            labels["held_out"] == "yes",
            labels["categories"].split()[0],
            tuple(labels.get("misleads", "").lower().split(";")) if "misleads" in labels else (),
        )


def score(case: PastedCase, workspace: Workspace) -> tuple[Score, FailureReport | None]:
    """Read one case and compare; also the primary failure that was read."""
    found = localize(case.text, workspace).primary
    if found is None:
        return Score(False if case.exception else None, False, False, False), None
    exception: bool | None = None
    if case.exception or case.message:
        said = found.exception
        type_ = re.split(r"\.|::", re.sub(r"[(<].*", "", said.type))[-1] if said else ""
        exception = said is not None and (
            (case.exception is None or type_ == case.exception)
            and _plain(case.message or "") in _plain(said.message)
        )
    category = found.category.id in case.categories
    advised = bool(found.advice)
    misled = (advised and not category) or (case.retry == "no" and found.retry_may_help)
    if advised and not misled:
        words = _CODE.sub(" ", " ".join(f"{a.cause} {a.fix}" for a in found.advice))
        said_numbers = set(_NUMBER.findall(words))
        misled = bool({n for n in said_numbers if len(n) > 2} - set(_NUMBER.findall(case.text)))
        whole = " ".join(f"{a.cause} {a.fix}" for a in found.advice).lower()
        misled = misled or any(word in whole for word in case.misleads)
    return Score(exception, category, advised, misled), found


def _plain(text: str) -> str:
    return " ".join(text.split())


def table(scores: list[Score]) -> str:
    """Return one line of totals."""
    named = [s for s in scores if s.exception is not None]
    return (
        f"exception {sum(bool(s.exception) for s in named)} of {len(named)},"
        f" category {sum(s.category for s in scores)} of {len(scores)},"
        f" misleading advice {sum(s.misled for s in scores)} of {sum(s.advised for s in scores)}"
    )


def main() -> None:
    """Print the counts."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else "")
    parser.add_argument("--since", type=int, default=1, help="leave out cases of lower numbers")
    parser.add_argument("--advice", action="store_true", help="print all advice that is given")
    parser.add_argument("--misses", action="store_true", help="print what was not read right")
    wanted = parser.parse_args()
    seen: list[Score] = []
    held: list[Score] = []
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace(Path(folder), cache=False)
        for case in cases():
            if number(case.name) < wanted.since:
                continue
            got, found = score(case, workspace)
            (held if case.held_out else seen).append(got)
            wrong = got.exception is False or not got.category or got.misled
            if wanted.misses and wrong and not case.held_out:
                said = found.exception if found else None
                print(f"{case.name}: exception {got.exception}, category", end=" ")
                print(
                    f"{found.category.id if found else None} ({got.category}), misled {got.misled}"
                )
                if got.exception is False:
                    print(
                        f"    {said.type if said else None}: {said.message[:200] if said else ''!r}"
                    )
            if wanted.advice and found is not None and not case.held_out:
                said = found.exception
                print(f"{case.name}: {found.category.id}: {said.message[:90] if said else ''}")
                for piece in found.advice:
                    print(f"    {piece.cause} -> {piece.fix}")
    print("read while working:", table(seen))
    print("held out:          ", table(held))


if __name__ == "__main__":
    main()
