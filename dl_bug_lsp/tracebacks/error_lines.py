"""The reader of error messages without a traceback: tables line by line, then plain words."""

from __future__ import annotations

import re
from dataclasses import replace

from dl_bug_lsp.logs.prefixes import split_record
from dl_bug_lsp.tracebacks import error_line_tables
from dl_bug_lsp.tracebacks.error_line_tables import ErrorLine, Weight
from dl_bug_lsp.tracebacks.failures import Cause, FailureKind, Frame, Relation
from dl_bug_lsp.tracebacks.mentions import exception_in
from dl_bug_lsp.tracebacks.stream import Block, Dialect, Stream
from dl_bug_lsp.tracebacks.traceback_lines import (
    OTHER_NAMES,
    message_end,
    parse_pasted,
    without_marks,
)

ROWS = (
    *error_line_tables.USAGE,
    *error_line_tables.SHELL,
    *error_line_tables.SYSTEM,
    *error_line_tables.NATIVE,
)

# One cheap search decides for most lines that no row of the tables can match.
TRIGGER = re.compile(
    r"rror|ailed|illed|Kill|atal|FATAL|not found|ERROR|[Uu]sage|No such|[Pp]ermission|denied|annot"
    r"|can't|ault|bort|Could not|CANCELLED|TERM|OOM|oom|[Ee]xit|unbound|xception|Terminat|terminat"
    r"|No module|Xid|preempt|Preempt|Evict|evict|Multiple values|You must specify|Missing mandatory"
    r"|In '|Interpolation|Primary config|Assertion|corruption|free\(|malloc|atchdog|ran out of"
    r"|Hangup|NCCL|nccl|gloo|OMP:|libgomp|BLAS|syntax|Syntax|No solution|Signal|SIG|smashing|limit"
    r"|submitted to be reduced|infer_shape|ephemeral"
    r"|No space|undefined symbol|quota|Read-only|DeadlineExceeded|PullBackOff|lost communication"
    r"|\*\*\*|Illegal|Microsoft C\+\+|died unex|APPCRASH|BEX64|HANGB1|HangB1|KernelRestarter"
    r"|kernel [\w-]{4,60} restarted|[Kk]ernel (?:appears|has died|crashed)"
    r"|ASSERT|modulefile|unknown:"
    r"|not recognized|不是内部|undefined reference|Undefined symbol|unresolved external|LNK[12]\d"
    r"|ld returned|linker command|symbol\(s\) not found|unable to find library"
    r"|implementation for node"
    rf"|{error_line_tables.ABROAD}"
    r"|0x[Cc]0000\w|is dead because|has died|orker died|low on memory"
    r"|CUDA SETUP: P|source was compiled with|conflict is caused by"
    r"|size mismatch|key\(s\)|, but you|BackOff|low on resource|\[c10d\]|Floating|Error downloading"
)
_QUOTE = re.compile(r"^\s{0,8}(?:> ?){1,4}(?=\S)")
"""How a quoted line of a log begins."""
_SHORT_LINE = 80
_BOLD = re.compile(r"^\s*(?P<mark>\*{1,3}|`{1,3}|__)(?P<text>[^*`_].*?)(?P=mark)\s*$")
"""A short line in the marks of Markdown: what a shell said, set in bold or as code."""
_QUIET = frozenset(("INFO", "DEBUG", "TRACE", "WARNING", "SUCCESS"))
_LOUD = frozenset(("ERROR", "CRITICAL", "FATAL"))
_PLAIN = re.compile(
    r"^\W{0,12}(?:fatal |runtime |unexpected )?(?:error|failed|failure|fatal|abort(?:ed"
    r"|ing)?)\b\W{0,3}",
    re.IGNORECASE,
)
_WARNING = re.compile(
    r"Warning: |^\s*warnings\.warn|[Dd]eprecat|\bwarn(?:ing)?\b[:\]]", re.IGNORECASE
)
_ANNOUNCED = re.compile(r": ([A-Z]\w{0,60}(?:Error|Exception): \S.{0,3000})$")
_PROSE = re.compile(
    r"^\W{0,4}(?:errors?|failures?|failed)(?: \w{1,20}){0,4}? ?"
    r"(?:screen ?shots?|images?|pictures?|here|below|follows?|as follows|like this)"
    r"(?: \w{1,20}){0,2} ?[:：]?\s*$"
    r"|^\W{0,4}errors? (?:without|codes?|messages?|logs?|details?|output|when|while|during|after"
    r"|reports?|traces?|info|stack)\b[^:]{0,200}:?\s*$",
    re.IGNORECASE,
)
"""A person's words about an error, which is told elsewhere."""
_JSON_MESSAGE = re.compile(
    r"^\s*\"message\": \"(?P<type>(?:\w{1,60}\.){0,6}[A-Z]\w{0,60}(?:Error|Exception)): "
    r"(?P<message>[^\"]{1,2000})\",?\s*$"
)
_NAMED = r"[A-Z]\w{0,60}(?:Error|Exception|Failed|NotMet|Invalid|Unsupported|Timeout)"
"""How exceptions' names end where their module stands before them."""
_CLASS_FIRST = re.compile(r"(?!Packages|Conda|Command|Environment|Unsatis)[A-Z]\w{0,60}Error: \S")
"""An exception's own line; conda prints names of its exceptions without a stack."""
_FULL_NAME = re.compile(
    rf"(?!omegaconf)[a-z_]\w{{0,60}}(?:\.\w{{1,60}}){{0,6}}\.(?:{_NAMED}|error|timeout): "
    rf"|(?!omegaconf){OTHER_NAMES}: "
    r"|error: OpenCV\("
)
_WITH_MODULE = re.compile(
    rf"(?<=\S )(?P<type>[a-z_]\w{{0,60}}(?:\.\w{{1,60}}){{0,6}}\.{_NAMED}): "
    r"(?P<message>\S.{0,3000})$"
)
_HANDLED = re.compile(
    r"\b(?:except\b|caught|retr(?:y|ies)\w*|skipp\w+|ignor\w+|raise[sd]?|warn\w*|catch\w*|File \")",
    re.IGNORECASE,
)
_GOT_OVER = re.compile(r"\b(?:retry(?:ing)?|skipp(?:ed|ing)|ignor(?:ed|ing))\b", re.IGNORECASE)
_HARMLESS = re.compile(
    r"(?:\b0 (?:errors?|failed)|^Error executing job with|no errors?|errors? (?:rate|=|: ?[\d.])"
    r"|failed call to cuInit|cuInit|[Ww]orker group"
    r"|Unable to register|factory: Attempting|TensorRT|cudart|computation_placer|error_rate"
    r"|mean_\w*error"
    r"|pip's dependency resolver|After October 2020"
    r"|\bmse\b|\bmae\b|on_error|\bskipp?|\bretry|\bignor)",
    re.IGNORECASE,
)
_SHORTEST = 4
_MAX_BACK = 60
_MAX_ON = 60
_MAX_TEXT = 4000


