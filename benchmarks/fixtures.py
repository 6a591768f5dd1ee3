"""Try `localize` on recorded failures whose causes are known, beside simple baselines.

    python benchmarks/fixtures.py [--cases FOLDER ...] [--left-out] [--totals] [--detail OUT.json]

A FOLDER holds cases as ``fixtures/`` does (the default). The weights that ship were trained on the
fixtures: their figures there are in sample. ``--left-out`` trains the ranking anew for each program
on the cases of all other programs and tells those figures too.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import scoring
from scoring import Answer, Case, Line, Score

from dl_bug_lsp.localize import localize
from dl_bug_lsp.report import Confidence, FailureReport, Options
from dl_bug_lsp.taxonomy.categories import category
from dl_bug_lsp.workspace import Workspace

if TYPE_CHECKING:
    from train_ranking import Example

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
ALL_LINES = Options(top=100_000)
STRENGTH = 6.0
"""The L2 penalty that `train_ranking` uses where it is told none."""

OURS, LEFT_OUT = "localize", "  program left out"
INNERMOST, TYPE_TABLE = "innermost frame first", "exception type in a table"
VERDICTS = ("category", "bug_type", "origin")
SPEAKS = {OURS: VERDICTS, LEFT_OUT: (), INNERMOST: (), TYPE_TABLE: VERDICTS}

TYPES = {
    "ArrowInvalid": "corrupt_data",
    "AttributeError": "attribute_not_found",
    "BrokenProcessPool": "process_killed",
    "ConcretizationTypeError": "framework_api_misuse",
    "ConnectionError": "communication_failure",
    "ConnectionRefusedError": "communication_failure",
    "DistNetworkError": "communication_failure",
    "EOFError": "corrupt_data",
    "FileNotFoundError": "path_not_found",
    "FloatingPointError": "loss_nan",
    "ImportError": "library_not_found",
    "IndentationError": "syntax_error",
    "IndexError": "illegal_index",
    "InvalidArgumentError": "tensor_mismatch",
    "JSONDecodeError": "corrupt_data",
    "KeyError": "key_not_found",
    "MemoryError": "cpu_out_of_memory",
    "MisconfigurationException": "framework_api_misuse",
    "ModuleNotFoundError": "library_not_found",
    "NameError": "undefined_variable",
    "NotADirectoryError": "path_not_found",
    "NotFittedError": "framework_api_misuse",
    "NotImplementedError": "not_implemented",
    "OSError": "path_not_found",
    "OutOfMemoryError": "gpu_out_of_memory",
    "ParserError": "syntax_error",
    "PermissionError": "permission_denied",
    "ResourceExhaustedError": "gpu_out_of_memory",
    "RuntimeError": "tensor_mismatch",
    "ScannerError": "syntax_error",
    "SyntaxError": "syntax_error",
    "TabError": "syntax_error",
    "TimeoutError": "communication_failure",
    "TypeError": "type_mismatch",
    "UnboundLocalError": "undefined_variable",
    "UnicodeDecodeError": "unexpected_encoding",
    "UnicodeEncodeError": "unexpected_encoding",
    "UnpicklingError": "corrupt_data",
    "ValueError": "illegal_argument",
    "ZeroDivisionError": "division_by_zero",
}
"""What a class of exceptions most often means, from general knowledge: the baseline's table."""


@dataclass
class Trial:
    """What each method said of one case, and what was right about it."""

    case: Case
    answers: dict[str, Answer]
    error: str | None = None
    confidence: str = ""
    """What the report says of its first place, empty without one."""

    @property
    def scores(self) -> dict[str, Score]:
        """The judgement of each method."""
        return {m: scoring.score(self.case, a, SPEAKS[m]) for m, a in self.answers.items()}


