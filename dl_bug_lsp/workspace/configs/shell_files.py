"""Entries of shell scripts: variables, and the options of every command (launch lines above all).

A command's path starts with the script or module it runs: ``python train.py --lr 0.1`` gives
``("train.py", "lr")``; options of a launcher before it go under the launcher's name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from dl_bug_lsp.workspace.configs.reading import MOST_ENTRIES, ConfigReading, entry, plain_scalar
from dl_bug_lsp.workspace.configs.shell_words import Command, Word, split_commands
from dl_bug_lsp.workspace.values import ConfigEntry

_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)\+?=([\s\S]*)")
_OPTION = re.compile(r"(--?)([A-Za-z][\w.-]*)(?:=([\s\S]*))?$")
_OVERRIDE = re.compile(r"(?:\+\+?|~)?([A-Za-z_][\w./@-]*)=(?!=)([\s\S]*)")
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
_KEYWORDS = frozenset(("if", "then", "do", "while", "else", "elif", "until", "!", "{"))
_CONTROL = frozenset(("for", "case", "select", "function", "fi", "done", "esac", "}"))


def read_shell_config(file: str, text: str) -> ConfigReading:
    """Return the entries of a shell script, batch directives included."""
    numbered = list(enumerate(text.split("\n"), 1))
    entries = _directives(file, numbered)
    found, problem, line = shell_entries(file, numbered)
    merged = sorted([*entries, *found], key=lambda e: e.line)
    return ConfigReading(tuple(merged), problem, line)


def shell_entries(
    file: str, lines: Iterable[tuple[int, str]]
) -> tuple[list[ConfigEntry], str | None, int | None]:
    """Return the entries of numbered lines of shell, and the first problem with its line."""
    commands, problem, line = split_commands(lines)
    entries: list[ConfigEntry] = []
    for command in commands:
        if len(entries) >= MOST_ENTRIES:
            break
        entries.extend(command_entries(file, command))
    return entries, problem, line


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
    if words[0].text.rpartition("/")[2] not in _LAUNCHERS:
        return 0
    found = 0
    for index, word in enumerate(words):
        before = words[index - 1].text if index else ""
        if before in ("-m", "--module") and word.text not in _LAUNCHERS:
            return index
        if word.text.endswith((".py", ".sh")) and not word.text.startswith("-"):
            return index
        if before == "-c" and words[0].text.rpartition("/")[2].startswith("python"):
            return 0
    return found


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
