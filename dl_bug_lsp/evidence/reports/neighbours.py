"""What files tell of each other: imports, tests and the tested, changes in common."""

from __future__ import annotations

import numpy as np

from dl_bug_lsp.evidence.reports.changes import co_changes
from dl_bug_lsp.evidence.reports.scene import Scene
from dl_bug_lsp.retrieval.corpus import Floats


def neighbours(scene: Scene, scores: Floats) -> dict[str, Floats]:
    """Return signals made of the other files' first scores.

    A file's strength is 1 / its rank. Sources hear from the sources that they import or that
    import them, tests from the files they import or are named after, files from their tests.
    """
    graph = scene.imports
    strength = _strengths(scores)
    names = ("imports", "importers", "tested.imports", "tested.name", "tests.name")
    found = {f"near.{name}": scene.zeros() for name in names}
    for row in range(len(scene.files)):
        sources = [r for r in graph.imported[row] if not graph.tests[r]]
        kind = "near.tested.imports" if graph.tests[row] else "near.imports"
        found[kind][row] = max((strength[r] for r in sources), default=0.0)
        if not graph.tests[row]:
            above = [r for r in graph.importers[row] if not graph.tests[r]]
            found["near.importers"][row] = max((strength[r] for r in above), default=0.0)
        for tested, share in graph.tested[row].items():
            heard = found["near.tested.name"]
            heard[row] = max(heard[row], strength[tested] * share)
            told = found["near.tests.name"]
            told[tested] = max(told[tested], strength[row] * share)
    found["near.co_change"] = co_changes(scene, strength)
    return found


def _strengths(scores: Floats) -> Floats:
    order = np.argsort(-np.round(scores, 9), kind="stable")
    strength = np.zeros(len(scores))
    strength[order] = 1 / (1 + np.arange(len(scores)))
    return strength