def try_case(case: Case) -> Trial:
    """Localize one recorded failure, all from the log and the workspace; an exception is a miss."""
    workspace = Workspace(case.folder / "workspace", cache=False)
    try:
        report = localize((case.folder / "log.txt").read_bytes(), workspace, ALL_LINES).primary
        error = None
    except Exception as raised:
        place = traceback.extract_tb(raised.__traceback__)[-1]
        where = f"{Path(place.filename).parent.name}/{Path(place.filename).name}:{place.lineno}"
        report, error = None, f"{type(raised).__name__}: {raised} ({where})"
    if report is None:
        return Trial(case, {m: Answer(()) for m in (OURS, INNERMOST, TYPE_TABLE)}, error)
    frames = [
        (frame.workspace_file, frame.workspace_line)
        for frame in report.frames
        if frame.workspace_file is not None and frame.workspace_line is not None
    ]
    ours = Answer(
        tuple((suspect.file, suspect.line) for suspect in report.suspects),
        report.category.id,
        report.bug_type.id,
        report.origin.id,
    )
    innermost = Answer(tuple(reversed(frames)))
    answers = {OURS: ours, INNERMOST: innermost, TYPE_TABLE: from_table(report, tuple(frames))}
    return Trial(case, answers, confidence=report.confidence.value if report.suspects else "")


def from_table(report: FailureReport, frames: tuple[Line, ...]) -> Answer:
    """Answer from the exception's class alone; the lines are the frames, outermost first."""
    name = report.exception.type.rpartition(".")[2] if report.exception else ""
    if name not in TYPES:
        return Answer(frames)
    found = category(TYPES[name])
    return Answer(frames, found.id, found.bug_type, found.origin)


def add_left_out(trials: list[Trial], tops: Sequence[Path], strength: float) -> None:
    """Rank each case's lines with weights that were trained on all other programs' cases."""
    from train_ranking import Model, example_of

    wanted = {trial.case.folder: trial for trial in trials}
    examples: dict[Path, Example] = {}
    for folder in scoring.case_folders(tops):
        try:
            example = example_of(folder)
        except Exception:  # Told by try_case already.
            example = None
        if example is not None:
            examples[folder] = example
    for trial in trials:
        trial.answers[LEFT_OUT] = Answer(())
    programs = {examples[folder].program for folder in wanted if folder in examples}
    for program in sorted(programs):
        rest = [e for e in examples.values() if e.program != program]
        model = Model(rest, strength).fit(rest)
        for folder, example in examples.items():
            if example.program == program and folder in wanted:
                scores = model.scores(example)
                ranked = sorted(
                    zip(scores.tolist(), example.places, strict=True),
                    key=lambda pair: (-round(pair[0], 9), pair[1]),
                )
                wanted[folder].answers[LEFT_OUT] = Answer(tuple(place for _, place in ranked))


def groups(trials: list[Trial]) -> list[tuple[str, list[Trial]]]:
    """Return the groups of cases that are told in full."""
    kinds: dict[str, Callable[[Case], bool]] = {
        "all cases": lambda _: True,
        "raised elsewhere than the cause": lambda case: case.is_raised_elsewhere,
        "best cause outside Python": lambda case: case.is_outside_python,
        "silent": lambda case: case.silent,
    }
    return [(name, [t for t in trials if test(t.case)]) for name, test in kinds.items()]


def print_group(name: str, trials: list[Trial], methods: Sequence[str]) -> None:
    """Print one row of figures for each method."""
    if not trials:
        return
    print(f"{f'{name} ({len(trials)})':40}" + "".join(f"{column:>9}" for column in scoring.COLUMNS))
    for method in methods:
        figures = scoring.row([trial.scores[method] for trial in trials])
        print(f"  {method:38}" + "".join(f"{figure:>9}" for figure in figures))


def print_short(title: str, trials: list[Trial], key: Callable[[Case], str]) -> None:
    """Print, for each value of ``key``, how many of its cases are right: groups are small."""
    methods = [method for method in (OURS, LEFT_OUT, INNERMOST) if method in trials[0].answers]
    print(f"\n{'':24}{'':>11}" + "".join(f"  {method.strip():>24}" for method in methods))
    cuts = "".join(f"{f'@{cut}':>6}" for cut in scoring.LINE_CUTS)
    print(f"{title:24}{'n':>4}{'cat.':>7}" + f"  {cuts}" * len(methods))
    for value in sorted({key(trial.case) for trial in trials}):
        part = [trial.scores for trial in trials if key(trial.case) == value]
        right = sum(bool(scores[OURS].category) for scores in part)
        line = f"{value:24}{len(part):4}{right:7}"
        for method in methods:
            ranks = [scores[method].line_rank for scores in part]
            found = [round(scoring.hits(ranks, cut) * len(ranks)) for cut in scoring.LINE_CUTS]
            line += "  " + "".join(f"{count:6}" for count in found)
        print(line)