def read_error_line(stream: Stream, index: int) -> Block | None:
    """Read the error that a line reports, if any row of the tables, or its own words, say so."""
    text = stream.text(index)[:_MAX_TEXT]
    level, rest = split_record(text)
    if level is None and (quote := _QUOTE.match(text)):
        level, rest = split_record(text[quote.end() :])
    if level in _QUIET:
        return None
    if len(rest) < _SHORT_LINE and (bold := _BOLD.match(rest)):
        rest = bold["text"]
    if (_FULL_NAME.match(rest) or _CLASS_FIRST.match(rest)) and (
        named := _bare_exception(stream, index, rest)
    ):
        return named
    if named := _named_in_line(stream, index, level, rest):
        return named
    if level in _LOUD and (named := _with_value(stream, index, rest)):
        return named
    if said := _by_matlab(stream, index, rest):
        return said
    for row in ROWS:
        if row.cues and not any(cue in text for cue in row.cues):
            continue
        match = row.pattern.search(rest) or (row.pattern.search(text) if rest != text else None)
        if match and (row.back is None or _names_script(row, match) or _above(row, stream, index)):
            if row.program in _QUOTED and (named := _class_before(stream, index, rest, match)):
                return named
            if row.program in _THROWING and (thrown := _thrown(row, match, stream, index)):
                return thrown
            return _block(row, match, stream, index)
    return (
        _in_json(stream, index, text)
        or _shell_in_quotes(stream, index, rest)
        or _bare_exception(stream, index, rest)
        or _spoken(stream, index, level, rest)
    )


