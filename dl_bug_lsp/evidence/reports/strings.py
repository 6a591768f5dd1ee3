"""The report's messages against the strings of the code: who raises, warns or logs such a text."""

from __future__ import annotations

import math
from collections import Counter

from dl_bug_lsp.evidence.reports.phrases import phrases_of
from dl_bug_lsp.evidence.reports.scene import Scene
from dl_bug_lsp.retrieval.corpus import Floats

_ENOUGH = 5
"""Phrases of a string that make its recognition certain."""
_RARE = 2


def find(scene: Scene) -> dict[str, Floats]:
    """Return the best recognised string of each file: raised, any, and in an exception's message.

    A string's score is the share of its phrases that the report holds, times their number (at most
    5 count), over the root of how many strings share its rarest phrase.
    """
    report = scene.report
    told = {phrase for line in report.messages for phrase in phrases_of(line)}
    lines = (report.title, *scene.prose, *report.logs, *report.code)
    known = told | {phrase for line in lines for phrase in phrases_of(line)}
    hits: Counter[tuple[int, int]] = Counter()
    shared: dict[str, int] = {}
    for row, source in enumerate(scene.sources):
        for phrase in known & source.phrases.keys():
            indices = source.phrases[phrase]
            shared[phrase] = shared.get(phrase, 0) + len(indices)
            hits.update((row, index) for index in indices)
    signals = {f"strings.{kind}": scene.zeros() for kind in ("raised", "any", "message")}
    for (row, index), count in sorted(hits.items()):
        text = scene.sources[row].texts[index]
        rarest = min(shared[phrase] for phrase in text.phrases & known)
        if count < 2 and (len(text.phrases) > 1 or rarest > _RARE):
            continue
        scale = 1 / math.sqrt(rarest)
        score = count / len(text.phrases) * min(count, _ENOUGH) / _ENOUGH * scale
        scene.quoted.setdefault(row, []).append((text.line, score))
        _keep(scene, signals["strings.any"], "strings.any", row, score, text.line)
        if text.is_raised:
            _keep(scene, signals["strings.raised"], "strings.raised", row, score, text.line)
        exact = len(text.phrases & told)
        if exact >= 2:
            share = exact / len(text.phrases) * scale
            _keep(scene, signals["strings.message"], "strings.message", row, share, text.line)
    return signals


def _keep(scene: Scene, values: Floats, signal: str, row: int, score: float, line: int) -> None:
    if score > values[row]:
        values[row] = score
        verb = "says" if signal == "strings.any" else "raises"
        scene.notes[signal, row] = f"line {line} {verb} words that the report quotes"
