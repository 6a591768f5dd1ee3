"""The parts of a traceback: frames, the exception's line and message, and stacks inside of it.

Which files are a library's rather than the user's; how far a message goes on below its line. Stacks
that frameworks print inside a message: AutoGraph, Keras, graph nodes, torch.compile.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from dl_bug_lsp.logs.prefixes import starts_record
from dl_bug_lsp.tracebacks.failures import Frame

FRAME = re.compile(
    r'^(?P<mark>>?)(?P<indent>\s*)File "(?P<file>.+?)", line (?P<line>\d{1,9})'
    r"(?:,? in(?: |(?=<))(?P<function>.*?))?(?P<star> {1,2}\*{1,2})?(?:(?<=\S)|(?<= in ))\s*$"
)
"""One `File "…", line N, in f` line; AutoGraph appends `*` (the user's) or `**` to it."""

REPEATED = re.compile(r"^\s*\[Previous line repeated \d+ more times?\]\s*$")
_CARETS = re.compile(r"^\s*[\^~][\s^~]*$")
_VALUES = re.compile(r"^\s*(?:[│|]\s*)*[└│]")
_ELISION = re.compile(r"^\s*\.\.\.<\d+ lines>\.\.\.\s*$")
_LIBRARY = re.compile(
    r"[\\/](?:site|dist)-packages[\\/]"
    r"|[\\/](?:lib|lib64|Lib)[\\/]python\d(?:\.\d+)?[\\/]"
    r"|[\\/][Pp]ython(?:\d[\d.]*|[\\/]\d[\d.]*)[\\/][Ll]ib[\\/]"
    r"|[\\/](?:(?:[Aa]na|[Mm]ini)?conda|(?:[Mm]ini|[Mm]amba)forge)\d?[\\/](?:envs[\\/][^\\/]+[\\/])?[Ll]ib[\\/]"
    r"|\\envs\\[^\\]+\\[Ll]ib\\"
    r"|^<frozen |^<string>$|^<__array_function__|^<decorator-gen|^<eval_with_key>|^<attrs generated"
    r"|__autograph_generated_file|^<unknown>$|\.pyx$|\.pxi$"
    r"|^(?:/(?:usr/)?(?:local/)?bin/|/opt/[\w.-]*venv[\w.-]*/bin/)"
    r"|[\\/](?:\.?venv|virtualenv|env)[\w.-]*[\\/](?:bin|Scripts)[\\/]"
    r"|^(?:lib[\\/]python\d|python[\\/]ray[\\/])"
)


def is_library_path(path: str) -> bool:
    """Say whether a printed path is an installed library's or the interpreter's own."""
    return bool(_LIBRARY.search(path))


def parse_frame(text: str) -> Frame | None:
    """Read one frame line, without its source."""
    match = FRAME.match(text)
    if not match or int(match["line"]) > 10_000_000:
        return None
    star = (match["star"] or "").strip()
    user = None if not star else star == "*"
    function = match["function"]
    return Frame(match["file"], int(match["line"]), function or None, marked_user=user)


def is_caret_line(text: str) -> bool:
    """Say whether a line holds only the marks that underline an expression (PEP 657)."""
    return bool(_CARETS.match(text))


def read_source(lines: list[str]) -> tuple[str | None, str | None]:
    """Return the source and the underlined expression from what is printed below a frame.

    From Python 3.13 on a statement's lines alternate with their carets; decorated tracebacks put
    values (``│ └ 3``) below the source.
    """
    source: list[str] = []
    marked: list[str] = []
    for text in lines:
        if is_caret_line(text):
            if source:
                marked.append(_underlined(source[-1], text))
        elif not _VALUES.match(text) and not _ELISION.match(text) and text.strip():
            source.append(text)
    if not source:
        return None, None
    indent = min(len(text) - len(text.lstrip()) for text in source)
    shown = "\n".join(text[indent:].rstrip() for text in source)
    expression = "\n".join(part for part in marked if part)
    return shown.strip(), expression or None


def _underlined(source: str, carets: str) -> str:
    begin = len(carets) - len(carets.lstrip())
    return source[begin : len(carets.rstrip())].strip()


# ---------------------------------------------------------------------- the line of the exception
EXCEPTION = re.compile(
    r"^(?P<type>[^\W\d][\w.]*(?:<locals>[\w.]*){0,8}(?:\([\w.]{1,200}\))?)(?::(?: "
    r"(?P<message>.*))?)?$"
)
CHAINED = re.compile(
    r"^\W{0,60}(?P<during>During handling of the above exception)"
    r"|^\W{0,60}(?P<cause>The above exception was the direct cause)"
)
_ENDINGS = re.compile(
    r"(?:Error|Exception|Exit|Interrupt|Warning|Iteration|Failure|Failed|Unsupported)$"
)
OTHER_NAMES = (
    r"(?:(?:[A-Za-z_]\w{0,60}\.){0,7}(?:errors?|exceptions?|\w{1,60}_(?:state|errors?|exceptions?))"
    r"\.[A-Z]\w{0,80}"
    r"|(?:[A-Za-z_]\w{0,60}\.){0,8}OutOf[A-Z]\w{0,40})"
)
"""Classes of exceptions that their module, or their form, shows to be such (``OutOfResources``)."""
BUILTIN = {
    f"{stem.lower()}error": f"{stem}Error"
    for stem in (
        *("Runtime", "Value", "Type", "Key", "Index", "Attribute", "Import", "Name", "Assertion"),
        *("Memory", "OS", "Permission", "ModuleNotFound", "FileNotFound", "NotImplemented"),
        "ZeroDivision",
    )
}
"""Python's classes by their names in small letters, for those that people type anew."""
BUILTIN |= {name[1:]: whole for name, whole in tuple(BUILTIN.items()) if len(name) > len("oserror")}
_FOREIGN = re.compile(
    r"^(?:(?:\w+ )?Traceback \(most recent call last|Call stack:|Stack \(most recent|srun: "
    r"|slurmstepd: |Exception ignored in"
    r"|During handling of the above|The above exception was|Set the environment variable HYDRA_FULL"
    r"|wandb: |\[rank\d|={20}|-{20}$|E\d{4} |[WIEF]\d{4} \d\d:|\$ |\+ \w|make: |mpirun |make\[\d"
    r"|Exception in thread |Process \w+-\d+:$|Error in sys|Epoch[\s:\[]|epoch[\s:=]|step[\s:=]\s*\d"
    r"|[Mm]akefile:\d+: "
    r"|Killed$|Aborted|Segmentation fault|terminate called|Fatal Python error|Task exception was"
    r"|'''$|\"\"\"$|\s*\d{1,3}%\||--- Logging error|Original exception was:|usage: |Thread 0x"
    r"|Current thread 0x|Sentry |\(\w+ pid=|=+ \w|_{5,} |~ |>>> |In \[\d+\]: |ERROR:"
    r"|Error executing job|Command exited with non-zero status|Command terminated by signal"
    r"|\s*Command being timed:|[\d.]+user [\d.]+system |(?:real|user|sys)\s+\d"
    r"|\s*\[end of output\]|\s*note: This error originates from a subprocess"
    r"|#\d{1,4} (?:ERROR|DONE|CANCELED)|Set TORCHDYNAMO_VERBOSE|You can suppress this exception)"
)
_METRIC = re.compile(r"\b(?:loss|acc|accuracy|lr|val_\w+|it/s)\b ?[=:]? ?[\d.]", re.IGNORECASE)
_PARAGRAPHS = re.compile(
    r"^(?:Exception encountered when calling|in user code:|Graph execution error:"
    r"|Error executing|The .{0,80} requires|Failed to import|Failed initializing|\{\{function_node"
    r"|\d{3} (?:Client|Server) Error\. \(Request ID)"
    r"|^$"
)
_FURTHER = tuple(
    (re.compile(head), re.compile(opening))
    for head, opening in (
        (
            r"An error occurred while generating the dataset",
            r"All the data files must have|This happened while|Please either edit|\S*[/\\]\S*$",
        ),
        (
            r"Error when deserializing class|<class '[^']{1,200}'> could not be deserialized",
            r"Exception encountered: ",
        ),
        (r"Weights only load failed", r"Check the documentation of torch\.load"),
        (
            r"You are trying to access a gated repo|.{0,400}\b\d{3} (?:Client|Server) Error",
            r"Cannot access gated repo|(?:Repository|Revision|(?:Remote |Local )?Entry) Not Found"
            r"|Access to (?:model|dataset)|Please make sure you specified|If you are trying to"
            r"|Bad request|Invalid username",
        ),
        (
            r"Failed in nopython mode pipeline|No implementation of function",
            r"\s*>>> |There (?:is|are) \d+ candidate|During: |File \"",
        ),
        (r"A total of \d+ objects could not be loaded", r"Layer |List of objects"),
        (r"RESOURCE_EXHAUSTED", r"Total hbm usage|Largest program allocations|Peak buffers"),
        (r"Descriptors cannot be? ?created directly", r"More information"),
        (r"The checkpoint you are trying to load has model type", r"You can update Transformers"),
        (
            r"",
            r"\s*(?:Developer debug context: |For more details about this graph break"
            r"|If you just \(re\)installed|Original error was: )",
        ),
    )
)
"""How messages of libraries begin that have several paragraphs, and how their further ones do."""
_ANNOUNCES = re.compile(r":\s*$")
"""How a first line ends that announces what stands below it, beyond a blank line."""
_NAME_ALONE = re.compile(r"\w\s*$")
_PERSONAL = re.compile(
    r"^[*_>\s]{0,6}(?:(?:But |So |And |[Ww]hen |[Aa]fter |[Ii]f )?I(?:'m|'ve|'d)?|My|We|Thanks?"
    r"|Thank you|Hi|Hello|Any (?:idea|help|suggestion|one)|Anyone|How (?:can|do|to|should)|Why"
    r"|Could (?:you|any|some)\w*|Can (?:you|any|some)\w*|Has any\w*|Is there any|Please help"
    r"|What (?:should|can|is) )\b(?! ?[:=(\[])|^[*_]{2,4}[A-Z][a-z]+ \w"
)
"""How a line begins in which a person goes on below a message that was pasted."""
_JAX_END = re.compile(r"^-{20}$")
_USER_CODE = re.compile(r"^\s*(?:in user code:|from user code:)")
_ARGUMENTS = re.compile(r"^\s*(?:Arguments|Call arguments) received by ")
MOST_BEFORE_NESTED, MOST_OF_CONFIG = 4, 8
"""Lines of a message of Keras below which one that it hands on begins, also with a config."""
_MAX_LINES = 400
_FREE_LINES = 25


def looks_like_type(name: str, *, alone: bool) -> bool:
    """Say whether a word can be an exception's class (``alone``: no message follows it)."""
    last = name.split("(", maxsplit=1)[0].rpartition(".")[2]
    if not last:
        return False
    if last[0].isupper() or _ENDINGS.search(last):
        return True
    return "." in name and not alone


def names_exception(name: str) -> bool:
    """Say whether a name ends as those of exceptions do."""
    return bool(_ENDINGS.search(name))


def parse_exception(text: str) -> tuple[str, str] | None:
    """Read ``Type: message`` into its parts, or None where the line is something else."""
    if len(text) > 100_000:
        text = text[:100_000]
    match = EXCEPTION.match(_REFERENCE.sub(r"\1:", text.rstrip(), count=1))
    if not match or not looks_like_type(match["type"], alone=match["message"] is None):
        return None
    return BUILTIN.get(match["type"].lower(), match["type"]), match["message"] or ""


_REFERENCE = re.compile(r"^([\w.]{1,200}) \(see above for traceback\):")
"""What TensorFlow 1 puts between the class of an exception and its message."""
_SPACED_COLON = re.compile(
    r"^(\W{0,20}(?:[A-Za-z_]\w{0,60}\.){0,8}[A-Z]\w{0,60}(?:Error|Exception)) : ?"
)
_OTHER_SCRIPT = re.compile(
    r"^[^\n]{0,200}[\u3000-\u9fff\uac00-\ud7af\uff00-\uffef]"
    r"(?=(?:[A-Za-z_]\w{0,60}\.){0,8}[A-Z][A-Za-z_]{0,60}(?:Error|Exception): )",
    re.ASCII,
)
"""Words of a language without blanks that run into an exception's class."""
_OPENING = re.compile(r"^(?:[\s>*_`~“\"']|<[A-Za-z][\w-]{0,30}>|[-+] |\d\. ){1,12}")
_ITALIC = re.compile(r"^_(?P<text>[A-Z][\w.]{0,200}: .{1,4000}[^_\s])_\s*$")
"""An exception's line between Markdown's marks for italics, which could belong to its name."""
_CLOSING_TAGS = re.compile(r"(?:\s*</[A-Za-z][\w-]{0,30}>)+\s*$")
_MARKS = ("```", "***", "**", "__", "`", "*", "_", "”", '"', "'")
"""What Markdown and letters put around an exception's line, the longest first."""


def parse_pasted(text: str, *, trusted: bool = True) -> tuple[str, str] | None:
    """Read ``Type: message`` with the marks of Markdown, quotes or tags around it.

    ``trusted`` lines stand below a stack; elsewhere the class must end as exceptions' names do.
    """
    text = _ITALIC.sub(r"\g<text>", text, count=1) if text[:1] == "_" else text
    if (parsed := parse_exception(text)) and parsed[0].isascii():
        return parsed[0], _without_close(parsed[1], text)
    text = _OTHER_SCRIPT.sub("", _SPACED_COLON.sub(r"\1: ", text, count=1), count=1)
    opening = _OPENING.match(text[:200])
    if opening is None:
        return parse_exception(text) if text[:1].isascii() and "Error: " in text[:200] else None
    bare = _without_close(text[opening.end() :], text, opened=True)
    whole = _closed_inside(opening[0], bare)
    parsed = parse_exception(whole)
    if parsed is None or not (trusted or _ENDINGS.search(parsed[0])):
        return None
    # "**Error**: `TypeError: …`" has a heading in bold, not a class.
    return None if whole != bare and parsed[0] in _HEADINGS and not trusted else parsed


_HEADINGS = frozenset(("Error", "Exception", "Warning"))


def _closed_inside(opening: str, text: str) -> str:
    """Leave out the mark that closes within a line what ``opening`` began: a part is set in bold.

    A mark that stands there more than once is none, and neither is one before a letter: it is an
    operator or belongs to a name.
    """
    opened = _LAST_MARK.search(opening)
    if opened is None:
        return text
    mark = opened[0]
    closing = _closing_of(mark)
    at = text.find(closing)
    while at >= 0 and (at == 0 or text[at - 1].isspace()):
        at = text.find(closing, at + len(closing))
    end = at + len(closing)
    if at < 0 or text[end : end + 1].isalnum() or closing in text[end:]:
        return text
    return text[:at] + text[end:]


_LAST_MARK = re.compile(r"(?:\*{1,3}|_{1,2}|`{1,3}|<[A-Za-z][\w-]{0,30}>)(?=\s*$)")
"""The mark of Markdown, or the tag, that begins right before an exception's class."""


def _closing_of(mark: str) -> str:
    return f"</{mark[1:]}" if mark.startswith("<") else mark


def _without_close(text: str, line: str, *, opened: bool = False) -> str:
    """Cut off closing tags, and the mark that closes what was opened here or further up."""
    text = _CLOSING_TAGS.sub("", text) if text.endswith(">") else text
    stripped = text.rstrip()
    for mark in _MARKS:
        if not stripped.endswith(mark):
            continue
        begun = line.lstrip("> -+").startswith(mark) if opened else False
        lone = mark in ("`", "”", "```") and stripped.count(mark) % 2 == 1 and "“" not in stripped
        if begun or lone:
            return stripped[: -len(mark)].rstrip()
    return text


def without_marks(head: str, lines: list[str]) -> list[str]:
    """Cut the mark that ``head`` opens from the end of a message's last line."""
    if not lines:
        return lines
    last = _without_close(lines[-1], head, opened=bool(_OPENING.match(head[:1])))
    return [*lines[:-1], last]


def is_foreign(text: str) -> bool:
    """Say whether a line can not belong to the message of an exception above it."""
    return bool(_FOREIGN.match(text)) or starts_record(text) or bool(_METRIC.search(text[:400]))


def message_end(view: Callable[[int], str | None], first: int, head: str) -> int:
    """Return the index after the last line of a message whose first line is at ``first``.

    ``view`` gives a line by index, None beyond the traceback's margin or the end. Messages of one
    paragraph end at a blank line; frameworks whose messages have several are known by their heads.
    """
    user_end = _user_code_end(view, first)
    if user_end is not None:
        return user_end
    if head.startswith("Exception encountered when calling"):
        return _keras_end(view, first)
    if head.startswith(_IN_TORCHSCRIPT):
        return _torchscript_end(view, first)
    nested = _nested_in_keras(view, first, head)
    if nested is not None:
        return _keras_end(view, nested)
    if head.startswith("Graph execution error"):
        return _graph_end(view, first)
    # A class without a colon has no message: what stands beyond a blank line is something else.
    is_bare = not head and _NAME_ALONE.search((view(first) or "")[-200:]) is not None
    several = bool(_PARAGRAPHS.match(head) or _ANNOUNCES.search(head[-200:])) and not is_bare
    end = _jax_end(view, first) or _plain_end(view, first, several=several)
    return _further_end(view, first, end, head)


def _further_end(view: Callable[[int], str | None], first: int, end: int, head: str) -> int:
    """Return the end of the paragraphs with which a library's message is known to go on."""
    openings = [opening for begin, opening in _FURTHER if begin.match(head)]
    for _ in range(_MOST_PARAGRAPHS):
        at = end
        while at - end < _MOST_BLANK and (text := view(at)) is not None and not text.strip():
            at += 1
        text = view(at)
        if at == end or not text or not any(opening.match(text) for opening in openings):
            break
        end = _plain_end(view, at, several=False)
    return end


_MOST_PARAGRAPHS, _MOST_BLANK = 8, 3


def _jax_end(view: Callable[[int], str | None], first: int) -> int | None:
    """Return where a message ends below which JAX says that it has hidden frames, else None."""
    for index in range(first + 1, first + 60):
        text = view(index)
        if text is None:
            return None
        if _JAX_END.match(text.rstrip()):
            if not (view(index + 1) or "").startswith("For simplicity, JAX has removed"):
                return None
            return next(
                (end for end in range(index, first, -1) if (view(end - 1) or "").strip()), None
            )
        if _FOREIGN.match(text) or FRAME.match(text):
            return None
    return None


def _torchscript_end(view: Callable[[int], str | None], first: int) -> int:
    """Return where a message of TorchScript's interpreter ends: behind the exception it names.

    Its stack shows code at the margin of the file; the failing part is marked ``<--- HERE``.
    """
    is_marked = False
    for index in range(first + 1, first + _MAX_LINES):
        text = view(index)
        if text is None or text.startswith("Traceback (most recent"):
            break
        if _HERE.search(text):
            is_marked = True
        elif is_marked and parse_exception(text.strip()) is not None:
            return _plain_end(view, index, several=False)
        elif FRAME.match(text):
            is_marked = False
    return _plain_end(view, first, several=False)


def _plain_end(view: Callable[[int], str | None], first: int, *, several: bool) -> int:
    """Return the end of an ordinary message; ``several`` allows a blank line after the first."""
    end, free = first + 1, 0
    head = view(first) or ""
    if _SPAN_ALONE.match(head):
        return end
    in_list = _ITEM.match(head) is not None
    while end - first < _MAX_LINES:
        text = view(end)
        if text is None or (in_list and _ITEM.match(text)):
            break
        if not text.strip():
            if not several or end > first + 1:
                break
        elif is_foreign(text) or FRAME.match(text) or _PERSONAL.match(text):
            break
        elif not text[0].isspace():
            free += 1
            if free > _FREE_LINES or _stands_alone(text, view(end + 1)):
                break
        end += 1
    while end > first + 1 and not (view(end - 1) or "").strip():
        end -= 1
    return end


_ITEM = re.compile(r"\s*(?:[-*+•] |\d{1,2}[.)] )\s*[`*\w]")
"""How an item of a list begins: the message of one ends before the next."""
_SPAN_ALONE = re.compile(r"\s*(?:[-*+•] |\d{1,2}[.)] )?\s*`[^`\n]{1,2000}`[.,;。]?\s*$")
"""A line, or an item of a list, that is one code span: what it holds ends with it."""


def _stands_alone(text: str, below: str | None) -> bool:
    """Say whether a line is the next thing printed: a single word, nothing indented below it."""
    if " " in text.strip() or text.rstrip()[-1] in ":,;([{":
        return False
    return not (below and below[0].isspace() and below.strip())


def _user_code_end(view: Callable[[int], str | None], first: int) -> int | None:
    """Return the end of a message that holds AutoGraph's or dynamo's user frames, if it does."""
    for index in range(first, first + 60):
        text = view(index)
        if text is None or (index > first and _FOREIGN.match(text)):
            return None
        if _USER_CODE.match(text) or (index == first and text.rstrip().endswith("in user code:")):
            return _indented_end(view, index + 1)
        if index > first + 1 and text.strip() and not text[0].isspace() and _is_header(text):
            return None
    return None


def _is_header(text: str) -> bool:
    return "Traceback (most recent call" in text


def _indented_end(view: Callable[[int], str | None], index: int) -> int:
    """Return the index after an indented section, and after the arguments that Keras adds."""
    end = index
    while index - end < 8 and end - index < _MAX_LINES:
        text = view(index)
        if text is None or (text.strip() and _FOREIGN.match(text)):
            break
        if text.strip():
            if not (text[0].isspace() or _ARGUMENTS.match(text) or text.startswith("•")):
                break
            end = index + 1
        index += 1
    return end


def _keras_end(view: Callable[[int], str | None], first: int) -> int:
    """Keras ends its messages with the arguments of the call, one bullet each."""
    last = first + 1
    for index in range(first + 1, first + 200):
        text = view(index)
        if text is None or _FOREIGN.match(text):
            break
        if _ARGUMENTS.match(text):
            last = index + 1
            while (view(last) or "").lstrip().startswith("•"):
                last += 1
            return last
        if text.strip() and index < first + 40:
            last = index + 1
    return last


def _nested_in_keras(view: Callable[[int], str | None], first: int, head: str) -> int | None:
    """Return where a message of Keras hands on another one, None where it does not.

    It stands in the lines below, or below the configuration of an object that cannot be made again.
    """
    most = MOST_OF_CONFIG if "could not be deserialized properly" in head else MOST_BEFORE_NESTED
    for index in range(first + 1, first + most):
        text = view(index)
        if text is None or (not text.strip() and most == MOST_BEFORE_NESTED):
            return None
        marked = text.lstrip("'\"").startswith("Exception encountered")
        if marked and (most == MOST_OF_CONFIG or "when calling" in text):
            return index
        if _FOREIGN.match(text) or FRAME.match(text):
            return None
    return None


def _graph_end(view: Callable[[int], str | None], first: int) -> int:
    """TensorFlow ends these with the operation's name in brackets."""
    last = first + 1
    for index in range(first + 1, first + _MAX_LINES):
        text = view(index)
        if text is None or (_FOREIGN.match(text) and "defined at" not in text):
            break
        if text.strip():
            last = index + 1
        if "[Op:" in text:
            break
    return last


# ---------------------------------------------------------------------- stacks inside a message
_STACK_OPENING = re.compile(
    r"^\s*(?:in user code:|from user code:)\s*$"
    r"|^\s*(?:\(\d+\) )?(?:[\w.]+: )?Detected at node .{0,4000}"
    r"defined at \(most recent call last\):"
)
_IN_TORCHSCRIPT = "The following operation failed in the TorchScript interpreter"
_HERE = re.compile(r"<--- HERE\s*$")
_SERIALIZED = "code/__torch__"
_IN_CALL = re.compile(r"^ *(?:In call to configurable '|No values supplied by Gin or caller for )")
_FOOTER = re.compile(r"^-{20}$|^For simplicity, JAX has removed its internal frames")


@dataclass(frozen=True, slots=True)
class Embedded:
    """A message without the stack that stood in it; ``type`` is the inner exception's, if any."""

    message: str
    frames: tuple[Frame, ...]
    type: str | None = None


def extract(lines: list[str]) -> Embedded:
    """Take the framework's user frames out of a message's lines (the first without its type)."""
    if lines and lines[0].startswith(_IN_TORCHSCRIPT):
        return _of_torchscript(lines)
    message_lines: list[str] = []
    frames: list[Frame] = []
    inner_type: str | None = None
    index = 0
    while index < len(lines):
        text = lines[index]
        opening = bool(_STACK_OPENING.match(text)) or text.strip() == "in user code:"
        if opening or FRAME.match(text):
            start = index + 1 if opening else index
            user = True if "from user code" in text else None
            user_frames, index = _read_frames(lines, start, user)
            frames.extend(user_frames)
            if opening and not text.strip().startswith(("in user", "from user")):
                message_lines.append(text.strip())
            elif opening and "in user code" in text:
                inner_type, index = _inner_exception(lines, index, message_lines, inner_type)
            continue
        message_lines.append(text)
        index += 1
    message = (
        _joined(message_lines)
        if frames
        else "\n".join(text.rstrip() for text in message_lines).strip()
    )
    return Embedded(message, tuple(frames), inner_type)


def _of_torchscript(lines: list[str]) -> Embedded:
    """Take the stack of TorchScript's interpreter and the exception below it out of a message.

    A frame's line is that of the marked code. Frames of serialized code, which no file of the
    program holds, are left out.
    """
    frames: list[Frame] = []
    at = 1
    for index, text in enumerate(lines):
        frame = parse_frame(text)
        if frame is not None:
            frames.append(frame)
            at = index
        elif frames and _HERE.search(text) and not frames[-1].source:
            source, expression = read_source([lines[index - 1], _HERE.sub("", text)])
            frames[-1] = replace(frames[-1], source=source, expression=expression)
            at = index
    own = tuple(frame for frame in frames if not frame.file.startswith(_SERIALIZED))
    for index in range(at + 1, len(lines)):
        parsed = parse_exception(lines[index].strip())
        if parsed is not None:
            return Embedded(_joined([parsed[1], *lines[index + 1 :]]), own, parsed[0])
    return Embedded(lines[0].strip(), own)


def _inner_exception(
    lines: list[str], index: int, message_lines: list[str], known: str | None
) -> tuple[str | None, int]:
    """Read the exception below AutoGraph's frames; its message goes on as the outer one's."""
    while index < len(lines) and not lines[index].strip():
        index += 1
    if index >= len(lines):
        return known, index
    text = lines[index]
    parsed = parse_exception(text.strip())
    if parsed is None:
        return known, index
    lines[index] = text[: len(text) - len(text.lstrip())] + parsed[1]
    if parsed[1].strip() == "in user code:":
        return parsed[0], index
    message_lines.append(parsed[1])
    return parsed[0], index + 1


def _read_frames(lines: list[str], index: int, user: bool | None) -> tuple[list[Frame], int]:
    frames: list[Frame] = []
    while index < len(lines):
        if not lines[index].strip():
            index += 1
            continue
        frame = parse_frame(lines[index])
        if frame is None:
            break
        indent = _indent(lines[index])
        end = index + 1
        while end < len(lines) and lines[end].strip() and _indent(lines[end]) > indent:
            if FRAME.match(lines[end]):
                break
            end += 1
        source, expression = read_source(lines[index + 1 : end])
        marked = user if frame.marked_user is None else frame.marked_user
        if marked is True and is_library_path(frame.file):
            marked = False
        frames.append(replace(frame, source=source, expression=expression, marked_user=marked))
        index = end
    return frames, index


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def _joined(message_lines: list[str]) -> str:
    """Join a message's lines: common indentation out, no blank lines doubled or at the ends."""
    body = [text for text in message_lines[1:] if text.strip()]
    indent = min((_indent(text) for text in body), default=0) if len(message_lines) > 1 else 0
    out: list[str] = []
    for number, text in enumerate(message_lines):
        shown = text.rstrip() if number == 0 else text[indent:].rstrip()
        if shown or (out and out[-1]):
            out.append(shown)
    return "\n".join(out).strip()


def split_footer(lines: list[str]) -> tuple[list[str], list[str]]:
    """Split what a library puts below every message from a message's lines.

    JAX tells of filtered frames, gin of the configurable functions that the exception went through.
    """
    for index, text in enumerate(lines):
        if index and (_FOOTER.match(text) or _IN_CALL.match(text)):
            note = [line for line in lines[index:] if not line.startswith("-----")]
            return lines[:index], note
    return lines, []


def joined_stacks(stack: tuple[Frame, ...], embedded: tuple[Frame, ...]) -> tuple[Frame, ...]:
    """Append an embedded stack to the outer one, without the beginning that both share."""
    shared = 0
    while shared < min(len(stack), len(embedded)) and (stack[shared].file, stack[shared].line) == (
        embedded[shared].file,
        embedded[shared].line,
    ):
        shared += 1
    return (*stack, *embedded[shared:])