ERROR_LINE = Dialect("message", TRIGGER, read_error_line, is_traceback=False)


_VALUED = re.compile(r"^(?P<type>[A-Z]\w{0,60}Error) with (?P<value>[^\n]{1,200}):\s*$")
"""How Julia shows an exception that holds a value; its message is the next line."""


def _with_value(stream: Stream, index: int, rest: str) -> Block | None:
    """Read an exception that is shown with the value that it holds, and the message below it."""
    valued = _VALUED.match(rest)
    below = stream.text(index + 1).strip() if index + 1 < len(stream) else ""
    if valued is None or not below:
        return None
    shown = f"{rest.strip()} {below}"[:500]
    message = f"{below} ({valued['value']})"
    cause = Cause(valued["type"], message, (), Relation.ROOT, stream.span(index, index + 2))
    return Block([cause], index, index + 2, "message", evidence=shown, weight=int(Weight.SHELL))


_USING = re.compile(
    r"^Error using\s+(?P<function>[\w./>@+*^-]{1,120})(?: \(line \d{1,7}\))?"
    r"(?: (?P<said>[A-Z].*))?\s*$"
)
_IN_FUNCTION = re.compile(r"\bError in \S{1,120} \(line \d{1,7}\)")
"""How MATLAB names a function that failed, and the functions that called it."""
_LONGEST_STACK = 40


def _by_matlab(stream: Stream, index: int, rest: str) -> Block | None:
    """Read the message below MATLAB's heading, or behind it where the lines were joined."""
    using = _USING.match(rest)
    if using is None:
        return None
    called = next(
        (
            at
            for at in range(index, min(index + _LONGEST_STACK, len(stream)))
            if _IN_FUNCTION.search(stream.text(at))
        ),
        None,
    )
    if called is None and not rest.rstrip().endswith(")"):
        return None
    said, end = using["said"], index + 1
    if said is not None:
        said = _IN_FUNCTION.split(said, maxsplit=1)[0]
    else:
        while end < len(stream) and end != called and stream.text(end).strip():
            end += 1
        said = "\n".join(stream.text(at).strip() for at in range(index + 1, end))
    if not said.strip():
        return None
    last = end if called is None else called + 1
    cause = Cause("matlab", said.strip(), (), Relation.ROOT, stream.span(index, last))
    return Block(
        [cause], index, last, "message", FailureKind.MESSAGE,
        evidence=rest.strip()[:500], weight=int(Weight.SHELL),
    )  # fmt: skip


_PART = re.compile(r"\w[^`\"“]{0,40} [`\"“](?P<part>[\w./-]{2,80}: [^`\"”]{4,400})")


def _shell_in_quotes(stream: Stream, index: int, rest: str) -> Block | None:
    """Read what a shell said where a sentence quotes it, also up to the line's end."""
    part = _PART.search(rest)
    if part is None:
        return None
    for row in error_line_tables.SHELL:
        match = row.pattern.search(part["part"].rstrip())
        if match and row.back is None and row.program in _SHELLS:
            return replace(_block(row, match, stream, index), weight=int(Weight.SPOKEN))
    return None


_SHELLS = frozenset(("bash", "sh", "zsh", "env", "shell", "python"))
_QUOTED = frozenset(("dmlc", "native"))
"""Runtimes whose fatal checks Python classes hand on in their messages."""


def _class_before(stream: Stream, index: int, rest: str, match: re.Match[str]) -> Block | None:
    """Read the exception whose class a heading or a sentence has before a runtime's words."""
    named = exception_in(rest) if match.start() else None
    if named is None or rest.find(named[0]) >= match.start("message"):
        return None
    cause = Cause(named[0], named[1], (), Relation.ROOT, stream.span(index, index + 1))
    shown = f"{named[0]}: {named[1]}"[:500]
    weight = int(Weight.SHELL)
    return Block([cause], index, index + 1, "message", evidence=shown, weight=weight)


