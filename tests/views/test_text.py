"""The view for people."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
import sample_reports as samples

from dl_bug_lsp.logs.log import Span
from dl_bug_lsp.report import (
    CellPlace,
    Confidence,
    ConflictingValue,
    ExceptionText,
    LinePlace,
    Report,
    ReportFrame,
    Verdict,
    percent,
)
from dl_bug_lsp.views import words
from dl_bug_lsp.views.layout import PLAIN, PathStyle, Style, display_width, excerpt
from dl_bug_lsp.views.text import fold, render_text

SGR = re.compile(r"\x1b\[[0-9;]*m")


def shown(report: Report, width: int = 80, style: Style = PLAIN, prefix: str = "") -> str:
    return render_text(report, samples.lines, width, style, PathStyle(prefix))


def test_the_message_stands_first() -> None:
    first, second, third = shown(samples.REPORT, 200).splitlines()[:3]
    assert first == ("RuntimeError: mat1 and mat2 shapes cannot be multiplied (64x512 and 256x10)")
    assert second == "Not certain; look first at models/head.py:7 (93 %)."
    assert third == "rank 1, lines 10–42 of the log"


def test_the_verdict_stands_in_the_second_line_however_long_the_message_is() -> None:
    long = replace(samples.MISMATCH, exception=ExceptionText("RuntimeError", "sizes differ " * 30))
    first, second, *rest = shown(replace(samples.REPORT, failures=(long,))).splitlines()
    assert first.endswith("…")
    assert display_width(first) <= 80
    assert second == "Not certain; look first at models/head.py:7 (93 %)."
    assert " ".join(" ".join(rest).split()).count("sizes differ") >= 30


@pytest.mark.parametrize(
    ("confidence", "said"),
    [
        (Confidence.UNSURE, "Not sure; look first at models/head.py:7 (93 %)."),
        (Confidence.POSSIBLE, "Not certain; look first at models/head.py:7 (93 %)."),
        (Confidence.LIKELY, "Likely; look first at models/head.py:7 (93 %)."),
    ],
)
def test_a_weak_first_place_is_introduced_as_weak(confidence: Confidence, said: str) -> None:
    failure = replace(samples.MISMATCH, confidence=confidence)
    assert shown(replace(samples.REPORT, failures=(failure,))).splitlines()[1] == said


def test_what_helps_stands_below_the_first_place() -> None:
    text = shown(samples.REPORT)
    places = [text.index(part) for part in (" 1. models", "What usually helps", " 2. ")]
    assert places == sorted(places)


def test_values_that_do_not_fit_are_shown_with_the_lines_that_made_them() -> None:
    text = shown(samples.CONFLICT)
    part = text[text.index("Two values that do not fit") : text.index("Most suspicious places")]
    heading, known, *rows = part.rstrip().splitlines()
    assert heading == "Two values that do not fit"
    said = "(worked out from the code, not from the run)"
    assert known == f"  with the lines that lead to them {said}"
    assert [row.rstrip() for row in rows] == [
        "  512  train.py:3  Head(512)(x)",
        "       2 more lines",
        "  256  models/head.py:7  self.fc = nn.Linear(256, 10)",
        '       "configs/my base.yaml":2  hidden: 512',
    ]


def test_values_that_the_same_lines_made_share_a_row() -> None:
    made = (LinePlace("models/head.py", 7),)
    values = (ConflictingValue("512", made), ConflictingValue("256", made))
    failure = replace(samples.MISMATCH, conflict=replace(samples.BOTH, values=values))
    text = shown(replace(samples.REPORT, failures=(failure,)))
    assert "  512, 256  models/head.py:7" in text


def test_sections_stand_in_reading_order() -> None:
    sure = replace(samples.MISMATCH, bug_type=Verdict("model", 0.95), conflict=samples.BOTH)
    text = shown(replace(samples.REPORT, failures=(sure, *samples.REPORT.failures[1:])))
    parts = (
        "Tensor Mismatch (97 %)",
        "most likely the structure or properties of the model",
        "Two values that do not fit",
        "Most suspicious places",
        " 1. models/head.py:7",
        "What usually helps",
        ' 2. "configs/my base.yaml":1',
        "Stack, outermost first",
        "1 other failure",
        "Not understood",
    )
    places = [text.find(part) for part in parts]
    assert -1 not in places
    assert places == sorted(places)


def test_what_says_little_is_left_out() -> None:
    text = shown(samples.REPORT)
    assert "inside the project's own files" not in text
    assert "By file" not in text
    assert "probably the structure" not in text
    assert "Trying the same job again" not in text
    sure = replace(samples.MISMATCH, origin=Verdict("intrinsic", 0.95))
    assert "almost certainly inside" in shown(replace(samples.REPORT, failures=(sure,)))
    outside = replace(samples.MISMATCH, origin=Verdict("extrinsic", 0.6))
    assert "outside the versioned code" not in shown(replace(samples.REPORT, failures=(outside,)))
    outside = replace(samples.MISMATCH, origin=Verdict("extrinsic", 0.8))
    assert "The cause may lie outside" in shown(replace(samples.REPORT, failures=(outside,)))
    unsure = replace(samples.MISMATCH, confidence=Confidence.UNSURE)
    said = shown(replace(samples.REPORT, failures=(unsure,)))
    assert "By file: models/head.py (95" in said


def test_that_a_device_reports_late_is_said_before_the_places() -> None:
    late = replace(samples.MISMATCH, reliable=False)
    text = " ".join(shown(replace(samples.REPORT, failures=(late,))).split())
    assert text.index("The device reports errors late") < text.index("Tensor Mismatch")


def test_suspects_show_code_with_the_line_marked_and_reasons_strongest_first() -> None:
    text = shown(samples.REPORT)
    assert "    > 7 │     self.fc = nn.Linear(256, 10)" in text.splitlines()
    assert "      6 │     super().__init__()" in text.splitlines()
    assert text.index("256 in the message stands here.") < text.index("The layer was called")


def test_an_order_that_cannot_be_trusted_is_introduced_as_such() -> None:
    unsure = replace(samples.MISMATCH, confidence=Confidence.UNSURE)
    assert "Not sure" in shown(replace(samples.REPORT, failures=(unsure,)))
    assert "Not sure" not in shown(samples.REPORT)


def test_a_caution_says_what_it_is_about() -> None:
    unsure = replace(samples.MISMATCH, confidence=Confidence.UNSURE)
    small = replace(unsure, suspects=(replace(unsure.suspects[0], score=0.2),))
    by_words = replace(small, by_report=True)
    for failure, is_of_tests in ((unsure, False), (small, True), (by_words, False)):
        text = shown(replace(samples.REPORT, failures=(failure,)))
        assert ("in tests, most first places" in text) == is_of_tests


def test_a_diagnosis_stands_below_the_message() -> None:
    known = replace(samples.MISMATCH, diagnosis="models/head.py:7: in_features should be 512")
    first, second = shown(replace(samples.REPORT, failures=(known,))).splitlines()[:2]
    assert first.startswith("RuntimeError")
    assert second == "Likely cause: models/head.py:7: in_features should be 512"


def test_library_frames_are_counted() -> None:
    stack = [(entry.place, entry.words) for entry in fold(samples.FRAMES, PathStyle())]
    assert stack == [
        ("train.py:3", "<module>  (line 5 in the log)"),
        ("", "… 2 library frames, down to torch/nn/modules/module.py:1562 _call_impl"),
        ("models/head.py:10", "forward"),
        ("", "… torch/nn/modules/linear.py:117 forward"),
    ]


@pytest.mark.parametrize(
    ("printed", "line", "place", "words"),
    [
        ("/x/net.py", 9, "net.py:9", "f"),
        ("/x/net.py", 7, "net.py:9", "f  (line 7 in the log)"),
        ("C:\\x\\net.py", 7, "net.py:9", "f  (line 7 in the log)"),
        ("Cell In[3]", 2, "net.py:9", "f  (Cell In[3], line 2 in the log)"),
        ("net.py", 0, "net.py", "f"),
    ],
)
def test_a_place_that_the_log_calls_otherwise_says_so(
    printed: str, line: int, place: str, words: str
) -> None:
    (entry,) = fold([ReportFrame(printed, line, "f", "net.py", 9)], PathStyle())
    assert (entry.place, entry.words) == (place, words)


@pytest.mark.parametrize(
    ("share", "shown"),
    [(0.0, "<1 %"), (0.001, "<1 %"), (0.01, "1 %"), (0.934, "93 %"), (2, "100 %")],
)
def test_percent(share: float, shown: str) -> None:
    assert percent(share) == shown


def test_recursion_is_folded() -> None:
    frame = ReportFrame("a.py", 2, "f", "a.py", 2)
    assert [entry.words for entry in fold([frame] * 900, PathStyle())] == ["f  (900 times)"]
    deep = [ReportFrame("a.py", n, "f", "a.py", n) for n in range(1, 200)]
    entries = fold(deep, PathStyle())
    assert len(entries) == 19
    assert entries[6].words == "… 181 more entries"
    assert entries[-1].place == "a.py:199"


def test_the_other_failure_takes_one_line() -> None:
    text = shown(samples.REPORT, 200)
    line = next(line for line in text.splitlines() if "DistBackendError" in line)
    assert line == (
        "  - torch.distributed.DistBackendError: Connection reset by peer "
        "(rank 0, host node1, line 50 of the log)"
    )


def test_without_an_exception_the_evidence_is_the_headline() -> None:
    text = shown(samples.SILENT)
    assert text.startswith("epoch 9 loss 2.3026\n")
    assert text.count("epoch 9 loss 2.3026") == 1


def test_an_empty_report_says_so() -> None:
    assert "No known failure was found" in shown(samples.EMPTY)


def test_paths_are_printed_behind_the_prefix() -> None:
    assert " 1. ../seg/models/head.py:7 " in shown(samples.REPORT, prefix="../seg/")


@pytest.mark.parametrize("width", [40, 60, 80, 120])
@pytest.mark.parametrize("report", samples.ALL.values(), ids=samples.ALL)
def test_lines_keep_the_width_unless_a_word_is_longer(report: Report, width: int) -> None:
    for line in shown(report, width).splitlines():
        assert display_width(line) <= width or _is_unbreakable(line), line


def _is_unbreakable(line: str) -> bool:
    """Stack entries, paths and words of a log stay whole, however narrow the terminal is."""
    return "… " in line or "(line " in line or max(map(display_width, line.split())) > 20


@pytest.mark.parametrize("report", samples.ALL.values(), ids=samples.ALL)
def test_colour_changes_nothing_but_colour(report: Report) -> None:
    plain = shown(report)
    coloured = shown(report, style=Style(True))
    assert SGR.sub("", coloured) == plain
    assert "\x1b" not in plain
    assert "\x1b" in coloured or report is samples.EMPTY


def test_nothing_of_a_hostile_log_reaches_the_terminal_raw() -> None:
    text = shown(samples.HOSTILE, style=Style(True))
    assert all(line.isprintable() for line in SGR.sub("", text).splitlines())
    for steering in ("\x1b]0;", "\x1b[2J", "\u202e", "\x07", "\x9b"):
        assert steering not in text
    text.encode("utf-8")


def test_a_long_message_is_cut_with_a_count() -> None:
    message = "\n".join(f"size mismatch for layer {n}" for n in range(300))
    failure = replace(samples.MISMATCH, exception=ExceptionText("RuntimeError", message))
    lines = shown(Report("/w", (failure,))).splitlines()
    assert lines[0] == "RuntimeError: size mismatch for layer 0"
    assert lines[1].startswith("Not certain")
    assert lines[13] == "… 289 more lines"
    # The line that stands whole above the places is not told again.
    assert lines[2:4] == ["", "size mismatch for layer 1"]


def test_what_failed_before_the_primary_failure_is_no_consequence_of_it() -> None:
    other, primary = samples.REPORT.failures
    assert primary.primary and other.span.first_line > primary.span.last_line
    assert "\n1 other failure, perhaps a consequence\n" in shown(samples.REPORT)
    earlier = replace(other, span=Span(1, 2))
    told = shown(replace(samples.REPORT, failures=(earlier, primary)))
    assert "\n1 other failure\n" in told


@pytest.mark.parametrize(
    ("first", "last", "numbers"),
    [(1, 1, [1]), (7, 7, [5, 6, 7, 8, 9]), (10, 40, [9, 10]), (99, 99, []), (0, 0, [])],
)
def test_excerpt_stays_inside_the_file(first: int, last: int, numbers: list[int]) -> None:
    got = excerpt(samples.FILES["models/head.py"], first, last, 80, PLAIN)
    found = [int(match) for line in got for match in re.findall(r"^\s+>?\s*(\d+) │", line)]
    assert found == numbers


def test_a_place_of_a_notebook_says_its_cell() -> None:
    cells = CellPlace(3, 7, 2), CellPlace(5, None, 1)
    places = [replace(samples.HEAD, file="a.ipynb", function=None, cell=cell) for cell in cells]
    failure = replace(samples.MISMATCH, suspects=tuple(places))
    text = shown(Report("/w", (failure,)), 100)
    assert "code cell 3 (In [7]), line 2" in text
    assert "code cell 5, line 1" in text


def test_places_that_hardly_count_are_counted_and_not_listed() -> None:
    suspects = (
        replace(samples.HEAD, score=0.89),
        *(replace(samples.CONFIG, rank=n, line=n, end_line=n, score=0.004) for n in range(2, 7)),
    )
    failure = replace(samples.MISMATCH, suspects=suspects, confidence=Confidence.LIKELY)
    text = shown(replace(samples.REPORT, failures=(failure,)), 120)
    assert [f" {n}. " in text for n in range(1, 7)] == [True] * 3 + [False] * 3
    assert "3 more places below 1 % (--format json has all)." in text
    unsure = replace(failure, confidence=Confidence.UNSURE)
    text = shown(replace(samples.REPORT, failures=(unsure,)), 120)
    assert " 6. " in text
    assert "below 1 %" not in text
    sure = replace(failure, suspects=(replace(samples.HEAD, score=0.9), *suspects[1:]))
    text = shown(replace(samples.REPORT, failures=(sure,)), 120)
    assert [f" {n}. " in text for n in range(1, 7)] == [True] + [False] * 5


def test_the_diagnosis_names_its_place_as_the_list_does() -> None:
    why = f"{samples.HEAD.file}:{samples.HEAD.line}: this layer takes 256"
    failure = replace(samples.MISMATCH, diagnosis=why, confidence=Confidence.LIKELY)
    text = shown(replace(samples.REPORT, failures=(failure,)), 120, prefix="project/")
    assert text.splitlines()[1] == "Likely cause: project/models/head.py:7: this layer takes 256"
    assert "\n 1. project/models/head.py:7" in text


def test_a_comprehension_at_its_function_s_line_is_no_entry_of_its_own() -> None:
    frames = (
        ReportFrame("net.py", 19, "forward", "net.py", 19),
        ReportFrame("net.py", 19, "<listcomp>", "net.py", 19),
        ReportFrame("net.py", 30, "<genexpr>", "net.py", 30),
    )
    entries = fold(frames, PathStyle())
    assert [(e.place, e.words) for e in entries] == [
        ("net.py:19", "forward"),
        ("net.py:30", "<genexpr>"),
    ]


def test_the_headline_leaves_out_what_stands_for_a_stack() -> None:
    lines = (
        "tensorflow.errors.NotFoundError: Graph execution error:",
        "Detected at node ReadFile defined at (most recent call last):",
        "<stack traces unavailable>",
        "data/images/DSC_0123.PNG; No such file or directory",
    )
    assert words.told(lines) == f"NotFoundError: Graph execution error: {lines[-1]}"
