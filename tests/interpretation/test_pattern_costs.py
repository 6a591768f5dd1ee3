"""Bounds of the steps of regular expressions, and what functions of ``re`` give in programs."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from followed_programs import followed, shown

from dl_bug_lsp.interpretation.libraries.python.pattern_costs import MOST_STEPS, steps_of

PROSE = "The quick brown fox, jumps 12.5 over the lazy_dog's back! " * 30


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"(a+)+$", "a" * 40 + "b"),
        (r"(a|ab?)*$", "a" * 40 + "c"),
        (r"(x+x+)+y", "x" * 40),
        (r"(.*)*$", "a" * 40),
        (r"(.*?,){11}P", "1," * 30),
        (r"^(\w+\s?)*$", "aaaa bbbb cccc dddd eeee ffff gggg!"),
        (r"(a?){40}a{40}", "a" * 40),
        (r"(?i)(a|A|aa)*$", "a" * 40 + "!"),
        (r"\s*\w*\s*\w*\s*\w*\s*$", "a" * 2000 + "!"),
    ],
)
def test_patterns_that_go_back_too_often_are_refused(pattern: str, text: str) -> None:
    assert steps_of(pattern, text) is None


@pytest.mark.parametrize(
    "pattern",
    [
        *(r"(\w+)\s+(\w+)", r"(?:\\.|[^\\])+", r"(.)\1+", r"<.*?>", r"\[(.*)\]\((.*)\)"),
        *(r"'s|'t|'re| ?[a-z]+| ?[0-9]+|\s+(?!\S)|\s+", r"\d+(?:\.\d+)*", r"[^a-zA-Z.!?]+"),
        *(r"(?i:fox|dog)s?\b", r"(?<=\w)-(?=\w)", r"^(\w+)\s(.*)$", r"((\d+)\.)?(\d+)"),
    ],
)
def test_patterns_of_usual_programs_are_bounded(pattern: str) -> None:
    bound = steps_of(pattern, PROSE)
    assert bound is not None
    assert bound <= MOST_STEPS
    started = time.perf_counter()
    re.findall(pattern, PROSE)
    assert time.perf_counter() - started < 1


@pytest.mark.parametrize("pattern", ["(", "a{2,1}", "*a"])
def test_what_is_no_pattern_has_no_bound(pattern: str) -> None:
    assert steps_of(pattern, "a") is None


HEAD = """
import re
import regex
pair = re.compile(r"(?P<first>\\w+)\\s+(\\w+)", re.I)
"""
EXPRESSIONS = {
    r"re.sub(r'([.!?])', r' \1', 'a. b!')": "a . b !",
    r"re.subn('a', 'b', 'banana')": ("bbnbnb", 3),
    r"re.sub('A', 'o', 'banana', count=2, flags=re.IGNORECASE)": "bonona",
    r"re.sub(r'\d+', lambda m: str(int(m.group()) * 2), 'a1 b22')": "a2 b44",
    r"re.findall('^.', 'a\nb', flags=re.M | re.S)": ["a", "b"],
    r"re.split(r'[,\s]+', 'a, b c', maxsplit=1)": ["a", "b c"],
    r"re.split(r'(\d)', 'a1b')": ["a", "1", "b"],
    r"re.match(r'^(?P<name>\w+)-(?P<n>\d+)(?:x(\d+))?$', 'ab-12').groupdict()": {
        "name": "ab",
        "n": "12",
    },
    r"re.match(r'(a)|(b)', 'b').groups('none')": ("none", "b"),
    r"re.match(r'(\w+) (\w+)', 'a b')[2]": "b",
    r"re.match(r'(\w+) (\w+)', 'a b').span(2)": (2, 3),
    r"re.match(r'(\w+) (\w+)', 'a b').expand(r'\2-\1')": "b-a",
    r"bool(re.match('a', 'ab'))": True,
    r"'yes' if pair.match('X y') else 'no'": "yes",
    r"[m.group('first') for m in pair.finditer('a b c d')]": ["a", "c"],
    r"pair.sub(r'\2 \1', 'a b')": "b a",
    r"pair.search('a b c', 1).groups()": ("b", "c"),
    r"pair.pattern": r"(?P<first>\w+)\s+(\w+)",
    r"pair.groups": 2,
    r"re.findall(rb'a', b'banana')": [b"a", b"a", b"a"],
    r"regex.findall(r'[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+', 'ab 12 !?')": ["ab", "1", "2", "!?"],
    r"regex.findall(r'\p{Lu}', 'Ab')": "unknown",
}


def test_functions_of_patterns_in_a_program(tmp_path: Path) -> None:
    lines = [f"v{i} = {text}" for i, text in enumerate(EXPRESSIONS)]
    interpreter, names = followed(tmp_path, HEAD + "\n".join(lines), {})
    assert not interpreter.elsewhere
    found = {text: shown(names[f"v{i}"]) for i, text in enumerate(EXPRESSIONS)}
    assert found == EXPRESSIONS


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("re.sub('a', 'b', None)", "type"),
        ("re.compile('(')", "value"),
        ("re.match('a', 'a').group(3)", "index"),
        (r"re.sub('a', r'\2', 'a')", "value"),
        ("re.match('x', 'a').group(1)", "none"),
    ],
)
def test_what_patterns_refuse(tmp_path: Path, text: str, what: str) -> None:
    interpreter, _ = followed(tmp_path, f"{HEAD}value = {text}", {})
    assert [kind for _, kind in interpreter.elsewhere] == [what]