_THROWING = frozenset(("c++", "objective-c"))
"""Runtimes that name the class of an exception that nobody caught."""
_INSTANCE = re.compile(
    r"throwing an instance of ['`‘](?P<thrown>[^'’\n]{1,400})['’]?\s*(?:what\(\): ?(?P<what>.*))?"
    r"|exception of type (?P<type>\S(?:[^:\n]|:(?!\s)){0,400})(?::\s+(?P<said>.*))?$"
    r"|Microsoft C\+\+ (?:exception|异常): (?P<windows>[\w:<>]{1,400})"
    r"|uncaught exception '(?P<apple>\w{1,200})', reason: '(?P<reason>.*?)'?$"
)
_WHAT = re.compile(r"^\s*what\(\): ?(?P<what>.*)$")
_CLASS_OF_CXX = re.compile(r"[A-Za-z_]\w*(?:::|\b|$)[^*&]*$")
_ENDED_BY = re.compile(r"\s*\b(?:Aborted|abort)\b(?: \(core dumped\))?\s*$")
_BELOW_WHAT = re.compile(
    r"\s*(?:Exception raised from |frame #\d|Stack trace:|\[bt\] |terminate called|Aborted|abort\b"
    r"|zsh: |\*\*\* )|#\d+ |\[\d+\] |Fatal Python error"
)
"""What stands below the message of a C++ exception: where it was raised, and how it ended."""
_WHAT_REACH = 8
_OF_ANYTHING = re.compile(
    r"(?:std::(?:exception|runtime_error|logic_error|system_error)|c10::Error)$"
)
"""Classes of C++ exceptions that say nothing without a message."""


def _thrown(row: ErrorLine, match: re.Match[str], stream: Stream, index: int) -> Block | None:
    """Read the class and the message of an exception that ended a program written in C++.

    Without its message the whole line is kept, which says at least that the program ended by it.
    """
    line = match["message"]
    named = _INSTANCE.search(line)
    if named is None:
        return None
    type_ = next(named[g] for g in ("thrown", "type", "windows", "apple") if named[g]).strip()
    said = next((named[g] for g in ("what", "said", "reason") if named[g] is not None), None)
    raw = stream.text(index)
    margin = raw[: max(raw.find(line), 0)]
    margin = margin if _QUOTE.match(f"{margin}x") else ""

    def view(at: int) -> str | None:
        text = stream.text(at) if at < len(stream) else None
        if text is None:
            return None
        text = text[len(margin) :] if text.startswith(margin) else text
        return None if at > index and _BELOW_WHAT.match(text) else text

    first = index
    if said is None and named["thrown"]:
        for at in range(index + 1, min(index + _WHAT_REACH, len(stream))):
            if what := _WHAT.match(view(at) or ""):
                said, first = what["what"], at
                break
    if not _CLASS_OF_CXX.match(type_) or (said is None and "::" not in type_):
        return None
    end = index + 1
    message = line
    if said is not None:
        end = message_end(view, first, said.strip())
        below = [view(at) or "" for at in range(first + 1, end)]
        message = "\n".join([_ENDED_BY.sub("", said).strip(), *below]).strip()
    cause = Cause(type_, message or line, (), Relation.ROOT, stream.span(index, end))
    is_untold = said is None and _OF_ANYTHING.match(type_) is not None
    weight = int(Weight.SPOKEN) - 5 if is_untold else int(row.weight)
    return Block(
        [cause], index, end, "message", FailureKind.MESSAGE,
        evidence=raw.strip()[:500], weight=weight,
    )  # fmt: skip


def _names_script(row: ErrorLine, match: re.Match[str]) -> bool:
    """`train.py: error: …` needs no usage above it; `tool: error: …` does."""
    return row.program == "argparse" and match["file"].split(" ")[0].endswith(".py")


def _above(row: ErrorLine, stream: Stream, index: int) -> bool:
    if row.back is None:
        return False
    return any(row.back.search(stream.text(at)) for at in range(max(0, index - _MAX_BACK), index))


