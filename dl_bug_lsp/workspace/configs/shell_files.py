"""Shell scripts: their commands and words, variables and options, each with its line.

The path of a command starts with the script or module that it runs: ``python train.py --lr 0.1``
gives ``("train.py", "lr")``; options of a launcher before it are found under the launcher's name.
A loop over words has the path ``("for",)`` and goes from its line to that of its ``done``; its
words are ``("for", variable, 0)`` and so on. The syntax is an outline of POSIX sh.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from dl_bug_lsp.workspace.configs.reading import MOST_ENTRIES, ConfigReading, entry, plain_scalar
from dl_bug_lsp.workspace.contents import ConfigEntry

_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)\+?=([\s\S]*)")
_OPTION = re.compile(r"(--?)([A-Za-z][\w.-]*)(?:=([\s\S]*))?$")
_OVERRIDE = re.compile(r"(?:\+\+?|~)?([A-Za-z_][\w./@-]*)=(?!=)([\s\S]*)")
_COMMAND_VARIABLE = re.compile(
    r"\$(?:\w*(?:PY|LAUNCH|EXEC)\w*|\{\w*(?:PY|LAUNCH|EXEC)\w*(?::?-[^{}]*)?\})", re.IGNORECASE
)
"""A variable whose name says that it holds an interpreter or a launcher."""
_NUMBER = re.compile(r"-\.?\d")
_DIRECTIVE = re.compile(r"#(SBATCH|PBS|BSUB|\$)[ \t]+(.+)$")
_DECLARING = frozenset(
    ("export", "declare", "local", "readonly", "typeset", "set", "env", "setenv")
)
_LAUNCHERS = frozenset(
    (
        "python", "python2", "python3", "torchrun", "accelerate", "deepspeed", "srun", "mpirun",
        "mpiexec", "horovodrun", "sudo", "nohup", "time", "timeout", "exec", "env", "poetry", "uv",
        "conda", "run", "launch", "docker", "xvfb-run", "ray", "bash", "sh", "nice", "stdbuf",
        "coverage", "kernprof", "nsys", "ncu", "debugpy", "torch.distributed.run",
        "torch.distributed.launch",
    )
)  # fmt: skip
_LOOPS = frozenset(("for", "while", "until", "select"))
_BRACES = re.compile(
    r"(?<!\$)\{(?:(?P<words>[^{},$]*(?:,[^{},$]*)+)|(?P<first>-?\d{1,9})\.\.(?P<last>-?\d{1,9}))\}"
)
_COUNTED = re.compile(
    r"[$`]\(?seq +(?:(?P<start>-?\d{1,9}) +(?:(?P<by>-?\d{1,9}) +)?)?(?P<last>-?\d{1,9})[)`]"
)
_MOST_ROUNDS = 100
_KEYWORDS = frozenset(("if", "then", "do", "while", "else", "elif", "until", "!", "{"))
_CONTROL = frozenset(("for", "case", "select", "function", "fi", "done", "esac", "}"))


def read_shell_config(file: str, text: str) -> ConfigReading:
    """Return the entries of a shell script, batch directives included."""
    numbered = list(enumerate(text.split("\n"), 1))
    entries = _directives(file, numbered)
    commands, problem, line = shell_entries(file, numbered)
    merged = sorted([*entries, *commands], key=lambda e: e.line)
    return ConfigReading(tuple(merged), problem, line)


def shell_entries(
    file: str, lines: Iterable[tuple[int, str]]
) -> tuple[list[ConfigEntry], str | None, int | None]:
    """Return the entries of numbered lines of shell, and the first problem with its line."""
    commands, problem, line = split_commands(lines)
    ends = _ends_of_loops(commands)
    entries: list[ConfigEntry] = []
    for number, command in enumerate(commands):
        if len(entries) >= MOST_ENTRIES:
            break
        if number in ends:
            entries.extend(_loop_entries(file, command, ends[number]))
        entries.extend(command_entries(file, command))
    return entries, problem, line


def _ends_of_loops(commands: Iterable[Command]) -> dict[int, int]:
    """Return the line of ``done`` for the number of each command that starts a ``for`` loop."""
    ends: dict[int, int] = {}
    inside: list[int | None] = []
    for number, command in enumerate(commands):
        for word in command.words:
            if word.text in _LOOPS:
                inside.append(number if word.text == "for" else None)
            elif word.text == "done":
                started = inside.pop() if inside else None
                if started is not None:
                    ends[started] = word.line
            if word.text not in _KEYWORDS:
                break
    return ends


def _loop_entries(file: str, command: Command, end: int) -> list[ConfigEntry]:
    """Return a ``for`` loop and the words that its variable stands for, none if others make them.

    Source: the Bash reference manual, "Looping Constructs" and "Brace Expansion".
    """
    words = command.words[next(i for i, w in enumerate(command.words) if w.text == "for") + 1 :]
    if len(words) < 3 or words[1].text != "in":
        return []
    given = [Word(text, word.line) for word in words[2:] for text in _braced(word.text)]
    if len(given) > _MOST_ROUNDS or any("$(" in w.text or "`" in w.text for w in given):
        return []
    whole = entry(
        file, words[0].line, ("for",), None, command.text, end_line=end, length=len(given)
    )
    path = ("for", words[0].text)
    items = (
        entry(file, w.line, (*path, i), plain_scalar(w.text), w.text) for i, w in enumerate(given)
    )
    return [whole, *items]


def _braced(text: str) -> list[str]:
    """Return the words that braces or ``seq`` stand for: ``{1..3}``, ``s{a,b}``, ``$(seq 0 4)``."""
    counted = _COUNTED.fullmatch(text)
    if counted is not None:
        start, by, last = (int(counted[name] or 1) for name in ("start", "by", "last"))
        numbers = range(start, last + (1 if by > 0 else -1), by) if by else range(0)
        return [str(i) for i in numbers[: _MOST_ROUNDS + 1]] if by else [text]
    match = _BRACES.search(text)
    if match is None:
        return [text]
    before, after = text[: match.start()], text[match.end() :]
    if match["words"]:
        parts = match["words"].split(",")
    else:
        first, last = int(match["first"]), int(match["last"])
        by = 1 if last >= first else -1
        parts = [str(i) for i in range(first, last + by, by)[: _MOST_ROUNDS + 1]]
    return [before + part + after for part in parts]


def command_entries(file: str, command: Command) -> list[ConfigEntry]:
    """Return the variables that a command sets, the command itself and its options."""
    words = list(command.words)
    entries: list[ConfigEntry] = []
    while words and (words[0].text in _KEYWORDS or words[0].text in _DECLARING):
        words.pop(0)
    while words and (match := _ASSIGNMENT.match(words[0].text)):
        value = match.group(2)
        entries.append(entry(file, words[0].line, (match.group(1),), plain_scalar(value), value))
        words.pop(0)
    if not words or words[0].text in _CONTROL:
        return entries
    script = _script_index(words)
    name = words[script].text
    entries.append(
        entry(
            file,
            words[0].line,
            (name,),
            None,
            " ".join(word.text for word in words),
            end_line=words[-1].line,
            length=len(words) - script - 1,
        )
    )
    if script > 0:
        entries.extend(_arguments(file, words[0].text, words[1:script]))
    entries.extend(_arguments(file, name, words[script + 1 :]))
    return entries


def _script_index(words: list[Word]) -> int:
    """Return the index of the script or module that a launch line finally runs, else 0."""
    # ``$PYTHON -m package`` starts another program.
    in_variable = _COMMAND_VARIABLE.fullmatch(words[0].text) is not None
    if words[0].text.rpartition("/")[2] not in _LAUNCHERS and not in_variable:
        return 0
    script_at = 0
    for index, word in enumerate(words):
        before = words[index - 1].text if index else ""
        if before in ("-m", "--module") and word.text not in _LAUNCHERS:
            return index
        if word.text.endswith((".py", ".sh")) and not word.text.startswith("-"):
            return index
        if before == "-c" and words[0].text.rpartition("/")[2].startswith("python"):
            return 0
    return script_at


def _arguments(file: str, name: str, words: list[Word]) -> list[ConfigEntry]:
    """Read ``--option value``, ``--option=value``, ``--flag``, ``key.path=value`` and positions."""
    entries: list[ConfigEntry] = []
    position = index = 0
    while index < len(words):
        word = words[index]
        index += 1
        option = _OPTION.match(word.text)
        override = None if option else _OVERRIDE.match(word.text)
        path: tuple[str | int, ...]
        if option:
            path, written, end = (name, option.group(2)), option.group(3), word.line
            if written is None and index < len(words) and _is_value(words[index].text):
                written, end = words[index].text, words[index].line
                index += 1
            value = True if written is None else plain_scalar(written)
            text = word.text if written is None else written
            entries.append(entry(file, word.line, path, value, text, end_line=end))
        elif override:
            path, written = (name, *override.group(1).split(".")), override.group(2)
            entries.append(entry(file, word.line, path, plain_scalar(written), written))
        else:
            path = (name, position)
            position += 1
            entries.append(entry(file, word.line, path, plain_scalar(word.text), word.text))
    return entries


def _is_value(text: str) -> bool:
    if text.startswith("-"):
        return _NUMBER.match(text) is not None
    return _OVERRIDE.match(text) is None


def _directives(file: str, lines: list[tuple[int, str]]) -> list[ConfigEntry]:
    """Read ``#SBATCH --gres=gpu:2`` and its kin."""
    entries: list[ConfigEntry] = []
    for number, line in lines:
        match = _DIRECTIVE.match(line[:2000])
        if match:
            words = [Word(part, number) for part in match.group(2).split()]
            entries.extend(_arguments(file, match.group(1), words))
    return entries


