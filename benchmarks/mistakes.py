"""Count the mistakes in trainings that fail silently which the training rules know.

    python benchmarks/mistakes.py [FOLDER ...]

``mistakes/`` holds pieces of training code as diffs from the wrong to the right version, written
down from memory by eight people with different fields who had not read the rules. A block begins
with ``@ category | symptom``; lines begin with ``- `` (wrong), ``+ `` (right) or two blanks, and
``? `` says what is wrong. Half of the blocks, by a hash of their number, lie in ``blind``: these
are counted and never read.

Both versions are given to the rules as a program that learnt nothing (``loss_nan`` as one whose
loss is no number). *Found*: a clue lies on a wrong line, of a missing one on a line beside it;
*first*: it is the strongest. *Alarms*: right versions on which a rule gives a strong clue; many of
them lack what was cut off around the piece, so that a step or a `zero_grad` is nowhere.
"""

from __future__ import annotations

import argparse
import ast
import re
import tempfile
import textwrap
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.training_rules.all_training_rules import RULES
from dl_bug_lsp.evidence.training_rules.program import Training, clues_of
from dl_bug_lsp.logs import read_log
from dl_bug_lsp.logs.log import Span
from dl_bug_lsp.messages import MessageFacts
from dl_bug_lsp.report import CategoryVerdict
from dl_bug_lsp.tracebacks.failures import Failure, FailureKind
from dl_bug_lsp.workspace import Workspace

HERE = Path(__file__).resolve().parent / "mistakes"
IMPORTS = """import copy, json, math, os, random
import numpy as np
import pandas as pd
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import optim
from torch.utils.data import DataLoader, Dataset, TensorDataset, random_split
from torchvision import transforms, models, datasets
import torchvision.transforms as T
import tensorflow as tf
import keras
from tensorflow.keras import layers, models as kmodels
import jax
import jax.numpy as jnp
import optax
from sklearn.preprocessing import StandardScaler
from sklearn.model_selection import train_test_split
"""
"""What stands above every piece: the names under which people import these libraries."""
CATEGORIES = {"loss_nan": ("loss_nan",)}
ELSE = ("loss_stagnation", "overfitting")
"""The categories whose rules are asked: of what does not learn, and of what learns too well."""


@dataclass(frozen=True)
class Mistake:
    """A piece of code: its wrong and its right version, and the 1-based wrong lines."""

    category: str
    wrong: str
    right: str
    lines: frozenset[int]


@dataclass(frozen=True)
class Result:
    """What the rules say of one mistake."""

    category: str
    found: bool
    first: bool
    alarm: bool


def mistakes(folder: Path) -> Iterator[Mistake]:
    """Yield the mistakes of a folder whose versions are whole statements of Python."""
    for path in sorted(folder.glob("*.diff")):
        for block in re.split(r"\n\s*\n(?=@ )", path.read_text(encoding="utf-8")):
            head, *rest = block.strip("\n").split("\n")
            code = [(line[0], line[2:]) for line in rest if line[:1] in {" ", "-", "+"}]
            wrong = textwrap.dedent("\n".join(text for mark, text in code if mark != "+"))
            right = textwrap.dedent("\n".join(text for mark, text in code if mark != "-"))
            try:
                ast.parse(wrong), ast.parse(right)
            except (SyntaxError, ValueError):
                continue
            category = head[1:].partition("|")[0].strip()
            yield Mistake(category, f"{IMPORTS}{wrong}\n", f"{IMPORTS}{right}\n", _lines(code))


def _lines(code: list[tuple[str, str]]) -> frozenset[int]:
    """Return the wrong lines; where something is missing, those beside its place."""
    above = IMPORTS.count("\n")
    kept = [mark for mark, _ in code if mark != "+"]
    wrong = {above + number for number, mark in enumerate(kept, 1) if mark == "-"}
    if wrong:
        return frozenset(wrong)
    number = above
    for at, (mark, _) in enumerate(code):
        if mark != "+":
            number += 1
        elif at and code[at - 1][0] != "+":
            wrong |= {number, number + 1}
    return frozenset(wrong)


def clues(text: str, category: str) -> list[Clue]:
    """Return what the training rules say of one module."""
    found: list[Clue] = []
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "train.py").write_text(text, encoding="utf-8")
        workspace = Workspace(Path(folder), cache=False)
        for asked in CATEGORIES.get(category, ELSE):
            failure = Failure(FailureKind.SILENT, (), 0, "none", Span(1, 1), "")
            verdict = CategoryVerdict(asked, "", 1.0, "", "")
            case = Case(failure, MessageFacts(None, ()), verdict, (), workspace, read_log(""))
            training = Training(case, ("train.py",), ())
            for rule, categories in RULES:
                if asked in categories:
                    found.extend(clues_of(rule, training))
    return found


def judged(mistake: Mistake) -> Result:
    """Return what the rules say of both versions of a mistake."""
    given = clues(mistake.wrong, mistake.category)
    strongest = max(given, key=lambda c: (c.kind == "training.strong", c.score), default=None)
    return Result(
        mistake.category,
        any(clue.line in mistake.lines for clue in given),
        strongest is not None and strongest.line in mistake.lines,
        any(c.kind == "training.strong" for c in clues(mistake.right, mistake.category)),
    )


def main() -> None:
    """Print the table, a row for each folder and category."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="*", default=[HERE / "blind", HERE / "seen"])
    print(f"{'':8} {'':14} {'pieces':>7} {'found':>7} {'first':>7} {'alarms':>7}")
    for folder in parser.parse_args().folders:
        with ProcessPoolExecutor() as executor:
            results = list(executor.map(judged, mistakes(folder), chunksize=16))
        for category in sorted(Counter(result.category for result in results)):
            own = [result for result in results if result.category == category]
            counts = [sum(getattr(r, name) for r in own) for name in ("found", "first", "alarm")]
            shown = " ".join(f"{count:7}" for count in counts)
            print(f"{folder.name:8} {category:14} {len(own):7} {shown}")


if __name__ == "__main__":
    main()
