"""Trained text classifiers: for exceptions that no rule covers, and for bug reports.

Inference of a linear classifier (TF-IDF, logistic regression) in plain Python. Tokens of a report
are its words, the words of its title, and cues: one meaning in many wordings (an upgrade, a
device, a build, a test farm). Which cues indicate which bug type or origin is learned by
``benchmarks/train_report_types.py``.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Any

from dl_bug_lsp.report import Verdict
from dl_bug_lsp.taxonomy.classification_context import without_node_attributes

MODEL_FILE = "text_model.json"
"""Weights as `benchmarks/train_taxonomy.py` wrote them from `labelled_messages.tsv`."""


@cache
def text_model() -> LinearModel:
    """Return the classifier of exceptions by category."""
    return load_model(MODEL_FILE)


def classify_text(
    class_name: str, message: str, excluded: frozenset[str] = frozenset()
) -> tuple[str, float]:
    """Return the likeliest category of an exception with its probability (0 to 1).

    It is less where fewer than half of the message's words are known. Categories that are
    ``excluded`` can not be; the others share their probability.
    """
    model, tokens = text_model(), message_tokens(class_name, message)
    words = {token for token in tokens if ":" not in token and " " not in token}
    known = sum(word in model.features for word in words) / len(words) if words else 1.0
    guess, probability = model.best(tokens, excluded)
    return guess, probability * min(1.0, 2 * known)


WHOLE_TEXT_FILE = "whole_text_model.json"
"""Weights that `benchmarks/train_taxonomy.py` learns from whole texts as people paste them."""


def classify_whole_text(text: str) -> tuple[str, float]:
    """Return the likeliest category of a pasted text with its probability (0 to 1).

    The category may be ``unclassified``: such texts are among those that the model has learned.
    """
    return _model(WHOLE_TEXT_FILE).best(whole_text_tokens(text))


def chance_by_whole_text(category: str, text: str) -> float:
    """Return the probability of a category by the words of a pasted text; 0 if it knows it not."""
    return _model(WHOLE_TEXT_FILE).probabilities(whole_text_tokens(text)).get(category, 0.0)


TYPES_FILE = "report_types.json"
ORIGINS_FILE = "report_origins.json"
"""Weights as `benchmarks/train_report_types.py` wrote them; `docs/report_types.md` has figures."""


@cache
def _model(name: str) -> LinearModel:
    return load_model(name)


def bug_type_of_report(text: str) -> Verdict:
    """Say which part of the program a bug report is about (Jahan et al., EMSE 2025)."""
    bug_type, probability = _model(TYPES_FILE).best(report_tokens(text))
    return Verdict(bug_type, round(probability, 3))


def origin_of_report(text: str) -> Verdict:
    """Say whether a bug report's cause lies in the project's own code (intrinsic) or outside it."""
    origin, probability = _model(ORIGINS_FILE).best(report_tokens(text))
    return Verdict(origin, round(probability, 3))


LONGEST_BODY = 8_000
"""Characters of a report's body that are looked at."""
LONGEST_TITLE = 400
MOST_COUNTED = 4
"""How often a cue counts at most: a log that repeats a word says it once more, not a hundred."""

_CUES = {
    "install": r"pip|conda|install\w*|setup\.py|requirements?|wheel|apt-get|brew|npm|yarn",
    "build": (
        r"cmake|make|compil\w+|build\w*|linker|gcc|nvcc|clang|msvc|bazel|header|\w+\.(?:so|dll)"
    ),
    "test farm": r"ci|jenkins|travis|nightly|flaky|pipeline|appveyor|circleci|unittest|test_\w+",
    "upgrade": (
        r"upgrad\w+|updat\w+|since v?\d\w*|regression|used to work|worked in|downgrad\w+|"
        r"latest version|new version|deprecat\w+|incompatib\w+|compatib\w+"
    ),
    "device": r"gpus?|cuda|cudnn|nccl|tpus?|nvidia\w*|multi-gpu|webgl|opencl|mkl\w*|devices?",
    "memory": r"out of memory|oom|leak\w*|memory",
    "distributed": r"distributed|ddp|horovod|multi-?node|kvstore|workers?|all_?reduce",
    "shape": r"shapes?|dim\w*|ndim|axis|reshape|broadcast\w*|size mismatch|rank",
    "dtype": r"dtypes?|float16|fp16|float32|float64|int32|int64|uint8|half",
    "input": (
        r"datasets?|dataloaders?|images?|records?|csv|preprocess\w*|augment\w*|batch\w*|inputs?|"
        r"tokeni[sz]\w+|decod\w+"
    ),
    "training": (
        r"train\w*|loss\w*|epochs?|optimi[sz]er\w*|learning rate|lr|gradients?|backward|"
        r"converge\w*|nan|accuracy|metrics?|callbacks?|checkpoint\w*|fit|early stopping|scheduler"
    ),
    "model": (
        r"models?|layers?|conv\w*|lstm|rnn|gru|batch ?norm\w*|embedding\w*|dense|weights?|save|"
        r"load\w*|export\w*|onnx|symbol|hybridi[sz]e|inference|predict\w*"
    ),
    "interface": (
        r"apis?|arguments?|parameters?|keywords?|signatures?|functions?|methods?|attributeerror|"
        r"typeerror|import\w*|not implemented|missing|operators?"
    ),
    "crash": (
        r"segfault|segmentation fault|core dump\w*|crash\w*|abort\w*|sigsegv|hangs?|deadlock|"
        r"stuck|freez\w+"
    ),
    "documents": r"doc|docs|document\w*|tutorial\w*|examples?|readme|typo|website|broken link",
    "platform": (
        r"windows|macos|osx|linux|ubuntu|centos|android|ios|raspberry|jetson|arm|docker|browser|"
        r"chrome|safari|firefox|react|node(?:js)?|colab"
    ),
    "language": r"scala|java|julia|perl|cpp|clojure|javascript|typescript",
    "third party": (
        r"numpy|scipy|opencv|protobuf|tensorboard|elasticsearch|faiss|transformers|sklearn|"
        r"scikit-learn|openblas|mkldnn|tensorrt|python ?[23]"
    ),
    "performance": r"slow\w*|speed|performance|faster|latency|throughput",
    "stack": r"traceback|stack trace",
    "link": r"https?",
    "version": r"\d+\.\d+(?:\.\d+)?",
}
_PATTERNS = {cue: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for cue, words in _CUES.items()}
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")


