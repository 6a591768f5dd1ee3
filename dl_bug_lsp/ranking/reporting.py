"""From clues to the report of one failure: suspects, files, and the evidence in words."""

from __future__ import annotations

import ast
import hashlib
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from dl_bug_lsp.bug_reports import BugReport, text_of
from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.rebound_names import (
    is_bound_in,
    is_of_order,
    takes_key_away,
)
from dl_bug_lsp.evidence.execution import EDITED
from dl_bug_lsp.evidence.followed_run import how_known
from dl_bug_lsp.evidence.interpreted_values import (
    UNNAMED,
    WORDLESS,
    Side,
    is_by_chance,
    sides,
)
from dl_bug_lsp.evidence.names import IMPLIED, SHARING
from dl_bug_lsp.evidence.numbers import OF_NUMBERS, OF_SIZES
from dl_bug_lsp.evidence.program_file import start_said
from dl_bug_lsp.evidence.raising.raise_sites import is_alone
from dl_bug_lsp.evidence.rank_divergence import ranks_parted
from dl_bug_lsp.evidence.training_rules.loop import WARNED
from dl_bug_lsp.messages import FactKind
from dl_bug_lsp.post_mortem.wording import variables
from dl_bug_lsp.provenance.slices import Step
from dl_bug_lsp.provenance.stack import header_expressions, statement_at
from dl_bug_lsp.ranking.fusion import (
    GENERIC,
    LEAST_SPECIFIC,
    Candidate,
    calibrated_shares,
    fuse,
    led_by_spectrum,
    shipped_weights,
    softmax,
    source_of,
)
from dl_bug_lsp.ranking.verdicts import bug_type_of, origin_of
from dl_bug_lsp.report import (
    UNSURE_SHARE,
    CellPlace,
    ChainStep,
    Confidence,
    Conflict,
    ConflictingValue,
    Evidence,
    ExceptionText,
    FailureReport,
    LinePlace,
    Options,
    ReportFrame,
    Suggestion,
    Suspect,
    SuspectFile,
    Variable,
)
from dl_bug_lsp.taxonomy.advising import advice
from dl_bug_lsp.taxonomy.classify import is_doubted
from dl_bug_lsp.taxonomy.retries import retry_may_help
from dl_bug_lsp.tracebacks.failures import SYNTAX_ERRORS
from dl_bug_lsp.workspace.contents import Place

if TYPE_CHECKING:
    from dl_bug_lsp.ranking.bug_report_ranking import ReportWeights

MAX_EVIDENCE = 5
# Kinds that only say that a value goes from a line to the failing one.
FLOWS = ("slice.", "outer_slice.", "config.setting", "config.outer_setting")
# Kinds that say the same of a line where nothing is known of the value but that it goes there.
FOLLOWED = ("interpretation.operand", "interpretation.origin", "interpretation.slice")
MAX_FRAMES = 200
QUOTED = re.compile(r"`[^`]*`")
MISSING_ATTRIBUTE = re.compile(r"object has no attribute '(\w+)'")


