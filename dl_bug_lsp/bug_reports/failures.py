"""Bug reports: prose without a traceback, taken as the description of one failure."""

from __future__ import annotations

import re

from dl_bug_lsp.bug_reports.reader import is_sentence
from dl_bug_lsp.logs.log import Log, Span
from dl_bug_lsp.messages import MessageFacts, extract_facts
from dl_bug_lsp.report import CategoryVerdict
from dl_bug_lsp.signals import read_metrics
from dl_bug_lsp.taxonomy.categories import category
from dl_bug_lsp.tracebacks import Cause, Failure, FailureKind, Relation

MIN_WORDS = 4
"""Fewer words than this describe nothing."""
_WORDS = re.compile(r"[^\W\d_\u3040-\u9fff]+|[\u3040-\u9fff]")
"""Words; a character of a script without blanks counts as one."""
_GROWS = r"(?:increas|rise|rising|grow|go(?:es|ing)? up|goes higher)\w*"
_FALLS = (
    r"(?:decreas|drop|declin|go(?:es|ing)? down|reduc|improv|converg|chang|fall"
    r"|(?:(?:get|go|becom)\w* )?(?:any )?(?:lower|smaller))"
)
_RISES = r"(?:increas|improv|go(?:es|ing)? up|rise|chang|better)"
_NOT = r"(?:(?:does|did|is|ca|wo) ?n['’o]?t|do not|don't|never|not|no longer)"
_STAYS = (
    r"(?:(?:stays?|stayed|remains?|remained|keeps?|kept|stuck) (?:\w+ ){0,2}(?:at|around|near)\b"
    r"|(?:stays?|stayed|is|are|was|gets?|got|remains?|remained|keeps?|kept|being|becomes?) "
    r"(?:\w+ ){0,2}(?:stuck|constant|fixed|the same|unchanged|flat|zero|0(?:\.0+)?(?![.\d]))"
    r"|(?:is|are|was|were) (?:always|constantly|still) (?:\w+ )?(?:at|around|near)\b)"
)
_NOT_FALLING = (
    r"不下降|不降|没有下降|没有降|不再下降|降不下|没有往下|不减|不收敛|不变|没有变化|居高不下|不动"
)
_ACCURACY = r"(?<![a-z])acc(?:uracy)?"
_ANSWERS = r"(?:predict\w*|classif\w+|outputs?|generates?)"
_ANSWERED = r"(?:class|label|categor\w+|values?|outputs?|results?|predictions?|token|word)"
_MAIN_MEMORY = r"(?<!gpu )\b(?:RAM|(?:CPU|main|system|host) memory)\b"
_NO_NUMBER = r"(?<![a-z])(?:nans?|inf(?:s|inity)?)(?![a-z])"
DESCRIBED: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (id, re.compile("|".join(patterns), re.IGNORECASE))
    for id, *patterns in (
        (
            "loss_nan",
            rf"loss.{{0,60}}{_NO_NUMBER}",
            rf"(?:损失|训练|迭代|梯度|損失|학습|손실|потер|обучени)[^。\n]{{0,40}}{_NO_NUMBER}",
            rf"{_NO_NUMBER}[^。\n]{{0,20}}(?:损失|训练|梯度|損失|학습|손실)",
            r"\boverflow (?:was )?(?:detected|occurred)[^\n]{0,60}\bloss[ _]?scaler? to:? ?"
            r"(?:0\.00|\d(?:\.\d+)?e-)",
            rf"{_NO_NUMBER}.{{0,40}}(?:loss|logit|gradient|epoch|iteration|training|discriminator)",
            rf"\b(?:discriminator|generator|logits?|gradients?|weights)\b.{{0,60}}"
            rf"\b(?:is|are|gets?|gives?|returns?|becomes?|turns?) (?:all )?{_NO_NUMBER}",
        ),
        (
            "overfitting",
            r"\boverfit",
            rf"\b(?:val(?:idation)?|test|eval)[ _]loss[^.\n]{{0,100}}\b{_GROWS}\b",
        ),
        (
            "loss_divergence",
            rf"\bloss(?:es)? .{{0,20}}(?:explod|diverg|{_GROWS}\b)",
            r"\btraining (?:\w+ ){0,2}diverge",
        ),
        (
            "loss_stagnation",
            rf"(?<![a-z])loss(?:es)?\b.{{0,30}}\b{_NOT} (?:\w+ ){{0,2}}{_FALLS}",
            rf"(?<![a-z])loss(?:es)? (?:\w+ ){{0,2}}{_STAYS}",
            r"\b(?:stuck|constant|same) loss\b",
            rf"loss.{{0,12}}(?:{_NOT_FALLING})|(?:模型|训练|网络).{{0,8}}不收敛",
        ),
        (
            "accuracy_at_chance",
            rf"{_ACCURACY}\b.{{0,30}}\b{_NOT} (?:\w+ ){{0,2}}{_RISES}",
            rf"{_ACCURACY} (?:\w+ ){{0,5}}{_STAYS}",
            rf"{_ACCURACY} (?:\w+ ){{0,3}}(?:is|was) (?:\w+ )?(?:0?\.50*|50 ?%)(?!\d)",
            rf"\b{_ANSWERS} (?:\w+ ){{0,2}}(?:is|are) (?:always |all )?(?:the )?same\b",
            rf"{_ACCURACY} (?:\w+ ){{0,5}}(?:stay(?:s|ed)?|remain(?:s|ed)?|always) (?:is )?\.?\d",
            rf"{_ACCURACY}\b.{{0,20}} (?:every|each|all) epochs? (?:\w+ ){{0,2}}(?:is|are)"
            r" (?:\w+ )?\d",
            rf"\b{_ANSWERS}\b.{{0,30}}\b(?:only|always|just)\b(?: \w+){{0,2}} "
            rf"(?:one|1|a single|the same|same) (?:\w+ )?{_ANSWERED}\b",
            rf"\b(?:only|always|just) {_ANSWERS} (?:\w+ ){{0,2}}(?:one|1|a single|same|class) ",
            r"\bpredictions? (?:is|are) (?:always |all )?(?:the same|identical)\b",
            r"\b(?:same|identical) (?:prediction|output|class|label)s? (?:for|on|every|each|all)\b",
            r"\b[wc]er (?:\w+ ){0,2}(?:is|are|was|were|stays?|remains?|equals?|=)"
            r"(?: \w+){0,2} (?:100|1\.0+)\b",
            r"(?:准确率|精度|acc|mAP|dice).{0,12}(?:一直|始终|总是|都)?.{0,3}(?:为|是) ?0(?![.\d])",
            r"(?:准确率|精度|acc|mAP).{0,12}(?:不变|不上升|不提升|没有提升|没有变化|上不去)",
            r"\b(?:m?ap(?:50)?|m?iou|f1|dice|recall|precision|accuracy|acc|bleu)\b(?: \w+){0,3}?"
            r" ?(?:is|are|was|were|stays?|stayed|remains?|shows?|gives?|equals?|=)(?: \w+){0,2} ?"
            r"\b(?:0|zero)(?:\.0+)?%?(?![.\d])",
            rf"{_ACCURACY}\b.{{0,40}}\b(?:fixed at|which is constant|constant from|always 0)",
        ),
        (
            "key_not_found",
            r"\b(?:does not|doesn['’]t|did not|do not) (?:contain|have|include)"
            r" (?:the |an? |any )?key\b",
        ),
        (
            "tensor_mismatch",
            r"\b\w{0,40}(?:Error|mismatch)\b[^\n]{0,80}\bshape\W{1,4}\(\d[\d, ]{0,60}\)"
            r"[^\n]{0,60}\bshape\W{1,4}\(\d[\d, ]{0,60}\)",
        ),
        (
            "illegal_index",
            r"(?:索引|下标|数组).{0,4}(?:超出|越界)|인덱스.{0,8}(?:범위|벗어)"
            r"|(?:インデックス|添字).{0,8}範囲外|индекс\w*.{0,20}(?:за предел|вне диапазон)",
        ),
        (
            "cpu_out_of_memory",
            rf"{_MAIN_MEMORY}.{{0,120}}\b(?:exhaust|ran out|full\b)",
            rf"{_MAIN_MEMORY}.{{0,120}}\b(?:system|kernel|process|job|it)\b.{{0,40}}\bkilled",
            rf"{_MAIN_MEMORY}[^.,;\n]{{0,80}}\b(?:{_GROWS}|accumulat\w*|leak)",
            r"(?<!显)内存(?:不足|溢出|不够|爆)",
            r"(?<!显)内存.{0,8}(?:被使用|占满|用完|用光|耗尽)",
            r"(?<!gpu )(?<!video )(?<!device )\bmemory\b[^.\n]{0,40}\bso\b[^.\n]{0,20}\bkilled\b",
        ),
        (
            "gpu_out_of_memory",
            r"显存(?:不足|溢出|不够|爆)",
            r"(?<!no )(?<!not )(?<!avoid )(?<!an )(?<![A-Za-z])OOM"
            r"(?!_|-?[Kk]ill|[A-Za-z]|[ :=]{1,3}0\b)",
            r"\b(?:gpu|cuda|vram)\b(?: \w+){0,3} (?:is |was |are |runs? |ran |gets? )"
            r"(?:\w+ ){0,2}(?:out of memory|exhausted)",
        ),
        (
            "device_unavailable",
            r"is_available\(\)\W{0,6}(?:(?:returns?|returned|returning|is|gives?|gave|get|prints?"
            r"|shows?|output|says)\W{1,3}(?:\w+ ){0,2})?false\b",
            r"\b(?:gpus?|cuda) (?:is|are|was|were) not (?:being )?"
            r"(?:available|detected|found|visible|recogni[sz]ed)",
            r"\b(?:cannot|can't|can not|does not|doesn't|not) (?:detect|find|see|recogni[sz]e"
            r"|detecting|finding|seeing|recogni[sz]ing)(?: \w+){0,2} (?:gpus?|cuda)\b",
        ),
        (
            "process_killed",
            r"\b(?:session|kernel|runtime|notebook|program|script|training|machine|computer)\b"
            r"(?: \w+){0,3}? (?:crash(?:es|ed|ing)?|restarts?|restarting|dies|died)\b",
            r"\b(?:process|training|program|script|code|job|python|it)\b(?: \w+){0,3}"
            r" (?:is|was|gets?|got|been|being|be)(?: \w+){0,2} killed\b",
            r"被 ?(?:系统 ?)?(?:kill(?:ed)?|杀死|杀掉)",
            r"\bsegfault",
            r"\bsegmentation fault",
            r"\bcore ?dump",
        ),
    )
)
"""Failures without an exception as people describe them, each with its category's identifier."""
_GAN = re.compile(r"\b(?:discriminator|generator|gans?|[dg][-_ ]loss)\b", re.IGNORECASE)
_HANGS = re.compile(
    r"\b(?:train\w*|process\w*|program|script|code|jobs?|runs?|it|epochs?|bars?|everything"
    r"|loaders?|gpus?|terminal|kernel)\b[^.\n]{0,40}?"
    r"\b(?:(?:gets?|got|is|was|are|been|being|becomes?|keeps?) (?:\w+ ){0,2}"
    r"(?:stuck|hung|frozen|hanging)"
    r"|stucks?|hangs?|freezes?|hung)\b"
    r"|\b(?:does|did|is|will) ?(?:n['’]t|not) (?:move|moving|go|going|proceed\w*|continu\w*) "
    r"(?:on|any|further|after|forward)"
    r"|\bstops? (?:there|here)\b|\bnothing (?:more )?happens\b",
    re.IGNORECASE,
)
"""How people say that a run stands still without an end."""
_SUPPOSED = re.compile(r"\b(?:if|in case|unless|might|may|could)\b", re.IGNORECASE)
"""What tells of no run that was seen."""
_MEASURED = re.compile(
    r"\b(?:loss|acc|accuracy|reward|returns?|score|map|metrics?|minim\w+|plateau|gradients?)\b",
    re.IGNORECASE,
)
"""What stands still where training goes on."""
_TOLD_FROM = 0.6
"""The confidence of a category that only a person's words show."""
_PERSON = re.compile(
    r"\b(?:I|I['’]\w{1,2}|my|me|we|our|hi|hello|please|thanks)\b|\?\s*$",
    re.MULTILINE | re.IGNORECASE,
)
"""What people write of themselves and to others; programs seldom print it."""
_TROUBLE = re.compile(
    r"\w*error\b|\b(?:errors|bugs?|buggy|wrong\w*|crash\w*|fail\w*|problems?|issues?|broken|breaks?"
    r"|incorrect\w*|unexpected\w*|missing|cannot|can['’]?t|unable|never|no longer|instead of|why"
    r"|(?:does|do|did|is|are|was|were|has|have|had|wo|should|could|would)(?:n['’]?t| not|nt)"
    r"|nans?|inf(?:inity)?|stuck|hangs?|freez\w+|slow\w*|leak\w*|bad|worse|poor\w*|always|corrupt\w*"
    r"|inconsisten\w*|ignor\w+|lost|loses|exceptions?|raises?|deadlock\w*|regress\w*|mismatch\w*"
    r"|invalid|killed|dies|died|segfault\w*|abort\w*|(?:goes|going|go|went) (?:up|down)"
    r"|all the time|over and over)\b",
    re.IGNORECASE,
)
"""How people say that something is not as it should be."""
_FOREIGN = re.compile(r"[^\W\d_a-zA-Z]")
"""A letter that English lacks: such a text is hardly what a program printed of itself."""
MAX_DESCRIPTION = 2_000
"""Characters of a line in which a failure is looked for."""
SHOWN, BEFORE = 200, 80
"""Characters of a line that are shown, and how many of them before what describes the failure."""
MAX_LINES = 2_000
"""Lines of a report in which a hang is looked for."""
MAX_TEXT = 20_000
"""Characters of a report that are read."""


