"""What a bug report speaks of, as tokens of a linear model: its words, its title's, and cues.

A cue is one thing said in many words (an upgrade, a device, a build, a test farm). Which cues tell
of which bug type or origin is left to the training (`benchmarks/train_report_types.py`).
"""

from __future__ import annotations

import re

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
