"""Failures that a text names without a stack: within sentences, in headings, or as bare messages.

Candidates are exceptions that a line names anywhere, code spans, quotations, what follows a word
like "error:", and whole lines. A linear model over their words and surroundings says which of them
is a program's message; ``benchmarks/train_mentions.py`` learns its weights.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import pairwise

from dl_bug_lsp.logs.prefixes import split_record
from dl_bug_lsp.tracebacks.failures import Cause, FailureKind, Relation
from dl_bug_lsp.tracebacks.stream import Block, Stream
from dl_bug_lsp.tracebacks.traceback_lines import BUILTIN, OTHER_NAMES

MODEL_FILE = "mentions.json"
"""Weights as `benchmarks/train_mentions.py` wrote them."""
MOST_LINES = 400
"""Lines that are read at the beginning of a text, and as many at its end."""
LONGEST_LINE, LONGEST_MESSAGE, SHORTEST_MESSAGE = 4_000, 3_000, 4
LIKELY, SURE, QUITE_SURE, CERTAIN = 0.5, 0.65, 0.75, 0.85
"""The least probability of a message, that of one which tells more than a cut stack, that of a
sentence in the first or second person, and that of a message without a class below lines that show
a run going on."""
IN_MARKS = 0.4
"""The least probability of what stands in a code span or in quotation marks."""
LAST_RESORT = 0.4
"""The least probability of what looks like a program's line where the text names nothing else."""
SHORT_TITLE = 2
"""Words of a first line that are rather what somebody says of a failure than its message."""
MANY_WORDS = 12
"""Words of a line that are rather somebody's sentence, if nothing in it stems from a program."""
CLOSE = 0.06
"""By how much a later mention must be likelier: of two that say the same the first counts."""
TITLED = 41
"""The weight of a class that a title names: it tells more than a stack that is cut off."""
NAMED, TOLD, UNSURE = 52, 42, 34
"""Weights of a mention: a class with its message, a message that is quite sure, any other."""
NAMED_FIRST = 0.3
"""What a mention with its class is ahead of one without."""
SPOKEN = "program"
"""The type of a message that names no class."""