def print_confidence(trials: list[Trial]) -> None:
    """Print how often first places are causes, by how sure the reports are of them."""
    print("\nfirst places that are causes, by what the report says of them")
    for confidence in Confidence:
        part = [t.scores[OURS].line_rank == 1 for t in trials if t.confidence == confidence.value]
        print(f"  {confidence.value:24}{sum(part):4} of {len(part)}")


def detail(trial: Trial) -> dict[str, object]:
    """Return all that is known of one trial, for a program to read."""
    case = trial.case
    methods = {
        method.strip(): {
            "answer": {name: getattr(answer, name) for name in SPEAKS[method]},
            "right": asdict(trial.scores[method]),
            "lines": [list(line) for line in answer.lines[:10]],
        }
        for method, answer in trial.answers.items()
    }
    return {
        "case": case.name,
        "category": case.category,
        "category_alt": sorted(case.alternatives),
        "bug_type": case.bug_type,
        "origin": case.origin,
        "framework": case.framework,
        "format": case.format,
        "silent": case.silent,
        "raised_elsewhere": case.is_raised_elsewhere,
        "outside_python": case.is_outside_python,
        "causes": [list(line) for line in case.causes],
        "error": trial.error,
        "methods": methods,
    }


def print_misses(trials: list[Trial]) -> None:
    """List the cases that `localize` failed on, found nothing in, or classed wrongly."""
    for trial in trials:
        answer = trial.answers[OURS]
        case = trial.case
        if trial.error:
            print(f"  {case.name:38}  raised {trial.error}")
        elif answer.category is None:
            print(f"  {case.name:38}  no failure found")
        elif answer.category != case.category:
            also = " (accepted)" if answer.category in case.alternatives else ""
            print(f"  {case.name:38}  {answer.category}{also}, is {case.category}")


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", nargs="+", type=Path, default=[FIXTURES], metavar="FOLDER")
    parser.add_argument("--left-out", action="store_true", help="train without each program too")
    parser.add_argument("--strength", type=float, default=STRENGTH, help="its L2 penalty")
    parser.add_argument("--detail", type=Path, metavar="OUT.json", help="write each case's result")
    parser.add_argument("--only", type=re.compile, metavar="REGEX", help="cases by their names")
    parser.add_argument(
        "--totals", action="store_true", help="print no case's name: for programs that nobody reads"
    )
    return parser.parse_args()


def main() -> int:
    """Try every case and print the tables."""
    args = parse_arguments()
    folders = scoring.case_folders(args.cases)
    if not folders:
        sys.exit("no cases there: a case is a folder NNN-slug with truth.json, log.txt, workspace")
    cases = [scoring.read_case(f) for f in folders if not args.only or args.only.search(f.name)]
    if not cases:
        sys.exit(f"no case's name matches {args.only.pattern}")
    trials = [try_case(case) for case in cases]
    methods = [OURS, INNERMOST, TYPE_TABLE]
    if args.left_out:
        add_left_out(trials, args.cases, args.strength)
        methods.insert(1, LEFT_OUT)
    known = sum(case.folder.resolve().parent == FIXTURES for case in cases)
    print(
        f"{len(cases)} cases, {known} of them from fixtures/. The row '{OURS}' uses the shipped\n"
        "weights: IN SAMPLE for the cases that these were trained on, as they were on fixtures/."
    )
    if args.left_out:
        print(
            f"The row '{LEFT_OUT.strip()}' ranks with weights that were trained on these\n"
            "folders, each time WITHOUT the cases of the program in question. It has no verdicts\n"
            "of its own: categories do not depend on these weights."
        )
    for name, part in groups(trials):
        print()
        print_group(name, part, methods)
    print_confidence(trials)
    print_short("by framework", trials, lambda case: case.framework)
    print_short("by format", trials, lambda case: case.format)
    if not args.totals:
        print("\nno failure found, or another category:")
        print_misses(trials)
    errors = [trial for trial in trials if trial.error]
    print(f"\nlocalize raised an exception in {len(errors)} of {len(trials)} cases")
    if args.detail:
        text = json.dumps([detail(trial) for trial in trials], indent=1, ensure_ascii=False)
        args.detail.write_text(text + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