def report_failure(log: Log, certain: bool = False) -> Failure | None:
    """Return the failure that a bug report describes; None for healthy runs and for noise.

    A ``certain`` report may quote the metrics of runs. Any other text has to tell of something
    that is wrong: that a person wrote it, or that a metric stands in it, does not yet say so.
    """
    text = text_of(log)
    words = _WORDS.findall(text)
    certain = certain or tells_of_a_hang(log)
    series = read_metrics(log)
    measured = any(len(one.points) > 1 for one in series)
    if len(words) < MIN_WORDS or (not certain and measured):
        return None
    lines = [line for line in log.lines if line.text.strip()]
    span = Span(lines[0].number, lines[-1].number)
    texts = _with_answers([line.text.strip() for line in lines])
    described = ((text, _described(text)) for text in texts)
    found = ((text, mention) for text, mention in described if mention or _hangs(text))
    description, mention = next(found, (texts[0], None))
    is_told = certain or mention is not None or _is_complaint(text, is_measured=bool(series))
    if not is_told:
        return None
    start = max(0, mention[1].start() - BEFORE) if mention and mention[1].end() > SHOWN else 0
    excerpt = description[start : start + SHOWN]
    return Failure(FailureKind.REPORT, (), 0, "report", span, excerpt, primary=True)


