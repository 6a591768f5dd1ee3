"""The form of a classification rule, and what it may look at.

A rule has phrases, exception classes, conditions and a category. It looks at one exception, its
words and the code around its raise site.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from dl_bug_lsp.tracebacks.failures import Cause, Failure, FailureKind, Frame
from dl_bug_lsp.tracebacks.traceback_lines import is_library_path

LONGEST_MESSAGE = 16_000
"""Characters of a message that are looked at; longer ones lose their middle."""


def names(text: str) -> frozenset[str]:
    """Return the blank-separated names of ``text``."""
    return frozenset(text.split())


FRAMEWORKS = names(
    "torch torchvision torchaudio torchtext torchmetrics functorch lightning pytorch_lightning "
    "lightning_fabric lightning_utilities tensorflow tensorflow_datasets "
    "tensorflow_addons tf_keras "
    "tensorflow_probability keras keras_hub keras_nlp keras_tuner jax jaxlib flax optax haiku "
    "equinox orbax chex transformers accelerate peft trl diffusers sentence_transformers deepspeed "
    "ignite monai timm fastai mmcv mmengine mmdet detectron2 ultralytics paddle mxnet allennlp "
    "tensorpack gluonts fairseq torch_geometric dgl bitsandbytes xformers vllm captum composer "
    "pytorch_forecasting stable_baselines3"
)
"""Top-level packages of deep-learning frameworks: what they raise is about their own contract."""

_INSTALLED = re.compile(r"(?:site|dist)-packages[/\\]([A-Za-z0-9_]+)")
_CYTHON = re.compile(r"^([A-Za-z_]\w{0,60})[/\\](?:\w{1,60}[/\\]){0,8}\w{1,60}\.p(?:yx|xi)$")
"""A file of a compiled package, which names it without its folder (``h5py/h5f.pyx``)."""
_STANDARD = re.compile(r"[/\\]lib(?:64)?[/\\]python3[.\d]*[/\\]|[/\\]Python3\d+[/\\]Lib[/\\]")
GAP = "…"
"""What stands for words of any length in a phrase."""
_ESCAPED = ("\\n", "\\t", "\\r")
"""Breaks that a string's representation shows as two characters."""
_SPACE = re.compile(r"\s+")
_NODE_ATTRIBUTES = re.compile(r"(?<= = )(\w{1,80}) ?\[\w[^\n]{0,4000}?\](?=[(\]\n]|$)")
"""What TensorFlow prints of an operation (``= DecodeJpeg[channels=3](…)``): no words about it."""
_ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def library_of(file: str) -> str | None:
    """Return the top-level package that a printed file belongs to, None for the user's own code.

    ``"python"`` stands for the standard library and for frozen or generated code.
    """
    installed = _INSTALLED.findall(file)
    if installed:
        return str(installed[-1])
    if compiled := _CYTHON.match(file):
        return compiled[1]
    if file.startswith(("<frozen", "<string>")):
        return "python"
    return "python" if _STANDARD.search(file) else None


def without_node_attributes(text: str) -> str:
    """Return a message without the attributes of the TensorFlow operations that it prints."""
    return _NODE_ATTRIBUTES.sub(r"\1", text) if " = " in text else text


def find_phrase(text: str, phrase: str) -> bool:
    """Say whether lower-case ``text`` holds the parts of ``phrase`` in order, ``…`` for a gap.

    A part that begins with a letter begins where a word does ("d_loss" is no part of "valid_loss").
    """
    at = 0
    for part in phrase.split(GAP):
        start = _find_words(text, part, at)
        if start < 0:
            return False
        at = start + len(part)
    return True


def _find_words(text: str, part: str, at: int) -> int:
    """Return where ``part`` stands at the beginning of a word, -1 for nowhere."""
    start = text.find(part, at)
    while start > 0 and part[:1].isalpha() and "a" <= text[start - 1] <= "z":
        if text[max(0, start - 2) : start] in _ESCAPED:
            break
        start = text.find(part, start + 1)
    return start


