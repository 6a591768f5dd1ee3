"""The table of all settings: docs, the editors' manifests and the readers are made of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

SECTION = "dlBug"
"""What editors call our settings; in ``pyproject.toml`` it is ``[tool.dl-bug-lsp]``."""
PROJECT_TABLE = "dl-bug-lsp"


class Kind(Enum):
    """The types of values, in words for people."""

    COUNT = "a whole number"
    SHARE = "a number from 0 to 1"
    FLAG = "true or false"
    GLOBS = "a list of patterns"
    MAPPING = "a table from the log's paths to local ones"
    TEXT = "a text"
    CHOICE = "one of the choices"


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting; ``key`` is spelled as in an editor, with dots between tables.

    ``default`` None means what ``meaning`` says; ``least`` bounds a count. All are settings of a
    folder; editors call that the scope ``resource``. ``of_user`` are those that lead out of the
    workspace: what a workspace says of them is ignored, and editors call their scope ``machine``.
    """

    key: str
    kind: Kind
    default: Any
    meaning: str
    least: int = 0
    of_user: bool = False
    choices: tuple[str, ...] = ()

    @property
    def project_key(self) -> str:
        """The key as it is spelled in ``pyproject.toml``."""
        return kebab(self.key)

    @property
    def wanted(self) -> str:
        """What a value must be, in words."""
        if self.kind is Kind.CHOICE:
            return " or ".join(f"'{choice}'" for choice in self.choices)
        return f"{self.kind.value}{f' from {self.least} on' if self.kind is Kind.COUNT else ''}"


SETTINGS = (
    Setting("top", Kind.COUNT, 10, "places shown per failure, at most", 1),
    Setting("topFiles", Kind.COUNT, 10, "files a failure, at most; 0 for all"),
    Setting("pathMap", Kind.MAPPING, {}, 'from the log\'s paths to local ones: {"/mnt/job": "."}'),
    Setting("maxDiagnostics", Kind.COUNT, 10, "places of a report that are marked, at most"),
    Setting("minScore", Kind.SHARE, 0.02, "the score from which places after the third are marked"),
    Setting("warningFrom", Kind.SHARE, 0.7, "the score from which a place is shown as a warning"),
    Setting(
        "informationFrom", Kind.SHARE, 0.3, "the score from which it is shown as an information"
    ),
    Setting("codeLens", Kind.FLAG, True, "whether lenses stand above functions with suspects"),
    Setting("keepFailures", Kind.FLAG, True, "whether failures are shown again after a restart"),
    Setting("hover", Kind.FLAG, True, "whether a marked line tells its reasons on hover"),
    Setting("logs.watch", Kind.FLAG, True, "whether logs and recorded runs are followed"),
    Setting(
        "logs.polling", Kind.FLAG, False, "whether folders are polled: notices are not asked for"
    ),
    Setting("logs.include", Kind.GLOBS, None, "the logs; by default those of usual names"),
    Setting("logs.exclude", Kind.GLOBS, [], "what is left out of them"),
    Setting("spectrum.watch", Kind.FLAG, True, "whether what tests recorded is shown"),
    Setting("spectrum.lenses", Kind.FLAG, True, "whether lenses count the tests of functions"),
    Setting(
        "spectrum.junit", Kind.GLOBS, None, "JUnit reports beside `.coverage`; else usual names"
    ),
    Setting(
        "triageFolder",
        Kind.TEXT,
        None,
        "the results of `dl-bug-lsp triage`: reports say how many jobs met their failure",
        of_user=True,
    ),
    Setting(
        "check.when",
        Kind.CHOICE,
        "run",
        "when programs are checked before a run: `off`, `save` (after a file was saved), `run`",
        choices=("off", "save", "run"),
    ),
    Setting("check.strict", Kind.FLAG, False, "whether `check` fails for what is likely wrong"),
    Setting("check.ignore", Kind.GLOBS, [], "ids of checks that are left out"),
    Setting("check.exclude", Kind.GLOBS, [], "files in which nothing is reported"),
)

BY_KEY = {setting.key: setting for setting in SETTINGS}
TABLES = frozenset(key.rpartition(".")[0] for key in BY_KEY if "." in key)


def kebab(key: str) -> str:
    """Spell a camel-case key with hyphens: ``topFiles`` as ``top-files``."""
    return "".join(f"-{c.lower()}" if c.isupper() else c for c in key)


def camel(key: str) -> str:
    """Spell a key with hyphens in camel case; one that has none stays."""
    first, *others = key.split("-")
    return first + "".join(other[:1].upper() + other[1:] for other in others)