def failure_report(
    case: Case,
    clues: list[Clue],
    options: Options,
    prose: BugReport | None = None,
    outside: str | None = None,
) -> FailureReport:
    """Rank the clues' lines and say why, together with all else that is known of the failure.

    ``prose`` is the bug report that the failure stands in; then its words rank too. ``outside`` is
    the folder of another project, which the failure is of.
    """
    in_notebook = bool(case.places) and case.places[-1].file.endswith(".ipynb")
    fused = fuse(clues, case.category.id, in_notebook=in_notebook and not options.is_predicted)
    candidates = led_by_spectrum(fused, case)
    # With a spectrum or a report's prose other scores join in, whose shares are fitted apart.
    shares = _shares(candidates, calibrated=case.spectrum is None and prose is None)
    failure = case.failure
    cause = failure.cause
    exception = None
    if cause is not None:
        exception = ExceptionText(cause.type, cause.message)
    traced = list(zip(candidates, shares, strict=True))
    by_report = prose is not None and bool(case.workspace.python_files())
    if prose is not None and by_report:
        weights = _report_weights(options)
        from dl_bug_lsp.ranking.bug_report_ranking import report_places

        suspects, files = report_places(case, prose, weights, traced, options)
    else:
        shown = _one_a_statement(traced, options.top, case)
        suspects = tuple(
            _suspect(rank, candidate, share, case)
            for rank, (candidate, share) in enumerate(shown, 1)
        )
        files = _files(candidates, shares, options)
    confidence = _confidence(case, suspects, candidates)
    is_certain = not is_alone(case) and not _is_changed(case, suspects)
    if confidence is Confidence.LIKELY and not is_certain:
        confidence = Confidence.POSSIBLE
    is_told = confidence is Confidence.LIKELY or not suspects
    diagnosis = _diagnosis(case, suspects, candidates) if is_told else None
    return FailureReport(
        id=_identity(case),
        primary=failure.primary,
        category=case.category,
        bug_type=bug_type_of(case),
        origin=origin_of(case),
        exception=exception,
        process=failure.process,
        retry_may_help=retry_may_help(failure, case.category),
        span=failure.span,
        frames=_frames(case),
        suspects=with_chains(suspects, case),
        files=files,
        advice=advice(
            failure,
            case.category,
            _reasons(suspects),
            is_of_order=is_of_order(case),
            is_taken_away=takes_key_away(case),
            is_defined=_is_defined(case),
            is_known=diagnosis is not None and bool(suspects),
            is_doubted=prose is not None and is_doubted(case.category, text_of(case.log)),
        ),
        reliable=failure.reliable,
        confidence=confidence,
        complete=not case.engine.limits,
        diagnosis=diagnosis,
        outside=outside,
        ranks=ranks_parted(case),
        conflict=_conflict(case, candidates),
        by_report=by_report,
    )


MOST_MAKERS = 3
"""Places that are named of each of two values that do not fit."""


