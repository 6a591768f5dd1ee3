"""From a failure to its category: ordered rules, the text classifier, then ``unclassified``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from dl_bug_lsp.messages.facts import FactKind, MessageFacts, Role
from dl_bug_lsp.report import BY_TEXT, HANG, WHOLE_TEXT, CategoryVerdict
from dl_bug_lsp.taxonomy.categories import category
from dl_bug_lsp.taxonomy.classification_context import ClassificationContext, Rule
from dl_bug_lsp.taxonomy.rules import LAST, TABLES, WITHOUT_CATEGORY
from dl_bug_lsp.taxonomy.text_models import (
    chance_by_whole_text,
    classify_text,
    classify_whole_text,
)
from dl_bug_lsp.tracebacks.failures import Cause, Failure, FailureKind, Relation
from dl_bug_lsp.tracebacks.primary import ELSEWHERE

UNCLASSIFIED = "unclassified"
OTHER_CAUSE_DISCOUNT = 0.8
"""What a verdict keeps of its confidence when a neighbour of the root cause gave it."""
WORDS_DISCOUNT = 0.6
"""What a rule about a class keeps of its confidence where words without a class fit it."""
_LONG_PHRASE = 16
TEXT_THRESHOLD = 0.33
"""The least probability at which the text classifier's word is taken."""
WHOLE_TEXT_THRESHOLD = 0.35
"""The least probability at which the category that the words of a whole text show is taken."""
WEAK, LEAST_CHANCE = 0.8, 0.15
"""The confidence below which a verdict is compared with the words of the whole text, and the least
probability that they have to give its category."""
LONGEST_PASTE, FEWEST_WORDS = 8_000, 8
"""Characters of a text that a person may have pasted, at most, and its words, at least."""

_OF_LIBRARIES = frozenset(("framework_api_misuse",))
"""What only a library's code raises: the program's own assertions and `raise` are none of it."""
_LAUNCHERS = frozenset(("ChildFailedError", "CalledProcessError", "ProcessExitedException"))
"""What only says that another program failed: their words tell no category."""
_REPORTERS = frozenset(("container", "make", "mpi", "deepspeed", "docker", "kubernetes"))
"""Programs that only say with which status another one ended, where no rule knows the words."""
LONGEST_SPOKEN = 2_000
LONGEST_PRINTED = 20_000
_PRINTED = re.compile(
    r"\{['\"]\w{1,60}['\"]: [^{}]{0,2000}(?:\{[^{}]{0,500}\}[^{}]{0,2000}){0,8}(?:\}|$)"
)
"""A printed dictionary: its keys ("shape", "grad") are no words of the message."""
_TABLE_ROW = re.compile(r"^\s*[|│][^\n]*[|│]\s*$")
"""A row of a table: names of columns and values are no sentence about a failure."""
_COMPARED = re.compile(r"assert [-\d.e]{1,40} (?:[=!<>]=|<|>) [-\d.e]{1,40}(?:\n|$)")
"""What pytest shows of two numbers that are compared: their values are no words."""
_OWN_WORDS = tuple(
    (re.compile(pattern), class_name)
    for pattern, class_name in (
        (
            r"\bobject has no attribute '|^.{0,60}\bmodule '[\w.]+' has no attribute '",
            "AttributeError",
        ),
        (r"\bname '\w+' is not defined\b", "NameError"),
        (r"\bobject is not (?:callable|subscriptable|iterable)\b", "TypeError"),
        (r"\bgot an unexpected keyword argument '|\brequired positional argument", "TypeError"),
        (r"\bunsupported operand type\(s\) for\b", "TypeError"),
        (r"\bNo module named '?\w", "ModuleNotFoundError"),
        (r"\bcannot import name '?\w", "ImportError"),
        (r"\b(?:list|tuple|string) index out of range\b", "IndexError"),
        (r"\bcodec can't (?:decode|encode)\b", "UnicodeDecodeError"),
        (r"\bdivision by zero\b", "ZeroDivisionError"),
        (r"\[Errno 2\] No such file or directory\b", "FileNotFoundError"),
        (r"^\W{0,4}invalid syntax\b", "SyntaxError"),
    )
)
"""How Python words its own exceptions, for messages whose class was not pasted."""
_EMBEDDED = re.compile(
    r"(?m)^\W{0,12}((?:[A-Za-z_]\w*\.){0,6}[A-Z]\w*(?:Error|Exception|Interrupt)): +(\S[^\n]*)"
)
_CARRIED = re.compile(r"^(?:\w{1,60}\.){0,6}\w{1,60}\((?:\w{1,60}\.){0,6}([A-Z]\w{0,60})\)$")
"""A class that names the one that it carries (``RayTaskError(SyntaxError)``)."""
_NO_DETAIL = "<no detail available>"
"""What Ray writes where an exception has no message."""
_EMBEDDED_REPR = re.compile(r"\b([A-Z]\w*(?:Error|Exception))\((['\"])")


