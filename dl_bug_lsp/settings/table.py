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
    Setting("top", Kind.COUNT, 10, "maximum number of places shown per failure", 1),
    Setting("topFiles", Kind.COUNT, 10, "maximum number of files shown per failure; 0 for all"),
    Setting("pathMap", Kind.MAPPING, {}, 'map paths of the log to local paths: {"/mnt/job": "."}'),
    Setting("maxDiagnostics", Kind.COUNT, 10, "maximum number of places marked per report"),
    Setting(
        "minScore", Kind.SHARE, 0.02, "minimum share of marked places after the third, 0.02 for 2 %"
    ),
    Setting(
        "warningFrom",
        Kind.SHARE,
        0.7,
        "minimum share of places shown as warnings beside the first, 0.7 for 70 %",
    ),
    Setting(
        "informationFrom",
        Kind.SHARE,
        0.3,
        "minimum share of places shown as information after the third, 0.3 for 30 %",
    ),
    Setting("codeLens", Kind.FLAG, True, "show code lenses above functions with suspicious lines"),
    Setting("keepFailures", Kind.FLAG, True, "show failures again after a restart"),
    Setting("hover", Kind.FLAG, True, "show the reasons for a marked line on hover"),
    Setting("logs.watch", Kind.FLAG, True, "follow logs and recorded runs"),
    Setting("logs.polling", Kind.FLAG, False, "poll folders instead of using file system events"),
    Setting(
        "logs.include",
        Kind.GLOBS,
        None,
        "globs of the logs to follow; by default common names of logs",
    ),
    Setting("logs.exclude", Kind.GLOBS, [], "globs of logs not to follow"),
    Setting("spectrum.watch", Kind.FLAG, True, "show recorded test results"),
    Setting("spectrum.lenses", Kind.FLAG, True, "show the number of tests above functions"),
    Setting(
        "spectrum.junit",
        Kind.GLOBS,
        None,
        "globs of JUnit reports beside `.coverage`; by default common names",
    ),
    Setting(
        "triageFolder",
        Kind.TEXT,
        None,
        "folder of the results of `dl-bug-lsp triage`; "
        "reports then count the jobs with the same failure",
        of_user=True,
    ),
    Setting(
        "check.when",
        Kind.CHOICE,
        "run",
        "when to check programs: `off`, `save` (after a file was saved) or `run` (before a run)",
        choices=("off", "save", "run"),
    ),
    Setting(
        "check.strict",
        Kind.FLAG,
        False,
        "let `check` fail for findings that are likely, not only for certain ones",
    ),
    Setting("check.ignore", Kind.GLOBS, [], "ids of checks to skip"),
    Setting("check.exclude", Kind.GLOBS, [], "globs of files in which nothing is reported"),
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
