"""What is known of a failure beyond its category."""

from __future__ import annotations

import pytest
from made_failures import SPAN, USER, failure

from dl_bug_lsp.taxonomy.bug_type_and_origin import BUG_TYPES
from dl_bug_lsp.taxonomy.categories import categories, kind_of, kinds
from dl_bug_lsp.taxonomy.classify import classify
from dl_bug_lsp.taxonomy.retries import retry_may_help
from dl_bug_lsp.taxonomy.rules import LAST, TABLES, WITHOUT_CATEGORY
from dl_bug_lsp.tracebacks import Cause, Failure, FailureKind, Frame, Relation

RULES = {
    rule.id: rule
    for rules in (*(table.rules for table in TABLES), LAST, WITHOUT_CATEGORY)
    for rule in rules
}


def test_kinds_name_rules_of_one_category() -> None:
    for kind in kinds():
        assert len({RULES[rule].category for rule in kind.rules}) == 1, kind.rules
        assert kind.origin in (None, "intrinsic", "extrinsic")
        assert kind.bug_type in (None, *BUG_TYPES)
        assert kind.definition.endswith(".")
    named = [rule for kind in kinds() for rule in kind.rules]
    assert len(named) == len(set(named))
    ids = {row.id for row in categories()}
    assert {rule.category for rule in RULES.values()} <= ids


def test_what_no_category_covers_has_a_kind() -> None:
    assert [rule.id for rule in WITHOUT_CATEGORY if kind_of(rule.id) is None] == []
    assert {rule.category for rule in WITHOUT_CATEGORY} == {"unclassified"}


@pytest.mark.parametrize(
    ("type", "message", "source", "rule"),
    [
        ("RecursionError", "maximum recursion depth exceeded", "", "python.recursion"),
        (
            "RuntimeError",
            "maximum recursion depth exceeded while calling a Python object",
            "",
            "python.recursion_words",
        ),
        ("AssertionError", "", "assert False", "program.deliberate"),
        ("AssertionError", "", "assert(False)", "program.deliberate"),
        ("AssertionError", "", "assert 0  # stop here", "program.deliberate"),
        (
            "tensorflow.python.framework.errors_impl.CancelledError",
            "[_Derived_]RecvAsync is cancelled.",
            "model.fit(ds)",
            "program.cancelled",
        ),
        ("asyncio.exceptions.CancelledError", "", "await task", "program.cancelled"),
        (
            "ExceptionInRunner",
            "The runner thread raised an exception. Read the traceback above to debug it.",
            "",
            "program.elsewhere",
        ),
        (
            "subprocess.CalledProcessError",
            "Command '['make']' returned non-zero exit status 2.",
            "",
            "program.elsewhere",
        ),
    ],
)
def test_failures_without_a_category(type: str, message: str, source: str, rule: str) -> None:
    verdict = classify(failure(type, message, "", source))
    assert (verdict.id, verdict.rule, verdict.confidence) == ("unclassified", rule, 0.0)


@pytest.mark.parametrize("source", ["assert ok", "assert 0 < x", "assert not found", ""])
def test_a_check_that_may_hold_is_no_deliberate_stop(source: str) -> None:
    assert classify(failure("AssertionError", "", "", source)).rule != "program.deliberate"


def test_a_check_that_says_why_is_no_mere_stop() -> None:
    found = failure("AssertionError", "unknown mode", "", "assert False, 'unknown mode'")
    assert classify(found).rule != "program.deliberate"
    assert classify(failure("AssertionError", "", "lab")).rule != "program.deliberate"


@pytest.mark.parametrize(
    ("packages", "function", "wanted"),
    [
        ("lab", "<module>", "version_conflict"),
        ("lab", "__getattr__", "attribute_not_found"),
        ("other", "<module>", "attribute_not_found"),
    ],
)
def test_a_library_that_lacks_a_part_of_itself(packages: str, function: str, wanted: str) -> None:
    message = "module 'lab._core' has no attribute 'Context'"
    found = failure("AttributeError", message, f"{packages}:{function}", "import lab")
    assert classify(found).id == wanted


def test_an_exception_that_was_being_handled_says_more_than_that_another_failed() -> None:
    frames = (Frame(USER, 3, "main", "assert False"),)
    inner = Cause("KeyError", "'f1'", (Frame(USER, 9, "score", "m['f1']"),), Relation.ROOT, SPAN)
    outer = Cause("AssertionError", "", frames, Relation.DURING_HANDLING, SPAN)
    found = Failure(FailureKind.EXCEPTION, (inner, outer), 1, "cpython", SPAN, "")
    assert classify(found).id == "key_not_found"


def test_no_other_try_passes_a_check_that_never_holds() -> None:
    found = failure("AssertionError", "", "", "assert False")
    assert retry_may_help(found, classify(found)) is False
    found = failure("RecursionError", "maximum recursion depth exceeded")
    assert retry_may_help(found, classify(found)) is False


@pytest.mark.parametrize(
    ("type", "message", "packages", "source", "words"),
    [
        ("sqlite3.IntegrityError", "UNIQUE constraint failed: a.id", "", "", "constraint"),
        ("RuntimeError", "File not found or corrupted.", "torchvision", "", "checksum"),
        ("pygame.error", "ALSA: Couldn't open audio device: No such file", "", "", "sound"),
        ("OSError", "Not a gzipped file (b'PK')", "python", "", "beginning"),
        ("ValueError", "Input X contains NaN.", "sklearn", "", "computation"),
        ("ValueError", "max() arg is an empty sequence", "", "", "at least one"),
        ("ValueError", "need at least one array to stack", "numpy", "", "at least one"),
        ("numpy.linalg.LinAlgError", "Singular matrix", "numpy", "", "singular"),
        (
            "requests.exceptions.HTTPError",
            "401 Client Error: Unauthorized for url: https://a.org",
            "requests",
            "",
            "login, key or token",
        ),
    ],
)
def test_the_sentence_is_of_the_finer_kind(
    type: str, message: str, packages: str, source: str, words: str
) -> None:
    kind = kind_of(classify(failure(type, message, packages, source)).rule)
    assert kind is not None
    assert words in kind.definition
