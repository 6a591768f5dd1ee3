"""Shell text cut into commands and words, each word with its line (POSIX sh, in outline)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

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


def _in_quotes(scan: _Scan, line: str, at: int, number: int) -> int:
    """Take the text up to the closing quote, or the rest of the line."""
    end = line.find(scan.quote, at)
    while scan.quote == '"' and end > at and line[end - 1] == "\\":
        end = line.find('"', end + 1)
    if end < 0:
        scan.add(line[at:], number)
        return len(line)
    scan.add(line[at:end], number)
    scan.quote = ""
    return end + 1
