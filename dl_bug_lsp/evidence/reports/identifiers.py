"""The report's identifiers against what files define and use, rare ones counting more."""

from __future__ import annotations

import math

from dl_bug_lsp.evidence.reports.report_context import PARTS, ReportContext
from dl_bug_lsp.retrieval.corpus import Floats

_LOOSE = 0.3
_USED_EVERYWHERE = 0.5
_MOST_USES = 2.5
KEPT: dict[str, tuple[str, ...]] = {
    "title": ("class",),
    "prose": ("function", "rarest", "use"),
    "code": ("function", "rarest", "use"),
    "trace": ("class", "rarest"),
    "messages": ("use",),
}
"""What helps to rank the files of projects never seen; the ablation dropped the rest."""


def find(scene: ReportContext) -> dict[str, Floats]:
    """Return, by part of the report, sums of ln(1 + files / files that define the name)."""
    found: dict[str, Floats] = {}
    for part in PARTS:
        signals = {kind: scene.zeros() for kind in ("class", "function", "rarest", "use")}
        for name, strong in scene.identifiers[part].items():
            _defined(scene, name, strong, part, signals)
            if strong:
                _used(scene, name, signals["use"])
        found.update({f"names.{part}.{kind}": signals[kind] for kind in KEPT[part]})
    return found


def _defined(
    scene: ReportContext, name: str, strong: bool, part: str, signals: dict[str, Floats]
) -> None:
    rows = scene.defined.get(name)
    if not rows:
        return
    rarity = math.log(1 + len(scene.files) / len(rows))
    for row, kinds in rows.items():
        callable_or_class = any(kind in kinds for kind in "cmf")
        weight = rarity if strong else rarity * _LOOSE * (1.0 if callable_or_class else _LOOSE)
        if "c" in kinds:
            signals["class"][row] += rarity if strong or name[0].isupper() else 0.0
        elif callable_or_class:
            signals["function"][row] += weight
        rarest = weight / math.sqrt(len(rows))
        if rarest > signals["rarest"][row]:
            signals["rarest"][row] = rarest
            scene.notes[f"names.{part}.rarest", row] = f"defines `{name}`, which the report names"


def _used(scene: ReportContext, name: str, uses: Floats) -> None:
    rows = scene.used.get(name)
    if not rows:
        return
    rarity = math.log(len(scene.files) / len(rows))
    if rarity > _USED_EVERYWHERE:
        for row, times in rows.items():
            uses[row] += rarity * min(1 + math.log(times), _MOST_USES)