def classify(
    failure: Failure,
    facts: MessageFacts | None = None,
    *,
    workspace_module: Callable[[str], bool] | None = None,
) -> CategoryVerdict:
    """Say which category a failure belongs to, with the rule and the words that showed it.

    ``workspace_module`` tells whether a dotted module name is the user's own. Nothing is raised;
    what no rule and no classifier knows is ``unclassified`` with the evidence shown. A silent
    failure is unclassified here: its metrics decide elsewhere. Categories: Zhang et al., ICSE 2020,
    Table 1, and the dimensions ``platform`` and ``silent``.
    """
    cause = failure.cause
    if failure.kind is FailureKind.SILENT or cause is None:
        return _verdict(UNCLASSIFIED, 0.0, failure.evidence, "silent")
    if cause.type == HANG:
        return _verdict(UNCLASSIFIED, 0.0, failure.evidence, HANG)
    cause = _carried(cause)
    context = ClassificationContext(failure, cause, workspace_module)
    return (
        _by_causes(context, [cause], 1.0)
        or _by_causes(context, _neighbours(failure, linked=True), OTHER_CAUSE_DISCOUNT)
        or _by_facts(context, facts)
        or _without_category(context)
        or _by_words(context)
        or _by_text(context)
        or _by_causes(context, _neighbours(failure, linked=False), OTHER_CAUSE_DISCOUNT)
        or _by_class(context)
        or _verdict(UNCLASSIFIED, 0.0, context.evidence_for(None), "none")
    )


def _carried(cause: Cause) -> Cause:
    """Return the exception that a class names as the one it carries, else the exception itself."""
    named = _CARRIED.match(cause.type)
    if named is None:
        return cause
    message = "" if cause.message.strip() == _NO_DETAIL else cause.message
    return replace(cause, type=named[1], message=message)


def classify_by_whole_text(
    failure: Failure, text: str, ruled_out: frozenset[str] = frozenset()
) -> CategoryVerdict | None:
    """Return the category of a failure of which only the words of the whole text tell.

    For short texts, as people paste them, where nothing else is known; None where the words are
    those of several kinds of failures or of none.
    """
    if not _may_be_pasted(text) or (
        failure.cause and failure.cause.class_name in (*_LAUNCHERS, HANG)
    ):
        return None
    guess, probability = classify_whole_text(text)
    if guess == UNCLASSIFIED or guess in ruled_out or probability < WHOLE_TEXT_THRESHOLD:
        return None
    return _verdict(guess, probability, failure.evidence, WHOLE_TEXT)


def _may_be_pasted(text: str) -> bool:
    return len(text) <= LONGEST_PASTE and len(text.split()) >= FEWEST_WORDS


def is_doubted(verdict: CategoryVerdict, text: str) -> bool:
    """Say whether a verdict is weak and the words of a person's report hardly speak for it.

    Verdicts of the classifier of exceptions are weak as such: it looks at words alone.
    """
    is_weak = verdict.rule == BY_TEXT or verdict.confidence < WEAK
    if not is_weak or verdict.id == UNCLASSIFIED or not _may_be_pasted(text):
        return False
    return chance_by_whole_text(verdict.id, text) < LEAST_CHANCE


def classify_divergence(failure: Failure) -> CategoryVerdict:
    """Return the category of ranks that wait for one another in vain."""
    return _verdict("communication_failure", 0.9, failure.evidence, "ranks.parted")


def _by_causes(
    context: ClassificationContext, causes: Iterable[Cause], discount: float
) -> CategoryVerdict | None:
    """Ask the rules about each exception and about those that it quotes."""
    for cause in causes:
        for seen in _with_embedded(cause):
            verdict = _by_rules(replace(context, cause=seen), discount)
            if verdict is not None:
                return verdict
    return None


def _neighbours(failure: Failure, *, linked: bool) -> list[Cause]:
    """Return the chain's exceptions but the root, nearest first.

    ``linked`` are those that explicit causes or wrappers tie to the root; the rest was only being
    handled at the time and says less.
    """
    links = (Relation.DIRECT_CAUSE, Relation.WRAPPED, Relation.GROUP_MEMBER)
    neighbours = []
    for index, cause in enumerate(failure.causes):
        low, high = sorted((index, failure.root))
        tied = all(c.relation in links for c in failure.causes[low + 1 : high + 1])
        if index != failure.root and tied is linked:
            neighbours.append((abs(index - failure.root), index, cause))
    return [cause for _, _, cause in sorted(neighbours, key=lambda item: item[:2])]