_NAME = (
    r"(?:(?:[A-Za-z_]\w{0,60}\.){0,8}[A-Z]\w{0,80}"
    r"(?:Error|Exception|Interrupt|Failed|NotMet|Invalid|Unsupported|Timeout|Mismatch|NotFound)"
    rf"|{OTHER_NAMES}"
    r"|(?:[a-z_]\w{0,60}\.){1,4}(?:error|timeout)|error(?=: OpenCV\()"
    r"|(?:[a-z_]\w{0,60}\.){1,4}[a-z_]{1,60}(?:error|exception)(?=: ))"
)
"""A class as its name shows; modules written in C call theirs ``error``."""
_NAMED = re.compile(
    rf"(?<![A-Za-z0-9_.])(?P<type>{_NAME}|Exception)(?: \((?:see|note)[^()]{{3,80}}\))?"
    r"(?: ?[:\uff1a][ :\uff1a]{0,4}| = |'>[,:] (?!\w{1,80}\())(?P<message>\S.*)",
    re.DOTALL,
)
_QUOTED_MESSAGE = re.compile(
    rf"(?<![A-Za-z0-9_.])(?P<type>{_NAME})[`*]{{0,3}},?"
    r" (?:(?:since|because|as|with|that|which|and|it|message|text|(?:that |which )?(?:says|said"
    r"|saying|reads|reading|states|stating)):? ){0,3}(?P<mark>[\"“])"
    r"(?P<message>[^\s\"”][^\"”]{7,400}[\"”].*)",
    re.DOTALL,
)
"""A class before its message in quotation marks, as sentences put it."""
_REPR = re.compile(
    rf"(?<![A-Za-z0-9_.])(?P<type>{_NAME})\((?P<quote>['\"])(?P<message>.+)", re.DOTALL
)
_KEY = re.compile(r"'\w{1,2}'|\d{1,3}")
"""A short key, which is all that a KeyError says."""
_SPACED = re.compile(
    r"\b(Runtime|Value|Type|Key|Index|Attribute|Import|Name|Assertion|Memory|Permission|Syntax|OS"
    r"|IO|Module|File|Zero|Not|Lookup) (Division|Implemented|Not ?Found)?()[Ee]rror ?:"
)
_MISSPELT = re.compile(rf"(?<![A-Za-z0-9_])(?:{'|'.join(BUILTIN)})(?= ?[:(\uff1a])", re.IGNORECASE)
"""Python's classes in other letters, as people type them anew."""
_CLASS_LINE = re.compile(
    rf"^\W{{0,6}}(?:Exception has occurred:? |Error [Tt]ype:? <class ')?(?P<type>{_NAME})"
    r"\W{0,4}\s*"
    r"(?P<note>\(note: full.*\))?$"
)
"""A line of a class alone: its message is the next one (debuggers, reports)."""
_CLASS_BEFORE = re.compile(rf"(?<![A-Za-z0-9_.])(?P<type>{_NAME}) ?[:：]\s*$")
"""A class at the end of a line, whose message is the next one."""
_NOTE = re.compile(r"^\s*\(note: full exception trace is shown")
_HEADED_CLASS = re.compile(rf"(?P<type>{_NAME})\s+Traceback \(most recent call last\)")
"""The header of a notebook's stack on a line with what follows it."""
_TITLE_CLASS = re.compile(
    rf"^(?:# |\*\*)?(?:[\w-]+ ){{0,3}}[`\"']?(?P<type>{_NAME})[`\"']?(?: \w+)?"
    r" (?:when|while|during|on|in|with|after|at)\b"
)
"""A title that names what was raised and when, without its message."""
_GOT_CLASS = re.compile(
    r"\b(?:gets?|got|getting|gives?|gave|returns?|returned|throws?|threw|thrown|raises|raised|meet|met"
    r"|encounter\w*|(?:fail|crash|die|end|exit|stop|abort)(?:s|es|d|ed|ped)? with|due to"
    r"|have|having) (?:an? |the |this |me |me an? )?"
    rf"[`\"']?(?P<type>{_NAME})\b"
)
"""A sentence that says what a program raised, without its message."""
_AMONG_WIDE = re.compile(
    rf"(?<=[\u3040-\u9fff\uac00-\ud7af])\s?[`'\"]?(?P<type>{_NAME})(?![A-Za-z0-9_.(:：])"
)
"""A class within a sentence of a language without blanks."""
_MEANT = re.compile(
    r"\b(?:except|instead|should|would|could|catch|handle|feature|proposal)\b", re.I
)
""""What speaks of exceptions that are not the failure."""
_QUOTED = re.compile(rf"\w [`\"“]{_NAME}")
"""A sentence that quotes an exception, as no program's line does."""
_ITALIC = re.compile(r"(?<![\w.])_(?=[A-Z])")
_CAME_UP = re.compile(
    rf"({_NAME}) (?:came up|comes up|occur\w{{0,4}}|appear\w{{0,3}}|pops? up|popped up|says|saying"
    r"|(?:is|was|got|gets) (?:raised|reported|thrown|shown))[^:\n]{0,40}: "
)
_BARE = re.compile(rf"(?P<type>{_NAME})[ ,-]+(?P<message>\S.*)", re.DOTALL)
"""A class and its message without a colon, as people write it between marks."""
_QUOTES = ("'", '"')
"""How the rest of a message begins that a narrow column put on a line of its own."""
_SPAN_MARKS = ("`", "“", "‘", '"')
"""How code spans and quotations begin, which are candidates themselves."""
_CLOSING = {"`": "`", "“": "”", "‘": "’", '"': '"', "'": "'", "*": "*", "(": ")", "「": "」"}
_SPANS = re.compile(
    r"`+([^`]{8,3000}?)`|“([^”]{8,3000})”|\"([^\"]{8,3000})\"|‘([^’]{8,3000})’"
    r"|(?<=[a-z:] )'([A-Z][^'\n]{14,400} [^'\n]{2,400})'(?=[\s.,:;)]|$)"
)
_IN_QUOTES = re.compile(r"^\s*'(?P<message>[^']{12,3000})'\s*$")
"""A whole line in straight quotation marks."""
_TOLD = re.compile(
    r"(?:\b(?:errors?|exception|message|warning|failure|problem|issue)\b"
    r"(?: \w+){0,2}(?: \([A-Za-z ]{3,40}\))? ?(?:is|was|:|[=-]?>|=)"
    r"|\b(?:says|said|saying|states|stated|stating|reads|throws?|threw"
    r"|complain(?:s|ed|ing)|shows"
    r"|(?:crash|fail|stopp?|abort|die)(?:s|es|ed|d)? with)\b(?: that\b)? ?:?"
    r"|报错|错误|エラー)[:：]?\s*(?P<message>\S.{7,3000})",
    re.IGNORECASE,
)
_TELLTALE = re.compile(
    r"(?:\bCUDA |\bHIP |\bNCCL |\bcuDNN |\bCUBLAS )error: \w"
    r"|\bNCCL [Ee]rror (?:in: \S|\d{1,3}: \w)"
    r"|\bPytorchStream(?:Writer|Reader) failed \w"
    r"|`?\bModelCheckpoint\(monitor=[^()\n]{1,80}\)`? (?:could not find|not found in)"
    r"|\bEarly stopping conditioned on metric `"
    r"|'[\w.]{1,80}' object (?:has no attribute '|is not (?:callable|subscriptable|iterable)"
    r"|does not support item|cannot be interpreted)"
    r"|\b(?:[Mm]odule|type object) '[\w.]{1,80}' has no attribute '"
    r"|\bname '\w{1,80}' is not defined"
    r"|\bNo module named '?[\w.]{2,80}|\bcannot import name '?\w{2,80}"
    r"|\b[\w.<>]{1,80}\(\) (?:got an unexpected keyword|missing \d{1,2} required"
    r"|takes (?:from )?\d{1,2} |takes exactly|got multiple values)"
    r"|\b(?:list|tuple|string|pop) index out of range|\bindex out of range in self"
    r"|\bindex -?\d{1,12} is out of bounds for (?:axis|dimension) \d"
    r"|\b(?:too many|not enough) values to unpack \("
    r"|\blocal variable '\w{1,80}' referenced before"
    r"|\bcould not convert string to float: |\binvalid literal for int\(\)"
    r"|\b(?:invalid value|divide by zero|overflow) encountered in \w"
    r"|\boperands could not be broadcast|\bsetting an array element with a sequence"
    r"|\bcannot reshape array of size|\ball the input arrays? "
    r"|\bmat1 and mat2 |\bsize mismatch, m1: |\bThe size of tensor a \("
    r"|\bSizes of tensors must match except|\bshape '\[[^\]]{1,80}\]' is invalid for input"
    r"|\bExpected (?:input batch_size|all tensors to be on|more than 1 value per channel"
    r"|object of scalar)"
    r"|\bGiven groups ?= ?\d|\bexpected scalar type \w+ but"
    r"|\belement 0 of tensors does not|\bTrying to backward through the graph"
    r"|\bone of the variables needed for gradient|\bstack expects each tensor to be equal"
    r"|\b(?:CUDA|MPS backend|HIP) out of memory\b(?=[.,]? ?(?:Tried|\())"
    r"|\bdevice-side assert triggered"
    r"|(?:Missing|Unexpected) key\(s\) in state_dict: |\bsize mismatch for [\w.]{1,200}: copying"
    r"|\bunrecognized arguments: -|\bthe following arguments are required: "
    r"|'[\w-]{1,20}' codec can't (?:de|en)code|\bIncompatible shapes: "
    r"|\bDimensions must be equal, but"
    r"|\bAttempting to use uninitialized value \w|\bInput to reshape is a tensor with \d"
    r"|\bMatrix size-incompatible: |\bYou must feed a value for placeholder"
    r"|\bInput \d of layer |\blogits and labels must|\bOOM when allocating tensor"
    r"|(?<=UserWarning: )CUDA initialization: \w|\bFound no NVIDIA driver on your system"
    r"|\bNo CUDA GPUs are available|\bTorch not compiled with CUDA enabled"
    r"|\b(?:Your \w+ )?tried to allocate more memory than is available"
    r"|\b(?:Your )?session crashed after using all "
    r"|\bTarget modules .{1,200} not found in the base model"
    r"|\bcannot identify image file|\b[Nn]o such file or directory: ['\"]"
    r"|\bobject of type '[\w.]{1,80}' has no len\(\)|\bunsupported operand type\(s\) for"
    r"|\bcan't convert \S{1,20} device type tensor to numpy|\bcan't optimize a non-leaf Tensor"
    r"|\bgrad can be implicitly created only for scalar|\bonly one element tensors can be"
    r"|\bBoolean value of Tensor with more than one|\bThe truth value of an? \w"
    r"|\bThe expanded size of the tensor|\bCannot copy out of meta tensor"
    r"|\bprobability tensor contains either|\bDefault process group has not been initialized"
    r"|\bDataLoader worker \(pid|\bpickle data was truncated|\bWeights only load failed"
    r"|\bInput (?:X |y )?contains (?:NaN|infinity)|\bExpected 2D array, got \dD array"
    r"|\bFound input variables with inconsistent numbers|\bUnknown label type: "
    r"|\bX has \d{1,9} features, but \w|\bShapes \((?:None|\d)[^()]{0,60}\) and \("
    r"|\bFailed to convert a NumPy array to a Tensor|\bcannot convert float NaN to integer"
    r"|\bis not a local folder and is not a valid model|\bCan't load (?:tokenizer|the model) for '"
    r"|\bcannot open shared object file|\bundefined symbol: _?\w"
    r"|\bversion `(?:GLIBC|CXXABI)\w{0,20}_?[\d.]*' not found"
    r"|\bUnknown builtin op: \w"
    r"|\b[A-Z][^.:\n]{2,60}: [^.\n]{1,60}\. Available \w{2,40}: \["
    r"|\bdoes not match(?:es)? the length of `|\bNan in summary histogram for: "
)
"""How Python and the frameworks word their messages, and hardly anybody else."""
_SOURCE = re.compile(r"^\[?[WEF] [\w./-]{1,200}:\d{1,6}\] (?:OP_REQUIRES failed at \S{1,100} : )?")
"""How C++ libraries begin their records: the level, the place in their source."""
_STATUS = re.compile(
    r"(?:CANCELLED|UNKNOWN|INVALID.ARGUMENT|DEADLINE.EXCEEDED|NOT.FOUND|ALREADY.EXISTS"
    r"|PERMISSION.DENIED|RESOURCE.EXHAUSTED|FAILED.PRECONDITION|ABORTED|OUT.OF.RANGE"
    r"|UNIMPLEMENTED|INTERNAL|UNAVAILABLE|DATA.LOSS)(?: error)?: ",
    re.IGNORECASE,
)
"""The status codes of gRPC, which TensorFlow and XLA put before their messages."""
_OPENING = re.compile(r"^(?:[\s>*~]|#{1,6} |[-+] |\(?\d{1,2}[.)] ){1,12}")
_ANNOUNCES = re.compile(
    r"\b(?:errors?|exception|problem|issue|message|traceback)\b[^.]{0,60}$|报错|错误|エラー",
    re.IGNORECASE,
)
"""How a line ends that announces a message below it."""
_ANNOUNCES_ERROR = re.compile(
    r"(?:\berrors?|exception|traceback)\b[^.:]{0,30}[:：]?\s*[*`]{0,3}\s*$|(?:报错|错误|エラー)[:：]?\s*$",
    re.IGNORECASE,
)
_INTRODUCED = frozenset(("fenced", "announced", "told", "error record", "telltale"))
"""Surroundings of a line by which it is more than a sentence among others."""
_ABOVE = "class above"
"""The class of the message stands on the line above it."""
_MARKED = frozenset(("ticks", "quotation"))
_FENCE = re.compile(r"^\s{0,8}(?:```|~~~)(?!.*\S```)")
_STOP = re.compile(r"(?<=[\w)\]'\"])[.!?]? *[.!?] +(?=[A-Z])")
"""How a sentence ends before another one."""
_ASKS = re.compile(
    r"(?:I|I'm|I've|We|My|How|What|Why|Where|Does|Do you|Did(?! you (?:run|call|mean|forget))"
    r"|Is there"
    r"|Any (?:idea|help|suggestion|one)|Anyone|Anybody|Thanks?|Hope"
    r"|Please (?:help|advise|suggest)|Could (?:you|anyone|someone)"
    r"|Can (?:you|anyone|someone)|Has any|So I|But I|And I|Not sure)\b",
    re.IGNORECASE,
)
"""How a person's sentence behind a quoted message begins."""
_WIDE_STOP = re.compile(r"[，。；！？]")
_WIDE = re.compile(r"[\u3040-\u9fff\uac00-\ud7af]")
_HANDLED = re.compile(
    r"\b(?:except|caught|retry\w*|skipp\w+|ignor\w+|raise|warn\w*|catch\w*)\b", re.IGNORECASE
)
_RUNS_ON = re.compile(
    r"\b(?:loss|acc(?:uracy)?|epoch|step|iter(?:ation)?)\b\W{0,5}\d|\d%\|", re.IGNORECASE
)
_GOES_ON = re.compile(
    r"\b(?:accepting this|falling back (?:on|to)|will fall back|(?:is|are|will be) ignored|ignoring"
    r"|skipping|continuing|proceeding|using \S{1,40} instead)\b",
    re.IGNORECASE,
)
"""How a program says of what it found that it goes on all the same."""
_ANNOUNCES_ONLY = re.compile(r"Error executing job with overrides: ")
"""What a launcher prints above a failure of any kind."""
_ITEM = re.compile(r"\W{0,4}#?\(?([1-9]\d?)\)?[.):]?\s+\w")
"""How a line begins that is an item of a numbered list."""
_PATH = re.compile(r"(?:[\w.~-]{0,80}[/\\]){1,40}[\w.-]{0,80}")
_NUMBER = re.compile(r"\b\d[\d.,_e+x]*\b")
_WORD = re.compile(r"[a-z]{2,30}|\d|[\u3040-\u9fff\uac00-\ud7af]")
_NEGATIVE = re.compile(
    r"\b(?:error|fail\w*|not|cannot|can't|couldn't|unable|invalid|unexpected|unknown|unrecogni\w+"
    r"|unsupported|mismatch\w*|missing|must|should be|expected|exceed\w*"
    r"|too (?:many|large|small|few)|out of|no (?:such|space|module)|denied|refused|timed? ?out"
    r"|abort\w*|killed|terminated|exited?|corrupt\w*|undefined|illegal|incompatible|conflict\w*|requires?|assert\w*)\b",
    re.IGNORECASE,
)
_PERSONAL = re.compile(
    r"\b(?:I|I'm|[Ww]e|[Mm]y|[Oo]ur|[Yy]ou|[Yy]our|me|us|[Pp]lease|[Hh]elp|[Tt]hanks?|[Hh]ello|[Hh]i"
    r"|[Aa]nyone|how|why|what|which|when i|following)\b"
)
_OF_PROGRAMS = re.compile(r"[`'\"_=<>{}\[\]]|\w\(|: |[a-z][A-Z]|\d\.\d")
"""What sentences of people seldom hold and messages of programs mostly do."""
_CODE = re.compile(r"[{};]$|\w\([^()]*\)$|^[\w.\[\]'\"]{1,80} ?=[^=]|^(?:import|from|def|class) ")
_LONGEST_TOKENS = 400