def _is_complaint(text: str, *, is_measured: bool) -> bool:
    """Whether a text without a report's form reads as one of a person who tells of a failure.

    Of a text with metrics, words of trouble alone are not enough: logs warn.
    """
    if _PERSON.search(text) or _FOREIGN.search(text):
        return True
    return not is_measured and _TROUBLE.search(text) is not None


def _with_answers(texts: list[str]) -> list[str]:
    """Return the lines of a text; a question to the interpreter has its answer beside it."""
    below = [*texts[1:], ""]
    return [
        f"{text} {answer}" if answer in ("False", "True") else text
        for text, answer in zip(texts, below, strict=True)
    ]


def tells_of_a_hang(log: Log) -> bool:
    """Say whether a person writes that the run stands still, of which metrics tell nothing."""
    return any(_hangs(line.text) for line in log.lines[:MAX_LINES])


OF_METRICS = frozenset(
    ("loss_nan", "loss_stagnation", "loss_divergence", "accuracy_at_chance", "overfitting")
)


def ruled_out(log: Log) -> frozenset[str]:
    """Return the categories that the words of a text alone do not show: what else it says differs.

    A run that stands still has no flat loss, and of two networks that play against each other one
    loses.
    """
    if tells_of_a_hang(log):
        return OF_METRICS
    return frozenset(("loss_divergence",)) if _GAN.search(text_of(log)) else frozenset()


