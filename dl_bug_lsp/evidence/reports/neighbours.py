"""What files tell of each other: tests follow what they test, files what they change with."""

from __future__ import annotations

import numpy as np

from dl_bug_lsp.evidence.reports.changes import co_changes
from dl_bug_lsp.evidence.reports.report_context import ReportContext
from dl_bug_lsp.retrieval.corpus import Floats


def neighbours(scene: ReportContext, scores: Floats) -> dict[str, Floats]:
    """Return signals made of the other files' first scores.

    ``near.tested`` is 1 / rank of the file that a test file is named after, ``near.tested_share``
    its share (softmax); ``near.co_change`` what the strongest files' commits also changed.
    """
    count = len(scene.files)
    strength = np.zeros(count)
    order = np.argsort(-np.round(scores, 9), kind="stable")
    strength[order] = 1 / (1 + np.arange(count))
    powers = np.exp(scores - scores.max()) if count else scores
    share = powers / powers.sum() if count else scores
    tested, tested_share = scene.zeros(), scene.zeros()
    for row, found in enumerate(scene.imports.tested):
        for other, part in found.items():
            tested[row] = max(tested[row], strength[other] * part)
            tested_share[row] = max(tested_share[row], share[other] * part)
            if strength[other] >= _STRONG:
                scene.note("near.tested", row, f"tests `{scene.files[other]}`")
    return {
        "near.tested": tested,
        "near.tested_share": tested_share,
        "near.co_change": co_changes(scene, share),
    }


_STRONG = 0.2
