"""What kind of file it is: an example, a package's ``__init__``, setup, empty, large."""

from __future__ import annotations

import posixpath
import re

import numpy as np

from dl_bug_lsp.evidence.reports.report_context import ReportContext
from dl_bug_lsp.retrieval.corpus import Floats

_EXAMPLE = re.compile(
    r"(?:^|/)(?:\w*examples?|docs?|benchmarks?|demos?|tutorials?|scripts?|tools|notebooks?"
    r"|samples?|research|experimental?)/"
)
_SETUP = {"setup.py", "conf.py", "conftest.py", "_version.py", "version.py", "__about__.py"}
_FEW_TERMS = 20


def find(scene: ReportContext) -> dict[str, Floats]:
    """Return priors, which hold whatever the report says."""
    files = scene.files
    lines = np.array([source.lines for source in scene.sources], dtype=np.float64)
    return {
        "kind.example": _flags(_EXAMPLE.search(file) is not None for file in files),
        "kind.package": _flags(file.endswith("__init__.py") for file in files),
        "kind.setup": _flags(posixpath.basename(file) in _SETUP for file in files),
        "kind.empty": (scene.files_matches.lengths < _FEW_TERMS).astype(np.float64),
        "kind.lines": np.log1p(lines) / 8,
    }


def _flags(values: object) -> Floats:
    return np.fromiter(values, dtype=np.float64)  # type: ignore[call-overload,no-any-return]