def _conflict(case: Case, candidates: list[Candidate]) -> Conflict | None:
    """Return the two values that do not fit, their places in the order of the candidates."""
    both = sides(case)
    if both is None:
        return None
    rank = {(c.file, c.line): at for at, c in enumerate(candidates)}
    common = both[0].places & both[1].places

    def by_rank(places: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
        return sorted(places, key=lambda place: (rank.get(place, len(rank)), place))

    def value(side: Side) -> ConflictingValue:
        own = _without_other_rows(case, by_rank(side.places - common or common), side.text)
        shown = tuple(LinePlace(*place) for place in own[:MOST_MAKERS])
        return ConflictingValue(side.text, shown, len(own) - len(shown))

    return Conflict((value(both[0]), value(both[1])), how_known(case))


def _without_other_rows(
    case: Case, places: list[tuple[str, int]], text: str
) -> list[tuple[str, int]]:
    """Return places with one line of data at most, where that can be one that holds the value.

    A value that was taken out of a table by its position may come from any of its rows.
    """
    code = [place for place in places if place[0].endswith((".py", ".ipynb"))]
    data = [place for place in places if place not in code]
    value = text.rpartition(" ")[2]
    holding = [
        place
        for place in data
        if value in re.findall(r"[\w.-]+", case.workspace.source_line(*place))
    ]
    kept = {*code, *(holding or data)[:1]}
    return [place for place in places if place in kept]


LIKELY_SHARE = 0.65
"""From here on about four first places in five are right, on failures of programs not read."""


def _confidence(
    case: Case, suspects: tuple[Suspect, ...], candidates: list[Candidate]
) -> Confidence:
    """Return how far the order can be trusted, by the first place's share and its evidence."""
    if not suspects or suspects[0].score < UNSURE_SHARE:
        return Confidence.UNSURE
    first = _candidate_of(suspects[0], candidates)
    places = [(place.file, place.line) for place in case.places[-1:]]
    at_raise_site = (suspects[0].file, suspects[0].line) in places
    is_high = suspects[0].score >= LIKELY_SHARE
    is_named = case.class_name in SYNTAX_ERRORS and at_raise_site and not case.library_frames
    if first is not None and first.specific < LEAST_SPECIFIC and not is_named:
        # The statement of a cell that raises is to blame often enough without another sign.
        is_probable = is_high and at_raise_site and suspects[0].file.endswith(".ipynb")
        return Confidence.POSSIBLE if is_probable else Confidence.UNSURE
    return Confidence.LIKELY if first is not None and is_high else Confidence.POSSIBLE


def _is_changed(case: Case, suspects: tuple[Suspect, ...]) -> bool:
    """Say whether what failed, or the first place, is no more what it was in the run."""
    failed = [(place.file, place.line) for place in case.places[-1:]]
    first = [(suspect.file, suspect.line) for suspect in suspects[:1]]
    return not case.edited.isdisjoint((*failed, *first))


def _candidate_of(suspect: Suspect, candidates: list[Candidate]) -> Candidate | None:
    place = (suspect.file, suspect.line)
    return next((c for c in candidates if (c.file, c.line) == place), None)


def _diagnosis(
    case: Case, suspects: tuple[Suspect, ...], candidates: list[Candidate]
) -> str | None:
    """Return the first place and the specific reason that speaks most for it, as one sentence.

    A reason that only says where something shows is none. Without a place it is the command, where
    that is known.
    """
    start = start_said(case)
    if start is not None or not suspects:
        place = f"{suspects[0].file}:{suspects[0].line}: " if suspects else ""
        return f"{place}{start}" if start is not None else None
    first = _candidate_of(suspects[0], candidates)
    clues = first.clues if first is not None else ()
    least = _least_told(clues)
    reasons = [
        clue
        for clue, part in clues
        if part > 0
        and part >= least
        and not clue.kind.startswith(GENERIC)
        and not clue.why.startswith(WARNED)
        and not clue.why.endswith((OF_SIZES, OF_NUMBERS))
        and not clue.why.startswith(UNNAMED)
        and not _only_names(clue)
        and clue.kind not in BESIDE
    ]
    # A sentence that says what is wrong comes before one that says what stands here, and both
    # before one on a name that the message does not say.
    reasons.sort(
        key=lambda c: (
            IMPLIED in c.why,
            _is_weak(c, case),
            c.kind.startswith("repair.followed"),
            c.suggestion is None,
            c.kind.startswith("interpretation."),
        )
    )
    why = reasons[0].why if reasons else None
    return f"{suspects[0].file}:{suspects[0].line}: {why}" if why else None


def _is_defined(case: Case) -> bool:
    """Whether a file of the stack defines the function, or the name, that is missing."""
    if case.category.id == "undefined_variable":
        names = [str(fact.value) for fact in case.facts.of(FactKind.NAME)]
        files = {place.file for place in case.places}
        return any(is_bound_in(case, file, name) for file in files for name in names)
    missing = MISSING_ATTRIBUTE.search(case.message)
    if missing is None or case.category.id != "attribute_not_found":
        return False
    definition = re.compile(rf"^\s+(?:async )?def {re.escape(missing[1])}\(", re.MULTILINE)
    files = {place.file for place in case.places}
    return any(definition.search(case.workspace.text(file) or "") for file in files)


def _reasons(suspects: tuple[Suspect, ...]) -> str:
    """Return what the evidence of the first place says, without what it quotes of the code."""
    first = suspects[0].evidence if suspects else ()
    return " ".join(QUOTED.sub(" ", evidence.why) for evidence in first)


def _report_weights(options: Options) -> ReportWeights:
    # Imported late: it needs numpy.
    from dl_bug_lsp.ranking.bug_report_ranking import report_weights, shipped_report_weights

    weights = options.weights.get("reports") if options.weights is not None else None
    return report_weights(weights) if weights is not None else shipped_report_weights()


def _shares(candidates: list[Candidate], *, calibrated: bool) -> list[float]:
    """Return each candidate's probability of being the cause."""
    scores = [candidate.score for candidate in candidates]
    weights = shipped_weights()
    if not calibrated or not candidates:
        return softmax(scores, weights.sharpness)
    return calibrated_shares(scores, weights, candidates[0].sources)


def _one_a_statement(
    traced: list[tuple[Candidate, float]], top: int, case: Case
) -> list[tuple[Candidate, float]]:
    """Return the first ``top`` places (0: all), without further lines of a statement.

    A line that is a place for a reason of its own, an argument for instance, stays one; one whose
    values only go on from there says nothing that the statement's first place does not.
    """
    chosen: list[tuple[Candidate, float]] = []
    seen: set[tuple[str, int]] = set()
    for candidate, share in traced:
        if top and len(chosen) == top:
            break
        start = _call_start(candidate, case)
        if start is not None and (candidate.file, start) in seen and _only_flows(candidate):
            continue
        if start is not None:
            seen.add((candidate.file, start))
        chosen.append((candidate, share))
    return chosen


def _only_flows(candidate: Candidate) -> bool:
    return all(c.kind.startswith((*FLOWS, *GENERIC)) for c, part in candidate.clues if part > 0)


def _call_start(candidate: Candidate, case: Case) -> int | None:
    """Return the first line of the statement of several lines that a place lies in, None of others.

    The lines of a literal (a table of settings, a list of layers) are places of their own.
    """
    if not candidate.file.endswith((".py", ".ipynb")):
        return None
    statement = statement_at(case.engine, candidate.file, candidate.line)
    kinds = (ast.Assign, ast.AnnAssign, ast.Expr, ast.Return)
    if not isinstance(statement, kinds) or statement.lineno == statement.end_lineno:
        return None
    literals = (ast.Dict, ast.List, ast.Tuple, ast.Set)
    for node in ast.walk(statement):
        if isinstance(node, literals) and node.lineno < (node.end_lineno or 0):
            return None
    return statement.lineno


def _suspect(rank: int, candidate: Candidate, share: float, case: Case) -> Suspect:
    return Suspect(
        rank=rank,
        file=candidate.file,
        line=candidate.line,
        end_line=candidate.line,
        function=case.workspace.enclosing_function(candidate.file, candidate.line),
        # Rounded down, so that the shares of many places do not add up to more than 1.
        score=math.floor(share * 10_000 + 1e-6) / 10_000,
        evidence=_evidence(candidate, case),
        cell=_cell(candidate, case),
        suggestion=_suggestion(candidate, case),
    )


def _suggestion(candidate: Candidate, case: Case) -> Suggestion | None:
    """Return the strongest clue's edit, where it replaces what stands once in the line."""
    for clue, part in candidate.clues:
        edit = clue.suggestion
        if edit is None or part <= 0 or (edit.file, edit.line) != (candidate.file, candidate.line):
            continue
        if not edit.old or not edit.new or edit.old == edit.new or candidate.file.endswith("nb"):
            continue
        lines = case.workspace.lines(candidate.file)
        before = lines[candidate.line - 1] if candidate.line <= len(lines) else ""
        whole = rf"(?<!\w){re.escape(edit.old)}(?!\w)" if edit.old.isidentifier() else None
        matches = list(re.finditer(whole or re.escape(edit.old), before))
        if len(matches) == 1:
            start, end = matches[0].span()
            return Suggestion(before, before[:start] + edit.new + before[end:])
    return None


def _cell(candidate: Candidate, case: Case) -> CellPlace | None:
    """Return where a line of a notebook stands in its cell; None in any other file."""
    for cell in case.workspace.cells(candidate.file) if candidate.file.endswith(".ipynb") else ():
        if candidate.line in cell.raw:
            line = cell.raw.index(candidate.line) + 1
            return CellPlace(cell.number, cell.execution_count, line)
    return None


_CODE = re.compile(r"`[^`]+`")
_LINK = "goes into"
_NUMBER_TYPE = re.compile(r"\b(?:u?int|float)\d+\b")
_NUMBERS = "numbers."
_LITERALS = frozenset(("numbers.literal", "config.number"))
"""Kinds that only say that a number stands in the message too."""


def _repeats(clue: Clue, sentences: set[str], candidate: Candidate) -> bool:
    """Say whether another sentence tells the same of the same expressions."""
    if clue.kind in _LITERALS:
        kinds = {c.kind for c, part in candidate.clues if part > 0 and c.kind not in _LITERALS}
        return any(kind.startswith(_NUMBERS) for kind in kinds)
    types = set(_NUMBER_TYPE.findall(clue.why))
    if types and any(types == set(_NUMBER_TYPE.findall(other)) for other in sentences):
        return True
    made = _NUMBER_TYPE.findall(_CODE.sub("", clue.why))
    if made and any(made == _NUMBER_TYPE.findall(_CODE.sub("", other)) for other in sentences):
        return True
    if any(_tells_the_same(clue.why, other) for other in sentences):
        return True
    if _LINK not in clue.why:
        return False
    named = set(_CODE.findall(clue.why))
    return any(named == set(_CODE.findall(other)) and _LINK in other for other in sentences)


_PLAIN_WORD = re.compile(r"[a-z]{4,}")
_SHARED_WORDS = 2
"""Longer words that two sentences on the same code share where they tell the same."""
_AS_TEXT = re.compile(r"\b(?:text|str)\b")


def _tells_the_same(why: str, other: str) -> bool:
    """Say whether two sentences tell one fact: of the same code, and in the same words.

    That a value is text is one fact, in whatever words it is told.
    """
    codes, others = _CODE.findall(why), _CODE.findall(other)
    if not codes or not others or codes[0] != others[0] or _LINK in why:
        return False
    plain, plain_other = _CODE.sub("", why), _CODE.sub("", other)
    if _AS_TEXT.search(plain) and _AS_TEXT.search(plain_other):
        return True
    shared = set(_PLAIN_WORD.findall(plain)) & set(_PLAIN_WORD.findall(plain_other))
    return codes == others and len(shared) >= _SHARED_WORDS


def _longest_flow(candidate: Candidate) -> str | None:
    """Return the one sentence to show of those that only say where a line's values go."""
    flows = [c.why for c, part in candidate.clues if part > 0 and c.kind.startswith(FLOWS)]
    return max(flows, key=_length_of_subject, default=None)


def _length_of_subject(why: str) -> int:
    """Return how long the expression of a sentence is; a shortened one counts as the longest."""
    subject = why.partition("` ")[0].partition("`) ")[0]
    return len(subject) + (1_000 if "…" in subject else 0)


def _evidence(candidate: Candidate, case: Case) -> tuple[Evidence, ...]:
    """Return the clues that add most, one for each sentence, with their shares of the sum.

    What the failure's own headline says is not said again.
    """
    evidence = _evidence_of(candidate, case)
    headline = {f.why for f in case.diagnosis.findings} if case.diagnosis is not None else set()
    return tuple(replace(e, why=RECORDED) if e.why in headline else e for e in evidence)


RECORDED = "the recording of the training leads to this line"
"""What is said of a place in place of the failure's headline."""


WEAK = (
    *(*FLOWS, "stack_trace.", "naturalness.", "interpretation.slice"),
    *("rules.reshape", "rules.layer", "rules.join", "rules.shift", "config.written"),
)
"""Kinds whose sentences say that a line is on the way, which most lines near a failure are."""


BESIDE_CHANGE = 0.25
"""What a sentence adds at least that is told, as a share of an edit that passes."""


def _least_told(clues: Iterable[tuple[Clue, float]]) -> float:
    """Return what a sentence must add to be told in place of an edit that passes."""
    changes = [part for clue, part in clues if clue.why.startswith(UNNAMED)]
    return max(changes, default=0.0) * BESIDE_CHANGE


_SMALL = re.compile(rf"^`[0-2]` is (?:{OF_SIZES}|{OF_NUMBERS})$")
"""What is said of numbers that stand in nearly every program."""


BESIDE = frozenset(("rules.unused_parameter", "rules.same_shape"))
"""Kinds that lead to lines with the cause and do not say what it is."""


def _only_names(clue: Clue) -> bool:
    """Whether a sentence says that a name of the message stands here, and not that it is wrong."""
    if clue.kind.startswith("names.near"):
        return f" {SHARING} " in clue.why
    return clue.kind.startswith("names.")


def _is_weak(clue: Clue, case: Case) -> bool:
    """Whether a clue's sentence tells little beside one about what is wrong."""
    if clue.kind == "rules.join_default_axis" or clue.why.endswith(EDITED):
        return False
    if is_by_chance(case, clue) or _SMALL.match(clue.why):
        return True
    if clue.kind in FOLLOWED:
        return clue.why.startswith(WORDLESS)
    return clue.kind.startswith(WEAK) or clue.why.startswith(UNNAMED)


def _evidence_of(candidate: Candidate, case: Case) -> tuple[Evidence, ...]:
    total = math.fsum(part for _, part in candidate.clues if part > 0) or 1.0
    chosen: list[Evidence] = []
    sentences: set[str] = set()
    flow = _longest_flow(candidate)
    counting = [(clue, part) for clue, part in candidate.clues if part > 0 and clue.why]
    least = _least_told(candidate.clues)
    tells_more = any(not _is_weak(clue, case) and part >= least for clue, part in counting)
    for clue, part in candidate.clues:
        if _is_weak(clue, case) and (tells_more or chosen):
            continue
        if (
            len(chosen) == MAX_EVIDENCE
            or not clue.why
            or clue.why in sentences
            or _repeats(clue, sentences, candidate)
        ):
            continue
        if clue.kind.startswith(FLOWS) and clue.why != flow:
            continue
        if clue.kind in FOLLOWED and flow is not None and clue.why.startswith(WORDLESS):
            continue
        if part <= 0 and chosen:
            break
        sentences.add(clue.why)
        share = min(1.0, max(0.0, part / total))
        chosen.append(Evidence(source_of(clue.kind), round(share, 4), clue.why))
    return tuple(chosen)


def _files(
    candidates: list[Candidate], shares: list[float], options: Options
) -> tuple[SuspectFile, ...]:
    """Rank files by the summed probability of their lines."""
    totals: dict[str, float] = {}
    for candidate, share in zip(candidates, shares, strict=True):
        totals[candidate.file] = totals.get(candidate.file, 0.0) + share
    ordered = sorted(totals.items(), key=lambda item: (-item[1], item[0]))
    if options.top_files:
        ordered = ordered[: options.top_files]
    return tuple(
        SuspectFile(rank, file, round(min(1.0, total), 4))
        for rank, (file, total) in enumerate(ordered, 1)
    )


def _frames(case: Case) -> tuple[ReportFrame, ...]:
    frames: list[ReportFrame] = []
    for frame, place in case.located[:MAX_FRAMES]:
        frames.append(
            ReportFrame(
                frame.file,
                frame.line,
                frame.function,
                place.file if place else None,
                place.line if place else None,
                place is not None and case.workspace.is_mapped(frame.file),
                _variables(case, place) if place else (),
                place is not None and place.edited,
            )
        )
    return tuple(frames)


def _variables(case: Case, place: Place) -> tuple[Variable, ...]:
    """Return what the variables held that the statement of a frame reads, where it was recorded."""
    frame = case.recorded.get((place.file, place.line))
    if frame is None:
        return ()
    statement = statement_at(case.engine, place.file, place.line)
    if statement is None:
        return ()
    read = variables(header_expressions(statement), frame.names)
    return tuple(Variable(name, value) for name, value in read)


def _identity(case: Case) -> str:
    """Return a hash that the same failure keeps in other runs and on other machines."""
    parts = [case.category.id, case.class_name, case.message.split("\n")[0]]
    parts.extend(f"{p.file}:{p.function}" for p in case.places)
    return hashlib.sha256("\n".join(parts).encode("utf-8", "replace")).hexdigest()[:16]


# -------------------------------------------------------------- chains from a place to the failure
MOST_SUSPECTS = 10
"""The first suspects of a failure, which get a chain."""
MOST_STEPS = 8
"""Steps of a chain; of a longer one its middle is left out."""


def with_chains(suspects: tuple[Suspect, ...], case: Case) -> tuple[Suspect, ...]:
    """Return the suspects, the first of them with the steps that lead to the failing expression."""
    if not suspects or not case.starts:
        return suspects
    nearest: dict[tuple[str, int], Step] = {}
    for step in _steps(case):
        nearest.setdefault((step.node.file, step.node.line), step)
    chains = {
        place: _chain(nearest[place])
        for s in suspects[:MOST_SUSPECTS]
        if (place := (s.file, s.line)) in nearest
    }
    return tuple(replace(s, chain=chains.get((s.file, s.line), ())) for s in suspects)


def _steps(case: Case) -> Iterator[Step]:
    """Yield the steps of the slices, those first that decide what the message complains of."""
    yield from (step for step in case.property_slice if step.decides)
    yield from case.raise_slice
    for steps in case.outer_slices:
        yield from steps


def _chain(step: Step) -> tuple[ChainStep, ...]:
    """Return the steps from a step's place to where its slice starts.

    Of each line it is the first expression; of the line where the slice starts, the whole one.
    """
    steps_by_place: dict[tuple[str, int], ChainStep] = {}
    way = step.way()
    for step_before in reversed(way):
        node = step_before.node
        if node.line > 0 and node.text:
            steps_by_place.setdefault(
                (node.file, node.line), ChainStep(node.file, node.line, node.text)
            )
    start = way[0].node
    if (start.file, start.line) in steps_by_place and start.text:
        steps_by_place[start.file, start.line] = ChainStep(start.file, start.line, start.text)
    chain = tuple(steps_by_place.values())
    if len(chain) < 2:
        return ()
    if len(chain) <= MOST_STEPS:
        return chain
    return (*chain[: MOST_STEPS // 2], *chain[-MOST_STEPS // 2 :])