def _by_facts(context: ClassificationContext, facts: MessageFacts | None) -> CategoryVerdict | None:
    """Let two shapes or two element types in an unknown message speak."""
    if facts is None:
        return None
    for kind, id in ((FactKind.SHAPE, "tensor_mismatch"), (FactKind.DTYPE, "type_mismatch")):
        actual, expected = facts.of(kind, Role.ACTUAL), facts.of(kind, Role.EXPECTED)
        if actual and expected and actual[0].value != expected[0].value:
            return _verdict(id, 0.55, context.evidence_for(None), f"facts.{kind.value}")
    return None


def _by_text(context: ClassificationContext) -> CategoryVerdict | None:
    if context.class_name in _LAUNCHERS or (
        context.is_message and context.class_name in _REPORTERS
    ):
        return None
    printed = _PRINTED.sub(" ", context.message[:LONGEST_PRINTED])
    if not printed.strip(" []()") or _TABLE_ROW.match(printed) or _COMPARED.match(printed):
        return None
    own = not context.libraries and context.source.lstrip().startswith(("assert ", "raise "))
    guess, probability = classify_text(
        context.class_name, printed, excluded=_OF_LIBRARIES if own else frozenset()
    )
    if probability < TEXT_THRESHOLD:
        return None
    return _verdict(guess, min(probability, 0.9), context.evidence_for(None), BY_TEXT)


def _without_category(context: ClassificationContext) -> CategoryVerdict | None:
    """Return what is known of a failure that no category covers, if no neighbour has one."""
    for candidate in WITHOUT_CATEGORY:
        fired = candidate.fires(context)
        if fired is not None:
            others = _neighbours(context.failure, linked=False)
            evidence = context.evidence_for(fired[0])
            return _by_causes(context, others, OTHER_CAUSE_DISCOUNT) or _verdict(
                UNCLASSIFIED, candidate.confidence, evidence, candidate.id
            )
    return None


def _by_words(context: ClassificationContext) -> CategoryVerdict | None:
    """Take words that name no class for those of the class that says them, where nothing else does.

    Phrases of several words only: short ones mean something below their class alone.
    """
    if not context.is_message or context.class_name in _LAUNCHERS:
        return None
    for pattern, class_name in _OWN_WORDS:
        if pattern.search(context.message[:LONGEST_SPOKEN]):
            cause = replace(context.cause, type=class_name)
            if verdict := _by_rules(replace(context, cause=cause), WORDS_DISCOUNT):
                return verdict
    for table in TABLES:
        for candidate in table.rules:
            long = tuple(phrase for phrase in candidate.phrases if len(phrase) >= _LONG_PHRASE)
            if long and candidate.types:
                free = replace(candidate, types=frozenset(), phrases=long)
                if verdict := _fire(free, context, WORDS_DISCOUNT):
                    return verdict
    return None


def _by_class(context: ClassificationContext) -> CategoryVerdict | None:
    for last in () if ELSEWHERE.search(context.message[:2000]) else LAST:
        verdict = _fire(last, context, 1.0)
        if verdict is not None:
            return verdict
    return None


def _with_embedded(cause: Cause) -> Iterator[Cause]:
    """Yield the exception itself, then the one that its message quotes (launchers, hydra, ray)."""
    yield cause
    quoted = list(_EMBEDDED.finditer(cause.message[-16_000:]))
    if quoted:
        yield replace(cause, type=quoted[-1].group(1), message=quoted[-1].group(2))
        return
    shown = _EMBEDDED_REPR.search(cause.message[:16_000])
    if shown is not None:
        rest = cause.message[shown.end() :]
        yield replace(cause, type=shown.group(1), message=rest.split(shown.group(2))[0] or rest)


def _by_rules(context: ClassificationContext, discount: float) -> CategoryVerdict | None:
    for table in TABLES:
        if not table.applies_to(context):
            continue
        for candidate in table.rules:
            verdict = _fire(candidate, context, discount)
            if verdict is not None:
                return verdict
    return None


def _fire(
    candidate: Rule, context: ClassificationContext, discount: float
) -> CategoryVerdict | None:
    fired = candidate.fires(context)
    if fired is None or candidate.category == UNCLASSIFIED:
        return None
    confidence = candidate.confidence * discount
    return _verdict(candidate.category, confidence, context.evidence_for(fired[0]), candidate.id)


def _verdict(id: str, confidence: float, evidence: str, rule: str) -> CategoryVerdict:
    return CategoryVerdict(id, category(id).dimension, round(confidence, 3), evidence, rule)