@dataclass(frozen=True, slots=True)
class Mention:
    """What may be a failure's message: its line's index, its class if any, its surroundings."""

    at: int
    type: str | None
    message: str
    context: tuple[str, ...]

    def tokens(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the words of the message, and the features of its form and surroundings."""
        text = self.message[:_LONGEST_TOKENS]
        plain = _NUMBER.sub(" 0 ", _PATH.sub(" apath ", text).lower())
        words = _WORD.findall(plain)
        pairs = [f"{a} {b}" for a, b in pairwise(words)]
        form = [*self.context, f"words:{min(len(words).bit_length(), 6)}"]
        if self.type is not None:
            form.append("class")
        if _STATUS.match(text):
            form.append("status")
        if negatives := len(_NEGATIVE.findall(text)):
            form.append(f"negative:{min(negatives, 3)}")
        if _PERSONAL.search(text):
            form.append("personal")
        if text.rstrip().endswith((":", "：")):
            form.append("announces")
        if "'" in text or '"' in text:
            form.append("quotes")
        if _ASKS.match(text):
            form.append("asks")
        if text.rstrip().endswith("?"):
            form.append("question")
        if _CODE.search(text):
            form.append("code")
        if text[:1].isupper():
            form.append("capital")
        if _NUMBER.search(text):
            form.append("number")
        return tuple(dict.fromkeys([*words, *pairs])), tuple(form)


@cache
def _model() -> tuple[float, dict[str, float]]:
    text = files("dl_bug_lsp.tracebacks").joinpath(MODEL_FILE).read_text(encoding="utf-8")
    data = json.loads(text)
    return data["intercept"], data["weights"]


def probability(mention: Mention) -> float:
    """Return how likely a mention is a failure's message (0 to 1): logistic regression.

    Words weigh by the inverse root of their number, forms and surroundings fully.
    """
    intercept, weights = _model()
    words, form = mention.tokens()
    score = intercept + sum(weights.get(f"={name}", 0.0) for name in form)
    score += sum(weights.get(word, 0.0) for word in words) / math.sqrt(len(words) or 1)
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, score))))


def read_mention(
    stream: Stream,
    read_lines: Collection[int] = (),
    headed: Collection[int] = (),
    *,
    with_class: bool = False,
) -> Block | None:
    """Return the likeliest message of a failure that the text names, None where none is likely.

    Where lines show a run that goes on, only what stands below the last of them counts. The
    lines whose numbers are in ``read_lines`` are those of failures that are known already.
    ``with_class`` leaves out what names no class, but for the lines of the numbers in ``headed``
    and for what only a library words so.
    """
    running = [at for at in range(len(stream)) if _RUNS_ON.search(stream.text(at)[:300])]
    after = running[-1] if len(running) > 1 else -1
    best: tuple[float, Mention] | None = None
    resort: tuple[float, Mention] | None = None
    leading = 0.0
    part_of = -1
    spoken = any(_PERSONAL.search(line.text[:LONGEST_LINE]) for line in stream.lines[:MOST_LINES])
    for mention in mentions(stream):
        line = stream.text(mention.at)[:LONGEST_LINE]
        titled = mention.type is not None and (
            "heading" in mention.context or bool(_PERSONAL.search(line) or _QUOTED.search(line))
        )
        # A sentence in Chinese, Japanese or Korean above a log, with what only a library words so.
        titled |= (
            bool(running)
            and mention.at < running[0]
            and "worded" in mention.context
            and bool(_WIDE.search(line))
        )
        if after >= 0 and mention.at <= after and not titled:
            continue
        is_told = stream.lines[mention.at].number in read_lines and _ABOVE not in mention.context
        bare = mention.type is None and stream.lines[mention.at].number not in headed
        if mention.type is None and (
            _GOES_ON.search(mention.message) or _ANNOUNCES_ONLY.match(mention.message)
        ):
            continue
        if is_told or (with_class and bare and "telltale" not in mention.context):
            continue
        chance = probability(mention)
        least = _least(mention, spoken=spoken, below_run=after >= 0, alone=len(stream) == 1)
        within = "line" not in mention.context
        if within and chance >= (least if after >= 0 else min(least, LIKELY)):
            part_of = mention.at
        elif mention.at == part_of:
            continue
        worth = chance + (NAMED_FIRST if mention.type is not None else 0.0)
        whole = best is not None and _is_rest_of(best[1], mention)
        if best is not None and _comes_later(stream, best[1], mention):
            leading = 0.0
        if chance >= least and (worth > leading + CLOSE or whole):
            best, leading = (chance, mention), worth
        if chance >= LAST_RESORT and _is_of_program(mention, line):
            resort = max(resort or (0.0, mention), (chance, mention), key=lambda pair: pair[0])
    if best is None and not with_class and after < 0:
        by_class = _titled(stream, read_lines)
        if by_class is not None or resort is None:
            return by_class
        best = resort
    return _block(best[1], best[0], stream) if best is not None else None


def _least(mention: Mention, *, spoken: bool, below_run: bool, alone: bool) -> float:
    """Return the least probability at which a mention is taken for a failure's message.

    ``spoken`` texts hold sentences of a person; ``below_run`` says that lines of a run that goes on
    stand above, ``alone`` that the text has no other line.
    """
    if mention.type is not None:
        return LIKELY
    marked = bool(_MARKED & set(mention.context))
    plain = spoken and "line" in mention.context and not _INTRODUCED & set(mention.context)
    if below_run or (not marked and not alone and mention.at == 0 and _is_short(mention)):
        return CERTAIN
    if plain and _is_plain_sentence(mention.message):
        return CERTAIN
    if plain and _PERSONAL.search(mention.message):
        return QUITE_SURE
    return IN_MARKS if marked else SURE if plain else LIKELY


def _is_short(mention: Mention) -> bool:
    """Say whether a message has two words at most, as the title of a report may."""
    return len(mention.message.split()) <= SHORT_TITLE


def _is_plain_sentence(text: str) -> bool:
    """Say whether a message is a long sentence of words alone, as people write it."""
    return len(text.split()) >= MANY_WORDS and not _OF_PROGRAMS.search(text)


def _is_of_program(mention: Mention, line: str) -> bool:
    """Say whether a message has what programs write, and nothing that only people do.

    What a program records below the level of an error ended nothing.
    """
    text = mention.message
    if "record" in mention.context or line.lower().lstrip(" #").startswith("warn"):
        return False
    spoken = _PERSONAL.search(text) or _ASKS.match(text) or text.rstrip().endswith("?")
    return not spoken and _OF_PROGRAMS.search(text) is not None


def _is_rest_of(former: Mention, later: Mention) -> bool:
    """Say whether a later mention says what a former one began to say."""
    begun, whole = former.message.lower(), later.message.lower()
    bare = former.type is None and later.type is None
    return bare and len(whole) > len(begun) and whole.startswith(begun.rstrip(" .:"))


def _comes_later(stream: Stream, former: Mention, later: Mention) -> bool:
    """Say whether two exceptions stand in a numbered list, the later one in a further item.

    A list of what somebody met tells it in the order of time: the last is what remains.
    """
    if former.type is None or later.type is None:
        return False
    items = [_ITEM.match(stream.text(mention.at)) for mention in (former, later)]
    return items[0] is not None and items[1] is not None and int(items[0][1]) < int(items[1][1])


def _titled(stream: Stream, read_lines: Collection[int]) -> Block | None:
    """Return the class that a title or a sentence names without a message, with little weight."""
    for at in range(min(len(stream), MOST_LINES)):
        if stream.lines[at].number in read_lines:
            continue
        text = stream.text(at)[:LONGEST_LINE]
        match = (_TITLE_CLASS.match(text) if at == 0 else None) or _HEADED_CLASS.search(text)
        match = match or _GOT_CLASS.search(text) or _AMONG_WIDE.search(text)
        if match is None or _MEANT.search(text, max(0, match.start() - 60), match.end("type")):
            continue
        cause = Cause(match["type"], "", (), Relation.ROOT, stream.span(at, at + 1))
        weight = TITLED if at == 0 and _TITLE_CLASS.match(text) else UNSURE
        return Block([cause], at, at + 1, "message", evidence=match["type"], weight=weight)
    return None


def _block(mention: Mention, chance: float, stream: Stream) -> Block:
    at = mention.at
    span = stream.span(at, at + 1)
    if mention.type is not None:
        cause = Cause(mention.type, mention.message, (), Relation.ROOT, span)
        shown = f"{mention.type}: {mention.message}"
        return Block([cause], at, at + 1, "message", evidence=shown[:500], weight=NAMED)
    if among := _AMONG_WIDE.search(mention.message):
        cause = Cause(among["type"], "", (), Relation.ROOT, span)
        return Block([cause], at, at + 1, "message", evidence=mention.message[:500], weight=UNSURE)
    cause = Cause(SPOKEN, mention.message, (), Relation.ROOT, span)
    weight = TOLD if chance >= SURE else UNSURE
    return Block(
        [cause], at, at + 1, "message", FailureKind.MESSAGE,
        evidence=mention.message[:500], weight=weight,
    )  # fmt: skip


def mentions(stream: Stream) -> Iterator[Mention]:
    """Yield all candidates of a text, line by line."""
    fenced = False
    announced: list[str] = []
    above: str | None = None
    below = -1
    count = len(stream)
    for at in range(count):
        text = stream.text(at)[:LONGEST_LINE]
        if _FENCE.match(text):
            fenced = not fenced
            continue
        if MOST_LINES <= at < count - MOST_LINES or not text.strip():
            continue
        about = ["fenced"] if fenced else []
        if above is not None and _NOTE.match(text):
            below = at + 1
            continue
        if above is not None and at == below and len(text.strip()) >= SHORTEST_MESSAGE:
            yield Mention(at, above, _tidy(text), (*about, "alone", _ABOVE))
        named = _CLASS_LINE.match(text)
        above, below = (named["type"], at + 1) if named else (None, -1)
        if named is None and (cut := _CLASS_BEFORE.search(text)) and at + 1 < count:
            rest = stream.text(at + 1).strip()
            kind = "sentence" if cut.start() else "alone"
            if (
                _WORD.search(rest.lower())
                and len(rest) >= SHORTEST_MESSAGE
                and not _FENCE.match(rest)
            ):
                yield Mention(at, cut["type"], _tidy(rest.rstrip("\"'`”")), (*about, kind))
        for mention in _of_line(text, at, [*about, *announced]):
            goes_on = mention.type is not None and mention.message.endswith(":")
            rest = stream.text(at + 1).strip() if goes_on and at + 1 < count else ""
            more = f"{mention.message} {rest}" if rest[:1] in _QUOTES else mention.message
            yield replace(mention, message=more)
        announced = ["announced"] if text.rstrip()[-1] in ":：" or _ANNOUNCES.search(text) else []
        if _ANNOUNCES_ERROR.search(text):
            announced.append("announced error")


def _of_line(text: str, at: int, about: list[str]) -> Iterator[Mention]:
    level, rest = split_record(text)
    if source := _SOURCE.match(rest):
        level, rest = level or "ERROR", rest[source.end() :]
    opening = _OPENING.match(rest)
    if level is None and opening and ">" in opening[0]:
        level, inner = split_record(rest[opening.end() :])
        rest = f"{opening[0]}{inner}"
    bare = rest[opening.end() :] if opening else rest
    about = list(about)
    if opening and "#" in opening[0]:
        about.append("heading")
    if opening and ">" in opening[0]:
        about.append("quoted")
    if level is not None:
        about.append("error record" if level in ("ERROR", "FATAL", "CRITICAL") else "record")
    if rest[:1].isspace():
        about.append("indented")
    named = list(_named(bare, at, about))
    yield from named
    if named:
        return
    for span in _SPANS.finditer(bare):
        message = next(group for group in span.groups() if group)
        kind = "ticks" if span[0][0] == "`" else "quotation"
        if kind == "quotation" and message[-1] in " :" and (end := bare.rfind('"')) > span.end():
            message = bare[span.start() + 1 : end]
        before = bare[: span.start()]
        marks = ["told"] if _TOLD.search(f"{before[-80:]}xxxxxxxx") else []
        bare_class = _BARE.match(message.strip())
        type_ = bare_class["type"] if bare_class else None
        message = bare_class["message"] if bare_class else message
        yield Mention(at, type_, message.strip(), (*about, kind, *marks))
    if alone := _IN_QUOTES.match(bare):
        yield Mention(at, None, alone["message"], (*about, "quotation"))
    worded = _TELLTALE.search(bare)
    if worded is not None:
        about.append("telltale")
    if worded is not None and (before := bare[: worded.start()]).strip(" *_>#-"):
        message = _closed(bare[worded.start() :], before[-1:], before)
        yield Mention(at, None, message, (*about, "worded"))
    told_here = _TOLD.search(bare)
    if told_here and worded is not None and worded.start() < told_here.start("message"):
        told_here = None
    if told_here and not told_here["message"].startswith(_SPAN_MARKS):
        yield Mention(at, None, _tidy(_sentence(told_here["message"])), (*about, "told"))
    whole = _tidy(bare)
    if len(whole) > SHORTEST_MESSAGE:
        yield Mention(at, None, whole, (*about, "line"))


def exception_in(text: str) -> tuple[str, str] | None:
    """Return the class and the message of the first exception that a line names, also as a repr."""
    named = next(_named(text, 0, []), None)
    return (named.type or "", named.message) if named is not None else None


def _named(text: str, at: int, about: list[str]) -> Iterator[Mention]:
    """Yield the exceptions that a line names with their messages, wrappers' inner ones instead."""
    if "rror" in text:
        text = _SPACED.sub(lambda m: f"{m[1]}{m[2] or ''}{m[3] or ''}Error:", text)
    if "rror" in text:
        text = _MISSPELT.sub(lambda m: BUILTIN[m[0].lower()], text)
    text = _ITALIC.sub(" ", text) if "_" in text else text
    text = _CAME_UP.sub(lambda m: f"{m[1]}: ", text, count=1) if ": " in text else text
    match = _NAMED.search(text) or _REPR.search(text)
    quoted = _QUOTED_MESSAGE.search(text)
    if quoted is not None and (match is None or quoted.start() < match.start()):
        message = _closed(quoted["message"], quoted["mark"], text[: quoted.start()])
        yield Mention(at, quoted["type"], message, (*about, "sentence"))
        return
    if match is None:
        return
    start = match.start("message")
    if inner := _NAMED.match(text, start + (text[start] in "\"'`")):
        match = inner
    elif match["type"] == "Exception":
        match = _REPR.search(text, start) or match
    before = text[: match.start()]
    message = _closed(match["message"], before[-1:], before)
    if quote := match.groupdict().get("quote"):
        message = match["message"].partition(f"{quote})")[0]
    if len(message) < SHORTEST_MESSAGE and not _KEY.fullmatch(message):
        return
    context = [*about, "alone" if not before.strip(" `*_\"'“‘>") else "sentence"]
    if _HANDLED.search(before):
        context.append("handled")
    yield Mention(at, match["type"], message, tuple(context))


def _sentence(message: str) -> str:
    """Return a message without the sentences of a person that follow it on its line."""
    for stop in _STOP.finditer(message):
        if _ASKS.match(message, stop.end()):
            return message[: stop.start()]
    return message


def _closed(message: str, mark: str, before: str) -> str:
    """Return a message up to the mark that closes it, or the stop that ends a sentence of China."""
    closing = _CLOSING.get(mark)
    if closing is not None:
        both = closing in "'\""
        end = _end_of_quote(message, closing) if both else message.find(closing)
        if closing == ")":
            end = _unopened(message)
        message = message[:end] if end > 0 else message
    if _WIDE.search(before) and (stop := _WIDE_STOP.search(message)):
        message = message[: stop.start()]
    message = _sentence(message) if before.strip() else message
    return _tidy(message)[:LONGEST_MESSAGE]


def _end_of_quote(message: str, mark: str) -> int:
    """Return where a quotation ends that may hold others in the same marks, -1 for nowhere."""
    inner = 0
    for at, letter in enumerate(message):
        if letter != mark:
            continue
        if inner % 2 == 0 and not message[at + 1 : at + 2].isalnum():
            return at
        inner += 1
    return message.rfind(mark) if inner % 2 else -1


def _unopened(message: str) -> int:
    """Return where the bracket stands that closes one before the message, -1 for nowhere."""
    depth = 0
    for at, mark in enumerate(message):
        depth += (mark == "(") - (mark == ")")
        if depth < 0:
            return at
    return -1


def _tidy(text: str) -> str:
    text = text.strip()
    for mark in ("`", '"'):
        if text.count(mark) % 2:
            text = text.rstrip(mark)
    return text.rstrip("*").strip() if text.count("*") % 2 or text.endswith("**") else text
