"""Names of the message (keys, attributes, arguments, modules) where the workspace writes them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.nearness import near_texts
from dl_bug_lsp.evidence.words import Word, Words
from dl_bug_lsp.messages import FactKind

NAMED = {
    FactKind.KEY: "key",
    FactKind.NAME: "name",
    FactKind.ATTRIBUTE: "attribute",
    FactKind.ARGUMENT: "argument",
    FactKind.PARAMETER: "parameter",
    FactKind.MODULE: "module",
    FactKind.LITERAL: "literal",
    FactKind.OPTION: "option",
    FactKind.FUNCTION: "function",
    FactKind.CLASS: "class",
    FactKind.LAYER: "layer",
    FactKind.REQUIREMENT: "module",
}
SHORT_KINDS = (FactKind.KEY, FactKind.ATTRIBUTE, FactKind.LITERAL)
"""Kinds that may be a single letter; others of one letter are a framework's own (``a``, ``b``)."""
MAKES = {"dict_key", "bound", "definition", "config_key", "keyword", "import"}
"""Roles in which a word makes something that another place may look for."""
OF_EVERY_LAYER = frozenset(
    {"weight", "bias", "kernel", "gamma", "beta", "running_mean", "running_var", "scale",
     "num_batches_tracked", "embedding", "embeddings", "in_proj_weight", "in_proj_bias"}
)  # fmt: skip
"""Last names of parameters that say nothing about which layer is meant."""
GIVES_OPTION = frozenset({"config_key", "config_value", "keyword", "bound", "dict_key"})
NEAR_KINDS = {
    "key",
    "name",
    "attribute",
    "argument",
    "option",
    "literal",
    "parameter",
}
"""Kinds of names that may not exist; a function or class of a message does."""


MOST_NEAR = 60
"""Different words that one name of the message may be meant for."""
MOST_PLACES = 2_000
"""Places of one name: of a word that stands everywhere they say next to nothing."""


def find(case: Case) -> Iterator[Clue]:
    """Yield the lines that write a name of the message, or one that nearly is it."""
    wanted = {
        (NAMED[fact.kind], str(fact.value))
        for fact in case.facts.facts
        if fact.kind in NAMED
        and isinstance(fact.value, str)
        and (len(fact.value) > 1 or fact.kind in SHORT_KINDS)
    }
    if not wanted:
        return
    words = case.words
    yield from _together({text.rpartition(".")[2] for _, text in wanted}, words)
    for kind, text in sorted(wanted):
        for form in _forms(kind, text):
            yield from _exact(kind, form, words)
        if kind in NEAR_KINDS and len(text) > 1:
            yield from _near(kind, text.rpartition(".")[2], words)


def _together(names: set[str], words: Words) -> Iterator[Clue]:
    """Yield config lines with a name of the message where the file has another one as well."""
    in_file: dict[str, set[str]] = {}
    for word in words.with_text(words.of_settings(names)):
        if word.role.startswith("config"):
            here = names & {word.text, word.text.rpartition(".")[2]}
            in_file.setdefault(word.file, set()).update(here)
    for word in words.with_text(names):
        if word.role != "config_key":
            continue
        others = in_file[word.file] - {word.text}
        if others:
            other = min(others)
            why = f"`{word.text}` and `{other}` of the message stand in the same file"
            yield Clue("names.together", word.file, word.line, 1.0, why)


def _forms(kind: str, text: str) -> list[str]:
    """Return the forms under which code writes a name: dotted parts, option spellings."""
    forms = [text]
    if kind in {"parameter", "module", "class", "function"} and "." in text:
        forms.extend(part for part in text.split(".") if not part.isdigit() and len(part) > 1)
    if kind == "option":
        forms.extend((_plain_option(text), text.lstrip("-")))
    return list(dict.fromkeys(forms))


def _exact(kind: str, text: str, words: Words) -> Iterator[Clue]:
    hits = words.with_text((text,))[:MOST_PLACES]
    count = len({(w.file, w.line) for w in hits})
    for word in hits:
        made = "made" if word.role in MAKES or word.role.startswith("config") else "used"
        score = 1 / math.sqrt(count)
        why = f"`{text}`, the {kind} of the message, is {made} here"
        yield Clue(f"names.{kind}_{made}", word.file, word.line, score, why)


def _near(kind: str, text: str, words: Words) -> Iterator[Clue]:
    if text.startswith("__") or (kind == "parameter" and text in OF_EVERY_LAYER):
        return
    nearby = near_texts(text, words.sketches)
    if kind == "option":
        own = _plain_option(text)
        nearby = {word: near for word, near in nearby.items() if _plain_option(word) != own}
    if len(nearby) > MOST_NEAR:
        # A name of a series (`x1`, `x2`, ...) is near to all of it, and none of them stands out.
        ordered = sorted(nearby, key=lambda word: (-nearby[word], word))
        nearby = {word: nearby[word] for word in ordered[:MOST_NEAR]}
    found = [(w, nearby[w.text]) for w in words.with_text(nearby) if _may_be_meant(w, kind)]
    del found[MOST_PLACES:]
    counts = Counter(w.text for w, _ in found)
    for word, near in found:
        made = "made" if word.role in MAKES else "used"
        score = near / math.sqrt(counts[word.text])
        why = f"`{word.text}` is nearly `{text}`, the {kind} of the message"
        yield Clue(f"names.near_{made}", word.file, word.line, score, why)


def _plain_option(text: str) -> str:
    return text.lstrip("-").replace("-", "_")


def _may_be_meant(word: Word, kind: str) -> bool:
    """Whether a word may be what a name should have been: of options, what a parser is told."""
    if kind == "option":
        return word.text.startswith("--") or word.role in GIVES_OPTION
    return word.role != "string"