def _hangs(text: str) -> bool:
    text = text[:MAX_DESCRIPTION]
    match = _HANGS.search(text)
    if match is None or _MEASURED.search(text) or _SUPPOSED.search(text, 0, match.end()):
        return False
    return text.startswith("# ") or is_sentence(text)


def _described(text: str) -> tuple[str, re.Match[str]] | None:
    """Return the category of the failure that a line describes in a person's words, and where."""
    text = text[:MAX_DESCRIPTION]
    found = next(((id, match) for id, p in DESCRIBED if (match := p.search(text))), None)
    # Of two networks that play against each other one loses: a rise alone is no divergence.
    adversaries = found is not None and found[0] == "loss_divergence" and _GAN.search(text)
    return None if adversaries else found


def text_of(log: Log) -> str:
    """Return the report's text."""
    return "\n".join(line.text for line in log.lines)[:MAX_TEXT]


def report_facts(log: Log) -> MessageFacts:
    """Return the names, paths and numbers that a report mentions."""
    text = text_of(log)
    return extract_facts(Cause("", text, (), Relation.ROOT, Span(1, max(1, len(log.lines)))))


def classify_sentence(failure: Failure) -> CategoryVerdict | None:
    """Return the category that a person's sentence describes which was taken for a message.

    None where no table or reader doubts who speaks, or where the words describe no failure.
    """
    cause = failure.cause
    if failure.kind is not FailureKind.MESSAGE or cause is None or cause.type != "program":
        return None
    described = _described(cause.message) if is_sentence(cause.message) else None
    if described is None:
        return None
    row = category(described[0])
    return CategoryVerdict(row.id, row.dimension, _TOLD_FROM, failure.evidence, "report.words")


def classify_report(failure: Failure) -> CategoryVerdict:
    """Return the category that a report's words describe: how a loss or a metric went."""
    described = _described(failure.evidence)
    if described is not None:
        row = category(described[0])
        return CategoryVerdict(row.id, row.dimension, _TOLD_FROM, failure.evidence, "report.words")
    row = category("unclassified")
    return CategoryVerdict(row.id, row.dimension, 0.0, failure.evidence, "report")