@dataclass(frozen=True)
class ClassificationContext:
    """One exception as rules see it.

    ``workspace_module`` tells whether a module's name belongs to the user's workspace; without it
    the message's paths decide.
    """

    failure: Failure
    cause: Cause
    workspace_module: Callable[[str], bool] | None = None

    @staticmethod
    def is_user(frame: Frame) -> bool:
        """Say whether a frame is the user's own code."""
        if frame.marked_user is not None:
            return frame.marked_user
        return library_of(frame.file) is None and not is_library_path(frame.file)

    @property
    def class_name(self) -> str:
        """The exception's class without its module."""
        return self.cause.class_name

    @property
    def is_message(self) -> bool:
        """Say whether a program spoke without a traceback (``cause.type`` is its name then)."""
        return self.failure.kind is FailureKind.MESSAGE

    @cached_property
    def message(self) -> str:
        """The message with its notes, without terminal codes, long ones cut in the middle."""
        whole = _ESCAPES.sub("", "\n".join((self.cause.message, *self.cause.notes)))
        if len(whole) <= LONGEST_MESSAGE:
            return whole
        return whole[: LONGEST_MESSAGE // 2] + "\n" + whole[-LONGEST_MESSAGE // 2 :]

    @cached_property
    def text(self) -> str:
        """The message in lower case with every run of white space as one blank.

        The attributes of a TensorFlow operation are left out: they are no words about the failure.
        """
        return _SPACE.sub(" ", without_node_attributes(self.message)).strip().lower()

    @cached_property
    def frames(self) -> tuple[Frame, ...]:
        """The exception's own stack, or the failure's where it has none of its own."""
        return self.cause.frames or self.failure.frames

    @cached_property
    def libraries(self) -> tuple[str, ...]:
        """The packages entered below the innermost frame of user code, outermost first."""
        below: list[str] = []
        for frame in reversed(self.frames):
            if self.is_user(frame):
                break
            below.append(library_of(frame.file) or "python")
        return tuple(reversed(below))

    @property
    def in_framework(self) -> bool:
        """Say whether a deep-learning framework's code raised it or called what raised it."""
        return any(library in FRAMEWORKS for library in self.libraries)

    @cached_property
    def user_source(self) -> str:
        """The source text of the innermost frame of user code, empty where none was printed."""
        return next((f.source or "" for f in reversed(self.frames) if self.is_user(f)), "")

    @cached_property
    def source(self) -> str:
        """The source text of the innermost frame, empty where none was printed."""
        return (self.frames[-1].source or "") if self.frames else ""

    def says(self, *phrases: str) -> bool:
        """Say whether the message holds any of ``phrases`` (lower case, ``…`` for a gap)."""
        return any(find_phrase(self.text, phrase) for phrase in phrases)

    def raised_in(self, *packages: str) -> bool:
        """Say whether any of ``packages`` stands below the user's innermost frame."""
        return any(library in packages for library in self.libraries)

    def evidence_for(self, phrase: str | None) -> str:
        """Return the message's line that holds ``phrase``, else its first line, with the class."""
        lines = [line.strip() for line in self.message.splitlines() if line.strip()]
        shown = lines[0] if lines else ""
        if phrase is not None:
            parts = sorted(phrase.split(GAP), key=len, reverse=True)
            shown = next((ln for part in parts for ln in lines if part in ln.lower()), shown)
        if self.is_message:
            return shown or self.failure.evidence
        return f"{self.cause.type}: {shown}" if shown else self.cause.type


# ---------------------------------------------------------------------- rules
Condition = Callable[[ClassificationContext], bool]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule fires when class, condition and any phrase fit (without phrases: the first two alone).

    ``phrases`` are lower case, ``…`` in them stands for a gap of any length; ``types`` are classes
    without their modules (or programs of MESSAGE failures), empty for any; ``unless`` are phrases
    that forbid it.
    """

    id: str
    category: str
    phrases: tuple[str, ...]
    types: frozenset[str]
    unless: tuple[str, ...]
    when: Condition | None
    confidence: float

    def fires(self, context: ClassificationContext) -> tuple[str | None] | None:
        """Return the phrase that fired in a tuple of one (None in it: the class alone), or None."""
        by_runtime = context.cause.is_native and "c++" in self.types
        if self.types and context.class_name not in self.types and not by_runtime:
            return None
        phrase = next((p for p in self.phrases if find_phrase(context.text, p)), None)
        if self.phrases and phrase is None:
            return None
        if any(find_phrase(context.text, forbidden) for forbidden in self.unless):
            return None
        if self.when is not None and not self.when(context):
            return None
        return (phrase,)


def rule(
    id: str,
    category: str,
    *phrases: str,
    types: str = "",
    unless: Sequence[str] = (),
    when: Condition | None = None,
    confidence: float = 0.95,
) -> Rule:
    """Make a rule; ``types`` are blank-separated class names."""
    lowered = tuple(phrase.lower() for phrase in phrases)
    forbidden = tuple(phrase.lower() for phrase in unless)
    return Rule(id, category, lowered, frozenset(types.split()), forbidden, when, confidence)
