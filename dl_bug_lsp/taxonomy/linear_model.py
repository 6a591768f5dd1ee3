"""Inference of a linear text classifier (TF-IDF, logistic regression) in plain Python."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files
from itertools import pairwise
from typing import Any

LONGEST_TEXT = 8_000
"""Characters that are looked at."""

_PATH = re.compile(r"(?:[\w.~-]{0,80}[/\\]){1,40}[\w.-]{0,80}")
_NUMBER = re.compile(r"\b\d[\d.,_e+]*\b")
_WORD = re.compile(r"[a-z]+|0")
_CAMEL = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")


def message_tokens(class_name: str, message: str) -> list[str]:
    """Return the features of an exception: words of its class, words and word pairs of its message.

    Paths and numbers are replaced by placeholders, so that only wordings count.
    """
    text = _PATH.sub(" apath ", message[:LONGEST_TEXT])
    words = _WORD.findall(_NUMBER.sub(" 0 ", text.lower()))
    pairs = [f"{first} {second}" for first, second in pairwise(words)]
    parts = [f"class:{part.lower()}" for part in _CAMEL.findall(class_name)]
    return [f"class:{class_name.lower()}", *parts, *words, *pairs]


@dataclass(frozen=True, slots=True)
class LinearModel:
    """Classes, intercepts and, for each feature, its inverse document frequency and weights."""

    classes: tuple[str, ...]
    intercepts: tuple[float, ...]
    features: dict[str, tuple[float, tuple[float, ...]]]

    def probabilities(self, tokens: Iterable[str]) -> dict[str, float]:
        """Return each class's probability: sublinear TF-IDF of unit length, then softmax."""
        counts = Counter(token for token in tokens if token in self.features)
        values = {
            token: (1 + math.log(count)) * self.features[token][0]
            for token, count in counts.items()
        }
        length = math.sqrt(sum(value * value for value in values.values())) or 1.0
        scores = list(self.intercepts)
        for token, value in values.items():
            for index, weight in enumerate(self.features[token][1]):
                scores[index] += weight * value / length
        highest = max(scores)
        powers = [math.exp(score - highest) for score in scores]
        total = sum(powers)
        return {name: power / total for name, power in zip(self.classes, powers, strict=True)}

    def best(self, tokens: Iterable[str]) -> tuple[str, float]:
        """Return the likeliest class with its probability."""
        found = self.probabilities(tokens)
        return max(found.items(), key=lambda item: item[1])


def load_model(name: str) -> LinearModel:
    """Read a model of this package by its file's name."""
    text = files("dl_bug_lsp.taxonomy").joinpath(name).read_text(encoding="utf-8")
    return model_from(json.loads(text))


def model_from(data: dict[str, Any]) -> LinearModel:
    """Make a model from its data as `benchmarks/train_taxonomy.py` writes them."""
    features = {token: (row[0], tuple(row[1:])) for token, row in data["features"].items()}
    return LinearModel(tuple(data["classes"]), tuple(data["intercepts"]), features)