def _block(row: ErrorLine, match: re.Match[str], stream: Stream, index: int) -> Block:
    end = index + 1
    groups = match.groupdict()
    lines = [groups.get("message") or match.string.strip()]
    if row.until is not None:
        lines, end = _on(row.until, stream, index, lines)
    first = index
    if row.back is not None:
        for at in range(index - 1, max(-1, index - _MAX_BACK), -1):
            if row.back.search(stream.text(at)):
                first = at
                break
    frames: tuple[Frame, ...] = ()
    if (groups.get("file") or "").rpartition("/")[2] in _SHELLS:
        frames = ()
    elif groups.get("file") and groups.get("line"):
        frames = (Frame(groups["file"], int(groups["line"])),)
    elif groups.get("file"):
        frames = (Frame(groups["file"], 0),)
    message = "\n".join(lines).strip()
    cause = Cause(row.program, message, frames, Relation.ROOT, stream.span(first, end))
    kind = FailureKind.MESSAGE
    if row.program in _BY_CLASS and (own := _OWN_CLASS.match(message)):
        cause = replace(cause, type=own["type"], message=own["message"])
        kind = FailureKind.EXCEPTION
    return Block(
        [cause], first, end, "message", kind,
        evidence=stream.text(index).strip()[:500], weight=int(row.weight),
    )  # fmt: skip


_BY_CLASS = frozenset(("omegaconf", "conda"))
"""Programs that print their exceptions without a stack."""
_OWN_CLASS = re.compile(r"(?P<type>[\w.]{1,200}): ?(?P<message>.*)", re.DOTALL)
_SHELLS = frozenset(("bash", "sh", "zsh", "dash", "ksh", "-bash"))


def _on(
    until: re.Pattern[str], stream: Stream, index: int, lines: list[str]
) -> tuple[list[str], int]:
    """Return the lines of the message up to the one that ends it, without a box's sides."""
    for at in range(index + 1, min(index + _MAX_ON, len(stream))):
        if until.search(stream.text(at)):
            between = [stream.text(number).strip("│|┃ \t") for number in range(index + 1, at)]
            head = [] if lines[0][:1] in "╭+" else lines
            says_more = "what()" in stream.text(at) or stream.text(at).startswith("fatal: ")
            tail = [stream.text(at).strip()] if says_more else []
            return [*head, *between, *tail], at + 1
    return lines, index + 1


def _bare_exception(stream: Stream, index: int, rest: str) -> Block | None:
    """Read `SomeError: words` that stand alone, as `print(error)` and loggers leave them."""
    if not rest or rest[0].isspace():
        return None
    parsed = parse_pasted(rest, trusted=False)
    if parsed is None or not (
        re.search(r"(?:Error|Exception|Interrupt)$", parsed[0]) or _FULL_NAME.match(rest)
    ):
        return None
    raised_above = index > 0 and _RAISES.match(stream.text(index - 1))
    if not parsed[1] and not raised_above and not _goes_on_below(stream, index):
        return None
    if parsed[0].lower() in _GENERAL and (inner := exception_in(parsed[1])):
        parsed = inner
    end = message_end(lambda at: stream.text(at) if at < len(stream) else None, index, parsed[1])
    if not parsed[1] and raised_above:
        end = index + 1
    if parsed[0].rpartition(".")[2] == "KeyError" and _KEY.fullmatch(parsed[1]):
        end = index + 1
    elif not parsed[1].rstrip().endswith(":"):
        # The next exception that somebody wrote down below the first, each on its line.
        end = next((at for at in range(index + 1, end) if _NEXT.match(stream.text(at))), end)
    lines = without_marks(rest, [parsed[1], *(stream.text(at) for at in range(index + 1, end))])
    cause = Cause(parsed[0], "\n".join(lines).strip(), (), Relation.ROOT, stream.span(index, end))
    return Block(
        [cause], index, end, "message", evidence=rest.strip(), weight=int(Weight.SPOKEN) + 10
    )