def report_tokens(text: str) -> list[str]:
    """Return the tokens of a bug report; its first line that is not blank is its title."""
    title, _, body = text.lstrip().partition("\n")
    title, body = title[:LONGEST_TITLE], body[:LONGEST_BODY]
    named = _words(title)
    tokens = [*_words(body), *named, *(f"title {word}" for word in named)]
    for cue, pattern in _PATTERNS.items():
        if pattern.search(title):
            tokens.append(f"cue in title: {cue}")
        count = sum(1 for _ in pattern.finditer(body))
        tokens.extend([f"cue: {cue}"] * min(count, MOST_COUNTED))
    return tokens


def _words(text: str) -> list[str]:
    return [part.lower() for part in _PART.findall(text) if len(part) > 1]


LONGEST_TEXT = 8_000
"""Characters that are looked at."""

_PATH = re.compile(r"(?:[\w.~-]{0,80}[/\\]){1,40}[\w.-]{0,80}")
_NUMBER = re.compile(r"\b\d[\d.,_e+]*\b")
_WORD = re.compile(r"[a-z]+|0")
_CAMEL = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")


def message_tokens(class_name: str, message: str) -> list[str]:
    """Return the features of an exception: words of its class, words and word pairs of its message.

    Paths and numbers are replaced by placeholders, and what TensorFlow prints of an operation is
    left out, so that only wordings count.
    """
    text = _PATH.sub(" apath ", without_node_attributes(message[:LONGEST_TEXT]))
    words = _WORD.findall(_NUMBER.sub(" 0 ", text.lower()))
    pairs = [f"{first} {second}" for first, second in pairwise(words)]
    parts = [f"class:{part.lower()}" for part in _CAMEL.findall(class_name)]
    return [f"class:{class_name.lower()}", *parts, *words, *pairs]


_TEXT_WORD = re.compile(r"[a-z]+|0|[\u3040-\u9fff\uac00-\ud7af]")
_LETTERS = re.compile(r"[^\W_]+")
GRAM = 4
"""Characters of the parts of words that are features of a whole text, blanks around it included."""


def whole_text_tokens(text: str) -> list[str]:
    """Return the features of a pasted text: words, word pairs, and parts of words.

    Parts of words keep what misspelt, foreign and compound words share with others. Each sign of
    Chinese, Japanese and Korean is a word.
    """
    plain = _NUMBER.sub(" 0 ", _PATH.sub(" apath ", text[:LONGEST_TEXT]).lower())
    words = _TEXT_WORD.findall(plain)
    pairs = [f"{first} {second}" for first, second in pairwise(words)]
    padded = [f" {word} " for word in _LETTERS.findall(plain)]
    grams = [
        f"~{word[start : start + GRAM]}"
        for word in padded
        for start in range(max(1, len(word) - GRAM + 1))
    ]
    return [*words, *pairs, *grams]


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

    def best(
        self, tokens: Iterable[str], excluded: frozenset[str] = frozenset()
    ) -> tuple[str, float]:
        """Return the likeliest class that is not ``excluded``, with its probability."""
        probabilities = self.probabilities(tokens)
        allowed = {name: p for name, p in probabilities.items() if name not in excluded}
        likeliest = max(allowed, key=allowed.__getitem__)
        whole = sum(allowed.values()) if excluded else 1.0
        return likeliest, allowed[likeliest] / whole


def load_model(name: str) -> LinearModel:
    """Read a model of this package by its file's name."""
    text = files("dl_bug_lsp.taxonomy").joinpath(name).read_text(encoding="utf-8")
    return model_from(json.loads(text))


def model_from(data: dict[str, Any]) -> LinearModel:
    """Make a model from its data as `benchmarks/train_taxonomy.py` writes them."""
    features = {token: (row[0], tuple(row[1:])) for token, row in data["features"].items()}
    return LinearModel(tuple(data["classes"]), tuple(data["intercepts"]), features)