_BLANK = re.compile(r"[ \t\r]+")
_PLAIN = re.compile(r"[^\s\\'\"#;&|()<>$`]+|#")
_HEREDOC = re.compile(r"<<-?[ \t]*(['\"]?)([\w.]+)\1")
_SUBSTITUTION = re.compile(r"\$\((?:[^()]|\([^()]*\))*\)|\$\{[^{}]*\}|`[^`]*`")
_OPERATOR = re.compile(r"[;&|()]+")
_REDIRECT = re.compile(r"[<>]+&?\d*")
_LONGEST_LINE = 4000
_UNSPACED_CONTINUATION = re.compile(r"\\[ \t]+$")


@dataclass(frozen=True, slots=True)
class Word:
    """A word without its quotes, on a 1-based line."""

    text: str
    line: int


@dataclass(slots=True)
class Command:
    """The words of one simple command, redirections left out."""

    words: list[Word] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The command on one line."""
        return " ".join(word.text for word in self.words)


@dataclass(slots=True)
class _Scan:
    commands: list[Command] = field(default_factory=list)
    command: Command = field(default_factory=Command)
    word: str | None = None
    word_line: int = 0
    quote: str = ""
    quote_line: int = 0
    heredoc: str = ""
    skip_word: bool = False

    def end_word(self) -> None:
        if self.word is not None:
            if not self.skip_word:
                self.command.words.append(Word(self.word, self.word_line))
            self.word, self.skip_word = None, False

    def end_command(self) -> None:
        self.end_word()
        self.skip_word = False
        if self.command.words:
            self.commands.append(self.command)
        self.command = Command()

    def add(self, text: str, line: int) -> None:
        if self.word is None:
            self.word, self.word_line = "", line
        self.word += text


def split_commands(
    lines: Iterable[tuple[int, str]],
) -> tuple[list[Command], str | None, int | None]:
    """Return the commands of numbered lines, and the first problem with its line.

    A backslash at a line's end continues the command; one that a blank follows does not, which is a
    mistake that is hard to see.
    """
    scan = _Scan()
    problem: tuple[str | None, int | None] = (None, None)
    for number, line in lines:
        line = line[:_LONGEST_LINE]
        if scan.heredoc:
            if line.strip() == scan.heredoc:
                scan.heredoc = ""
            continue
        misled = _UNSPACED_CONTINUATION.search(line[-80:]) and "#" not in line
        if misled and problem[0] is None and not scan.quote:
            problem = ("a blank after the backslash ends the command here", number)
        continued = _scan_line(scan, line, number)
        if not continued and not scan.quote:
            scan.end_command()
    if scan.quote:
        problem = ("a quote that is never closed", scan.quote_line)
    scan.end_command()
    return scan.commands, *problem


def _scan_line(scan: _Scan, line: str, number: int) -> bool:
    """Take one line in; return whether a backslash continues it."""
    at = 0
    while at < len(line):
        char = line[at]
        if scan.quote:
            at = _in_quotes(scan, line, at, number)
        elif blank := _BLANK.match(line, at):
            scan.end_word()
            at = blank.end()
        elif char == "\\":
            if at == len(line) - 1:
                scan.end_word()
                return True
            scan.add(line[at + 1], number)
            at += 2
        elif char in "'\"":
            scan.quote, scan.quote_line = char, number
            scan.add("", number)
            at += 1
        elif char in "$`" and (inner := _SUBSTITUTION.match(line, at)):
            scan.add(inner.group(), number)
            at = inner.end()
        elif char == "#" and scan.word is None:
            return False
        elif char in "<>;&|()":
            at = _operator(scan, line, at)
        else:
            plain = _PLAIN.match(line, at)
            scan.add(plain.group() if plain else char, number)
            at = plain.end() if plain else at + 1
    if scan.quote:
        scan.add("\n", number)
    return False


def _operator(scan: _Scan, line: str, at: int) -> int:
    """Take what ends a word or a command: separators, redirections, here-documents."""
    if heredoc := _HEREDOC.match(line, at):
        scan.heredoc = heredoc.group(2)
        return heredoc.end()
    if redirect := _REDIRECT.match(line, at):
        # The file descriptor before it is no argument, nor is the file after it.
        if scan.word is not None and scan.word.isdigit():
            scan.word = None
        scan.end_word()
        scan.skip_word = not redirect.group()[-1].isdigit()
        return redirect.end()
    scan.end_command()
    operator = _OPERATOR.match(line, at)
    return operator.end() if operator else at + 1


def _is_escaped(line: str, at: int) -> bool:
    """Whether an odd number of backslashes stands before a character."""
    before = line[:at]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1


def _in_quotes(scan: _Scan, line: str, at: int, number: int) -> int:
    """Take the text up to the closing quote, or the rest of the line."""
    end = line.find(scan.quote, at)
    while scan.quote == '"' and end > at and _is_escaped(line, end):
        end = line.find('"', end + 1)
    if end < 0:
        scan.add(line[at:], number)
        return len(line)
    scan.add(line[at:end], number)
    scan.quote = ""
    return end + 1