_KEY = re.compile(r"\s*(?:'[^']{1,200}'|\"[^\"]{1,200}\"|-?\d{1,20})\s*")
"""All that a KeyError says where nobody gave it a message of its own."""
_NEXT = re.compile(rf"(?:[a-z_]\w{{0,60}}\.){{0,6}}{_NAMED}: \S")
_RAISES = re.compile(r"^\s+(?:assert|raise)\b")
"""The statement of a stack whose frames were not pasted."""
_GENERAL = frozenset(("error", "exception"))
"""Words before a colon that announce an exception's own class."""


def _in_json(stream: Stream, index: int, text: str) -> Block | None:
    """Read the exception in the record of an error that torchrun's workers write."""
    match = _JSON_MESSAGE.match(text) if '"message": "' in text else None
    if match is None:
        return None
    cause = Cause(match["type"], match["message"], (), Relation.ROOT, stream.span(index, index + 1))
    shown = f"{match['type']}: {match['message']}"
    return Block(
        [cause], index, index + 1, "message", evidence=shown, weight=int(Weight.SPOKEN) + 10
    )


def _named_in_line(stream: Stream, index: int, level: str | None, rest: str) -> Block | None:
    """Read the exception, with its module, that a heading or a sentence ends in."""
    match = _WITH_MODULE.search(rest) if level is None else None
    if match is None or _HANDLED.search(rest[: match.start()]) or _GOT_OVER.search(rest):
        return None
    cause = Cause(match["type"], match["message"], (), Relation.ROOT, stream.span(index, index + 1))
    return Block(
        [cause], index, index + 1, "message", evidence=match[0].strip(), weight=int(Weight.SPOKEN)
    )


def _goes_on_below(stream: Stream, index: int) -> bool:
    """Say whether an exception without words has them indented below it, or ends the text."""
    if index + 1 == len(stream):
        return True
    below = stream.text(index + 1)
    return below[:2].isspace() and bool(below.strip())


def _spoken(stream: Stream, index: int, level: str | None, rest: str) -> Block | None:
    """Take a line of level ERROR, or one that begins with "Error:", for a failure in words."""
    loud = level in _LOUD
    plain = _PLAIN.match(rest) if level is None else None
    if (
        not (loud or plain)
        or len(rest.rstrip(" \\|/-")) - (plain.end() if plain else 0) < _SHORTEST
    ):
        return None
    if _WARNING.search(rest) or _HARMLESS.search(rest) or (not loud and _PROSE.match(rest)):
        return None
    below = _told_below(stream, index, rest)
    if below:
        rest = stream.text(below).strip()
    inner = _ANNOUNCED.search(rest) if level is None else None
    if inner is not None and (named := parse_pasted(inner[1], trusted=False)):
        message = without_marks(rest, [named[1]])[0]
        cause = Cause(
            named[0], message.rstrip("*`_ "), (), Relation.ROOT, stream.span(index, index + 1)
        )
        return Block(
            [cause], index, index + 1, "message", evidence=inner[1], weight=int(Weight.SPOKEN)
        )
    end = max(index, below) + 1
    cause = Cause("log", rest.strip(), (), Relation.ROOT, stream.span(index, end))
    weight = int(Weight.SPOKEN) if loud else int(Weight.SPOKEN) - 5
    shown = stream.text(below or index).strip()[:500]
    return Block([cause], index, end, "message", FailureKind.MESSAGE, evidence=shown, weight=weight)


_DIALOG = re.compile(r"^\W{0,6}(?:An )?[Ee]rror occurr?ed (?:when|while|during) .{1,120}:\s*$")
"""What a dialog says above an exception's message, which stands there without its class."""


def _told_below(stream: Stream, index: int, rest: str) -> int:
    """Return the line with the message that a dialog's heading announces, 0 for none."""
    if not _DIALOG.match(rest):
        return 0
    at = next(
        (i for i in range(index + 1, min(index + 4, len(stream))) if stream.text(i).strip()), 0
    )
    text = stream.text(at).strip() if at else ""
    is_other = text.startswith(("Traceback (", 'File "', "```")) or parse_pasted(
        text, trusted=False
    )
    return 0 if is_other else at
