"""Data and config files: the row that is cut, the setting that does not parse, the odd value."""

from __future__ import annotations

import ast
import csv
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from difflib import SequenceMatcher
from functools import partial
from itertools import chain, combinations, islice, product
from weakref import WeakKeyDictionary

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.data.outlier_records import (
    LINES_OF_JSON,
    json_lines,
    odd_numbers,
    outlier_records,
)
from dl_bug_lsp.evidence.followed_run import follow
from dl_bug_lsp.evidence.repairs.spelling import similarity
from dl_bug_lsp.interpretation.values import Array, Value
from dl_bug_lsp.messages import FactKind
from dl_bug_lsp.provenance.known_calls import workspace_path
from dl_bug_lsp.provenance.nodes import DataFile
from dl_bug_lsp.provenance.scopes import called_name
from dl_bug_lsp.provenance.slices import Step
from dl_bug_lsp.workspace.configs import reader_for
from dl_bug_lsp.workspace.contents import Column, RareValue, Table

CATEGORIES = {
    "corrupt_data",
    "syntax_error",
    "unexpected_encoding",
    "illegal_argument",
    "illegal_index",
    "key_not_found",
    "type_mismatch",
    "null_reference",
    "attribute_not_found",
    "tensor_mismatch",
    "path_not_found",
    "loss_nan",
    "loss_divergence",
    "unclassified",
}
TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".psv", ".tab")
VALUES = (FactKind.LITERAL, FactKind.KEY, FactKind.NAME, FactKind.PATH)
MAX_TABLES = 12
FEW_ROWS = 20
FEW_COLUMNS = 3
"""Fewer columns of a text file may be words of a sentence."""
MOST_LINES = 20_000
"""Lines of the tables in which a row that stands twice is looked for."""
MAX_NAMED = 400
"""Data files of a workspace whose names are looked for in its program."""
TEXTS = (".txt", ".names", ".labels", ".vocab", ".lst", ".list", ".classes")
OF_TEMPLATES = (".jinja", ".jinja2", ".j2", ".tmpl", ".mustache", ".html", ".htm", ".tex")
OF_OTHER_LANGUAGES = (
    ".c",
    ".cc",
    ".cpp",
    ".h",
    ".hpp",
    ".cu",
    ".cuh",
    ".java",
    ".go",
    ".rs",
    ".js",
)
CODE = (".py", ".pyi", ".ipynb", ".sh", ".md", ".rst", *OF_TEMPLATES, *OF_OTHER_LANGUAGES)
"""Ends of names of code and templates: their lines have no columns, whatever they look like."""
OF_PACKAGES = ("requirements", "constraints", "LICENSE", "license", "README", "readme")
LOOKED_UP = {"key_not_found", "illegal_argument", "undefined_variable", "type_mismatch"}
OF_OBJECTS = re.compile(
    r"dtype\('O'\)|dtype\W{0,3}<?U\d|numpy\.(?:object|str)_|dtype:? object|of type object"
    r"|string dtype|could not convert string|Unable to convert .{0,40}\(Unsupported object type"
)
"""How NumPy and frameworks say that an array holds texts or objects where numbers are wanted."""
NO_NUMBER = re.compile(r"could not convert string to \w+: (?:np\.str_\()?['\"](.{1,80}?)['\"]")
"""How Python and NumPy name a text that is no number."""
FLOAT_FOR_TEXT = re.compile(
    r"'float' object has no attribute '(?:lower|upper|strip|lstrip|rstrip|split|replace|startswith"
    r"|endswith|encode|join|find|isdigit|isalpha|translate|title|format|rsplit|splitlines)'"
    r"|expected str instance, float found|bytes-like object, got 'float'"
    r"|argument of type 'float' is not iterable|object of type 'float' has no len"
    r"|'float' object is not (?:iterable|subscriptable)"
    r"|(?:must be|expected|should be)(?: a| an)? str\w*,? (?:not|got|but got) (?:<class ')?float"
)
"""How messages say that a float stood where a text was wanted."""
NOT_A_NUMBER = re.compile(
    r"\bnans?\b|\(NA or|non-finite|infs? or nans?|contains? nan|missing values|IntCastingNaN",
    re.IGNORECASE,
)
"""How messages say that a number is missing."""
NANS = {"", "nan", "na", "n/a", "null", "none", "inf", "-inf", "#n/a", "-nan"}
"""What pandas reads as NaN, in lower case, and infinities (pandas, `read_csv`)."""
MOST_ENDS = 8
"""Ends of a path that are looked for in tables."""
BESIDE = 0.5
"""How near a data file is to the failure that no followed value was read from."""
FOLLOWED = 0.8
"""The same of one that the program, followed up to the failure, reads."""
NAMED = 0.75
"""The same of one whose name stands in the program or its settings."""
ALIKE = 0.85
"""From here on a text is written for another one by mistake."""


def find(case: Case) -> Iterator[Clue]:
    """Yield the lines of data and config files that the message or their own form points at."""
    yield from _values_of_no_row(case)
    yield from _values_without_partner(case)
    if case.category.id not in CATEGORIES:
        return
    read = files_read(case)
    for file, closeness in read.items():
        yield from _named_line(case, file, closeness)
        yield from _broken(case, file, closeness)
    text = _is_text_for_number(case)
    yield from _lacking_records(case, read)
    yield from outlier_records(case, read)
    yield from _uneven_lines(case, read)
    yield from _empty_lines(case, read)
    yield from _unpaired_records(case, read)
    yield from _uneven_lists(case, read)
    yield from _text_lines(case, read)
    yield from _columns_of_text(case)
    yield from _beyond_ascii(case, read)
    yield from _unlike_separators(case, read)
    files = [f for f in read if f.endswith(TABLES) or _is_unlisted(f)]
    files.extend(f for f in _tables_near(case) if f.endswith(TABLES) and f not in read)
    tables = [
        table
        for f in files[:MAX_TABLES]
        if (table := case.workspace.table(f)) is not None and _has_columns(table)
    ]
    texts = [f for f in read if f.endswith(TEXTS)][:MAX_TABLES]
    separated = [t for f in texts if (t := case.workspace.table(f)) is not None and not t.ragged]
    wide = [table for table in separated if len(table.columns) >= FEW_COLUMNS]
    yield from odd_numbers(case, [*tables, *wide])
    for table in tables:
        closeness = read.get(table.file, BESIDE)
        yield from _missing_texts(case, table, closeness)
        yield from _odd_rows(case, table, closeness)
        yield from _repeated_rows(case, table, closeness)
        yield from _odd_values(case, table, closeness, text)
        yield from _readers(case, table, closeness)
        yield from _missing_numbers(case, table, closeness)
        yield from _message_values(case, table, closeness, tables)
        yield from _extremes(case, table, closeness)


def _tables_near(case: Case) -> Sequence[str]:
    """Return the files of the workspace; of a big one those that the failing run may have read."""
    if case.connections is None:
        # Data are often hidden by an ignore rule; code and settings name them all the same.
        listed = case.workspace.files()
        hidden = set(case.named_files.data_files).difference(listed)
        return (*listed, *sorted(hidden))
    read = {*follow(case).files_read, *case.connections.data_files}
    return [file for file in case.workspace.files() if file in read]


def _is_text_for_number(case: Case) -> bool:
    """Whether the message says that a text stood where a number was wanted."""
    named = {str(f.value).rpartition(".")[2] for f in case.facts.of(FactKind.CLASS)}
    names_text = named & {"str", "object_", "object", "str_"} or OF_OBJECTS.search(case.message)
    return bool(names_text) and case.category.id in (
        "type_mismatch",
        "corrupt_data",
        "illegal_argument",
    )


def files_read(case: Case) -> dict[str, float]:
    """Return the workspace files that the failure is about, with how near they are to it."""
    nearness: dict[str, float] = {}
    for fact in case.facts.of(FactKind.PATH):
        path = str(fact.value)
        file = workspace_path(case.engine, path) or case.workspace.existing_file(path)
        if file is not None:
            nearness.setdefault(file, 1.0)
    slices = [case.raise_slice, *case.outer_slices]
    for depth, steps in enumerate(slices):
        for step in steps:
            for value in step.node.values:
                if isinstance(value, DataFile):
                    nearness.setdefault(value.file, 0.95 - 0.1 * depth)
            for constant in step.node.constants:
                if isinstance(constant.value, str) and "." in constant.value[-6:]:
                    file = workspace_path(case.engine, constant.value)
                    if file is not None and not file.endswith(".py"):
                        nearness.setdefault(file, 0.85 - 0.1 * depth)
    outcome = follow(case)
    for file in (*outcome.files_read, *_files_handed_over(case, outcome.operands)):
        if not file.endswith(".py"):
            nearness.setdefault(file, FOLLOWED)
    for file in case.connections.data_files if case.connections is not None else ():
        nearness.setdefault(file, NAMED)
    names = {file.rpartition("/")[2]: file for file in case.workspace.files() if _is_data(file)}
    texts = sorted(case.words.texts(("string", "config_value", "dict_key")))
    if len(names) <= MAX_NAMED:
        for text in texts if not names.keys() <= nearness.keys() else ():
            file = names.get(text.rpartition("/")[2]) if "." in text[-7:] else None
            if file is not None:
                nearness.setdefault(file, NAMED)
    # An ignore rule hides most data from the listing of files.
    for text in [t for t in texts if t.endswith((*TABLES, *TEXTS))][:MAX_NAMED]:
        file = case.workspace.existing_file(text)
        if file is not None:
            nearness.setdefault(file, NAMED)
    return nearness


def _files_handed_over(case: Case, operands: Iterable[Value]) -> Iterator[str]:
    """Yield the workspace files whose paths the followed run hands to the failing call."""
    for operand in operands:
        if isinstance(operand.data, str) and "." in operand.data[-6:]:
            file = workspace_path(case.engine, operand.data)
            file = file or case.workspace.existing_file(operand.data)
            if file is not None:
                yield file


def _is_data(file: str) -> bool:
    name = file.rpartition("/")[2]
    return file.endswith((*TABLES, *TEXTS)) and not name.startswith(OF_PACKAGES)


def _is_unlisted(file: str) -> bool:
    """Whether a file has a name that says nothing of what it holds (``ring.dyna``)."""
    return not file.endswith((*TEXTS, *CODE)) and reader_for(file) is None


def _named_line(case: Case, file: str, closeness: float) -> Iterator[Clue]:
    """Yield the line that a parser's message names, and the one before it."""
    count = len(case.workspace.lines(file))
    if _names_source(case):
        return
    for fact in case.facts.of(FactKind.LINE):
        line = fact.value
        if not isinstance(line, int) or not 1 <= line <= count or file.endswith(TABLES[2:4]):
            continue
        if file.endswith(".py"):
            continue
        why = "the parser's message names this line"
        yield Clue("data_files.named_line", file, line, closeness, why)
        if line > 1:
            why = "the line before the one that the parser names"
            yield Clue("data_files.line_before", file, line - 1, closeness, why)


SOURCES = (".cu", ".cuh", ".cpp", ".cc", ".c", ".h", ".hpp", ".py", ".pyx", ".rs")


def _names_source(case: Case) -> bool:
    """Whether the line that a message names is one of a library's own source."""
    paths = [str(fact.value) for fact in case.facts.of(FactKind.PATH)]
    return bool(paths) and all(path.endswith(SOURCES) for path in paths)


def _broken(case: Case, file: str, closeness: float) -> Iterator[Clue]:
    """Yield the line at which a file cannot be parsed any further."""
    if file.endswith(TABLES):
        return
    elements = case.workspace.elements(file)
    if elements.problem is not None and elements.problem_line:
        # What is missing at the end of a file is missed behind its last line.
        line = min(elements.problem_line, len(case.workspace.lines(file)) or 1)
        yield Clue(_kind(case, elements.problem), file, line, closeness, elements.problem)


def _kind(case: Case, problem: str) -> str:
    """Tell bytes that cannot be decoded apart, where it is decoding that failed."""
    decoding = case.category.id == "unexpected_encoding" and problem.startswith("not valid")
    return "data_files.undecodable" if decoding else "data_files.broken"


def _lacking_records(case: Case, read: dict[str, float]) -> Iterator[Clue]:
    """Yield records of lists that lack the key of the message, which most others have.

    Lists at the same place of several records hold records of one kind (the messages of chats).
    """
    keys = {str(f.value) for f in case.facts.of(FactKind.KEY)}
    if case.category.id not in ("key_not_found", "attribute_not_found") or not keys:
        return
    kinds: dict[tuple[str, _Path], dict[_Path, dict[str, int]]] = {}
    for file, line, path in _leaves(case, read):
        if len(path) >= 2 and isinstance(path[-2], int) and isinstance(path[-1], str):
            kind = tuple(part for part in path[:-2] if not isinstance(part, int))
            fields = kinds.setdefault((file, kind), {}).setdefault(path[:-1], {})
            fields.setdefault(path[-1], line)
    for (file, _), records in kinds.items():
        usual = Counter(name for fields in records.values() for name in fields)
        for key in sorted(keys):
            count = usual[key]
            lacking = [fields for fields in records.values() if key not in fields]
            if count < 2 or not lacking or len(lacking) > count:
                continue
            for fields in lacking[:MAX_ODD]:
                why = f"this record has no `{key}`, which {count} others have"
                # Of a record with a key of its own, that one stands where the other should.
                odd = [line for name, line in fields.items() if usual[name] <= len(lacking)]
                own = len(odd) == 1 and len(records) > 2
                line = min(odd if own else fields.values())
                yield Clue("data_files.lacks_key", file, line, 1.0, why)


_Path = tuple[str | int, ...]
MOST_RECORDS = 20_000
"""Fields of the records of one file that are looked at."""


def _leaves(case: Case, read: dict[str, float]) -> Iterator[tuple[str, int, _Path]]:
    """Yield (file, line, path) of the fields of nested files: documents, and lines of JSON."""
    hidden = (file for file in read if file.endswith(".json") and file not in case.config_files)
    for entry in chain(case.config_entries, *map(case.workspace.config_entries, hidden)):
        yield entry.file, entry.line, entry.path
    for file in [f for f in read if f.endswith(LINES_OF_JSON)][:MAX_TABLES]:
        fields = chain.from_iterable(
            ((file, number, path) for path in _paths_in(record, (number,)))
            for number, record in json_lines(case, file)
        )
        yield from islice(fields, MOST_RECORDS)


def _paths_in(data: object, path: _Path, depth: int = 6) -> Iterator[_Path]:
    """Yield the paths of all fields of a record, those of records within it as well."""
    if not depth:
        return
    pairs: Iterable[tuple[str | int, object]] = ()
    if isinstance(data, dict):
        pairs = data.items()
        yield from ((*path, name) for name in data)
    elif isinstance(data, list) and any(isinstance(item, dict) for item in data):
        pairs = enumerate(data)
    for name, value in pairs:
        if isinstance(value, dict | list):
            yield from _paths_in(value, (*path, name), depth - 1)


EMPTIED = {
    "division_by_zero",
    "illegal_argument",
    "illegal_index",
    "corrupt_data",
    "null_reference",
}
"""Categories of failures that a selection of no rows ends in."""
FEW_VALUES = 20
MOST_KEYS, MOST_KEY_COLUMNS, MOST_ROWS = 60, 12, 5_000
BEGINS = 3
"""Letters from which on a word is a longer form of another (`val`, `valid`)."""


OF_PLACES = re.compile(r"(?i)(?:dir|path|file|root|folder|output)\w*\W{0,4}$")
"""How a line of a config begins whose value is a place on a disk."""


FORMS = frozenset(("lower", "upper", "title", "capitalize", "casefold", "strip"))
"""Methods of text, also of a column's, after which a program looks for another form of a value."""


def _values_of_no_row(case: Case) -> Iterator[Clue]:
    """Yield texts of the program that no row of a column has, and nearly are one of its values."""
    if case.category.id not in EMPTIED:
        return
    columns: list[tuple[str, str, set[str]]] = []
    for file in [f for f in _tables_near(case) if f.endswith(TABLES)][:MAX_TABLES]:
        table = case.workspace.table(file)
        # Of a table that was cut short, later rows may have other values.
        for column in table.columns if table is not None and not table.is_cut else ():
            values = {rare.value for rare in column.rare}
            if column.distinct is not None and 2 <= column.distinct == len(values) <= FEW_VALUES:
                columns.append((file, column.name, values))
    if not columns:
        return
    known = {value for _, _, values in columns for value in values}
    for file in {file for file, _, _ in columns}:
        table = case.workspace.table(file)
        known |= {column.name for column in table.columns} if table is not None else set()
    forms = sorted(FORMS & case.words.texts(("attribute",)))
    reasons: dict[str, str] = {}
    for text in sorted(case.words.texts(("string", "config_value"))):
        if len(text) < BEGINS or text in known or text != text.strip():
            continue
        for file, name, values in columns:
            near = [value for value in sorted(values) if _is_form_of(text, value)]
            if near and not any(getattr(value, form)() == text for value in near for form in forms):
                reasons[text] = f"no row of {file} has `{text}` as `{name}`; there is `{near[0]}`"
                break
    on_way = _on_way(case)
    known_files = case.connections.imported if case.connections is not None else None
    for word in case.words.with_text(reasons):
        if known_files is not None and word.role == "string" and word.file not in known_files:
            continue
        line = case.workspace.source_line(word.file, word.line)
        if word.role == "config_value" and OF_PLACES.search(line.rpartition(word.text)[0]):
            continue  # Where something is written, or lies, is no value of a column.
        if word.role == "string" and not any(f"{mark}{word.text}{mark}" in line for mark in "'\""):
            continue  # A part of a longer text is none either.
        if word.role in ("string", "config_value"):
            score = 1.0 if (word.file, word.line) in on_way else BESIDE
            yield Clue("data_files.no_row", word.file, word.line, score, reasons[word.text])


SHARED_VALUES = 3
"""Values that two columns have in common if one refers to the other."""
MATCHING = re.compile(r"\b(?:merge|merge_asof|join|map|reindex|loc|isin|replace|lookup)\b")
"""How programs match rows of one table with those of another."""


def _values_without_partner(case: Case) -> Iterator[Clue]:
    """Yield a value of a key column that the other table writes in another, nearly the same way.

    Rows that match no row of the other table lack its columns (a join from the left), or are not
    found by their key.
    """
    if not NOT_A_NUMBER.search(case.message) and not case.facts.of(FactKind.KEY):
        return
    columns = _key_columns(case)
    if len(columns) < 2 or not any(
        MATCHING.search(line) for file in case.code_files for line in case.workspace.lines(file)
    ):
        return
    for (file, own), (other_file, others) in combinations(columns, 2):
        shared = own.keys() & others.keys()
        if file == other_file or len(shared) < max(SHARED_VALUES, min(len(own), len(others)) // 2):
            continue
        for value, match in product(own.keys() - shared, others.keys() - shared):
            if not _is_slip(value, match):
                continue
            told = NOT_A_NUMBER.search(case.message) or any(
                text in case.message for text in (value, match)
            )
            if not told:
                continue
            # What fewer rows have is the slip, as all rows that it belongs to would differ.
            pairs = [
                (file, own[value], other_file, match),
                (other_file, others[match], file, value),
            ]
            fewest = min(rare.count for _, rare, _, _ in pairs)
            for at, rare, elsewhere, near in pairs:
                if rare.count == fewest:
                    why = f"no row of {elsewhere} has `{rare.value}`; there is `{near}`"
                    yield Clue("data_files.no_row", at, rare.first_line, 1.0, why)


def _key_columns(case: Case) -> list[tuple[str, dict[str, RareValue]]]:
    """Return the files of columns that hold few texts, with each text and its rows."""
    found: list[tuple[str, dict[str, RareValue]]] = []
    for file in [f for f in case.workspace.files() if f.endswith(TABLES)][:MAX_TABLES]:
        table = case.workspace.table(file)
        if table is None or table.is_cut or table.header_line is None or not table.delimiter:
            continue
        for number, column in enumerate(table.columns):
            few = column.distinct is not None and SHARED_VALUES <= column.distinct <= MOST_KEYS
            if few and column.numbers == 0 and table.rows <= MOST_ROWS:
                found.append((file, _cells(case, table, number)))
    return found[:MOST_KEY_COLUMNS]


def _cells(case: Case, table: Table, number: int) -> dict[str, RareValue]:
    """Return the texts of a column with how many rows have each and the first of these."""
    found: dict[str, RareValue] = {}
    reader = csv.reader(case.workspace.lines(table.file), delimiter=table.delimiter)
    with suppress(csv.Error):
        for fields in reader:
            if reader.line_num > (table.header_line or 0) and number < len(fields):
                first = found.get(fields[number], RareValue(fields[number], 0, reader.line_num))
                found[first.value] = RareValue(first.value, first.count + 1, first.first_line)
    return found


def _is_slip(a: str, b: str) -> bool:
    """Whether one of two keys is written for the other: a slip, or other case or blanks."""
    if a.strip().lower() == b.strip().lower():
        return True
    if len(a) != len(b):
        return min(len(a), len(b)) >= BEGINS and similarity(a, b) >= ALIKE
    different = [i for i, (x, y) in enumerate(zip(a, b, strict=True)) if x != y]
    swapped = len(different) == 2 and a[different[0]] == b[different[1]]
    return len(a) >= BEGINS and (len(different) == 1 or swapped)


def _on_way(case: Case) -> set[tuple[str, int]]:
    """Return the places from which values go to the failure, through its callers too."""
    steps = (*case.raise_slice, *chain.from_iterable(case.outer_slices))
    return {(step.node.file, step.node.line) for step in steps}


SHARED_OF_FORMS = 0.75
"""More than this share of the longer of two words stands in the other one, if it is a slip."""


def _is_form_of(text: str, value: str) -> bool:
    """Whether one of two words is a longer form of the other, or nearly it.

    A word goes on with letters and digits (`val`, `valid`); names of files, compounds and sentences
    (`val.pt`, `val_loss`) are other words, and so are Python's own names (`__main__`).
    """
    low, other = text.lower(), value.lower()
    short, long = sorted((low, other), key=len)
    if len(short) < BEGINS or low.startswith("__") or other.startswith("__"):
        return False
    if long.startswith(short) and (long == short or long[len(short) :].isalnum()):
        return True
    blocks = SequenceMatcher(None, low, other, autojunk=False).get_matching_blocks()
    shared = sum(block.size for block in blocks)
    return shared > SHARED_OF_FORMS * len(long) and similarity(low, other) >= ALIKE


MAX_ODD = 3
"""Records or lines that may differ from all others and still be the odd ones."""
MAX_TEXT_LINES = 2_000
SIZED = {"illegal_index", "tensor_mismatch", "illegal_argument", "corrupt_data"}


def _has_columns(table: Table) -> bool:
    """Whether what was read as a table is one: marks in a few lines of prose separate nothing."""
    if table.file.endswith(TABLES) or not table.delimiter:
        return True
    width = len(table.columns)
    return width > 1 and all(fields != width for _, fields in table.ragged)


def _empty_lines(case: Case, read: dict[str, float]) -> Iterator[Clue]:
    """Yield the empty lines inside a text file that has no others.

    A program that reads lines by their number, or in groups, takes all that follow for others.
    """
    for file, closeness in read.items():
        if not file.endswith(TEXTS) and not _is_unlisted(file):
            continue
        lines = [line.strip() for line in case.workspace.lines(file)[:MAX_TEXT_LINES]]
        while lines and not lines[-1]:
            lines.pop()
        empty = [number for number, line in enumerate(lines, 1) if not line]
        if not empty or len(empty) > MAX_ODD or len(lines) < LEAST_LINES * len(empty):
            continue
        is_only = len(empty) == 1
        why = "this line is empty, and no other is" if is_only else "this line is empty"
        # What is taken by its number is not there, or what an empty line is split into.
        explains = case.category.id == "illegal_index" and file in follow(case).files_read
        kind = "data_files.explains" if explains else "data_files.uneven_line"
        for number in empty:
            yield Clue(kind, file, number, closeness / len(empty), why)


LEAST_LINES = 10
"""Lines that a text has for each empty one, so that these are none of its form."""


def _is_header(lines: list[str]) -> bool:
    """Whether the first line names what the others have as numbers."""
    return not re.search(r"\d", lines[0]) and all(re.search(r"\d", x) for x in lines[1:] if x)


def _uneven_lines(case: Case, read: dict[str, float]) -> Iterator[Clue]:
    """Yield the lines of a text file that are not as long as nearly all others."""
    if case.category.id not in SIZED:
        return
    for file, closeness in read.items():
        if not file.endswith((".txt", ".dat", ".map", ".grid", ".vec")) and not _is_unlisted(file):
            continue
        lines = [line.rstrip() for line in case.workspace.lines(file)[:MAX_TEXT_LINES]]
        data = ["" if line.startswith(COMMENTS) else line for line in lines]
        named = _are_names(lines)
        for texts, (measure, noun) in product((lines, data), MEASURES):
            if named and measure is len:
                continue
            counts = Counter(measure(text) for text in texts if text)
            usual, often = counts.most_common(1)[0] if counts else (0, 0)
            odd = [n for n, text in enumerate(texts, 1) if text and measure(text) != usual]
            if usual > 1 and often >= 4 and odd and len(odd) <= min(MAX_ODD, often // 4):
                if odd == [1] and _is_header(texts):
                    continue
                for line in odd:
                    why = f"this line has {measure(texts[line - 1])} {noun}, {often} have {usual}"
                    yield Clue("data_files.uneven_line", file, line, closeness, why)
                break


SHORT_NAME = 12
NAME = re.compile(r"<?[^\W\d_][\w.-]*>?")


def _are_names(lines: Sequence[str]) -> bool:
    """Whether the lines of a file are short names, all different: how long one is says nothing."""
    texts = [line.strip() for line in lines if line.strip()]
    return len(set(texts)) == len(texts) and all(
        len(text) <= SHORT_NAME and NAME.fullmatch(text) for text in texts
    )


def _words_of(line: str) -> int:
    return len(line.split())


def _parts_of(separator: str, line: str) -> int:
    return line.count(separator) + 1


COMMENTS = ("#", "@", "%", "//")
"""How lines begin that hold no data: comments, and the headers of ARFF and sktime's ``.ts``."""
MEASURES: tuple[tuple[Callable[[str], int], str], ...] = (
    (len, "characters"),
    (_words_of, "words"),
    *((partial(_parts_of, mark), f"parts between `{mark}`") for mark in ":;|,"),
)
"""How the lines of a text are measured: the first by which nearly all agree counts."""


def _unpaired_records(case: Case, read: dict[str, float]) -> Iterator[Clue]:
    """Yield records whose list is not as long as that of the same record in another file."""
    files = [f for f in read if f.endswith(LINES_OF_JSON)]
    if case.category.id not in SIZED or len(files) < 2:
        return
    lists = {file: _list_lengths(case, file) for file in files[:MAX_TABLES]}
    for file, other in combinations(lists, 2):
        for name in sorted(lists[file].keys() & lists[other].keys()):
            first, second = lists[file][name], lists[other][name]
            shared = sorted(first.keys() & second.keys())
            odd = [key for key in shared if first[key][1] != second[key][1]]
            if len(shared) < 4 or not odd or len(odd) > min(MAX_ODD, len(shared) // 4):
                continue
            for key in odd:
                for mine, others, at in ((first, second, file), (second, first, other)):
                    line, length = mine[key]
                    why = f"`{name}` has {length} items here and {others[key][1]} in the other file"
                    yield Clue("data_files.unpaired", at, line, min(read[at], 1.0), why)


def _list_lengths(
    case: Case, file: str, by_line: bool = False
) -> dict[str, dict[str, tuple[int, int]]]:
    """Return by key, then by the record's first value: the line and the length of a list.

    ``by_line`` takes the line's number in place of the record's first value.
    """
    lengths: dict[str, dict[str, tuple[int, int]]] = {}
    for number, line in enumerate(case.workspace.lines(file)[:MAX_TEXT_LINES], 1):
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if not isinstance(record, dict):
            continue
        name = str(number)
        if not by_line:
            name = next((str(v) for v in record.values() if isinstance(v, (str, int))), name)
        for key, value in record.items():
            if isinstance(value, list):
                lengths.setdefault(key, {})[name] = (number, len(value))
    return lengths


def _uneven_lists(case: Case, read: dict[str, float]) -> Iterator[Clue]:
    """Yield records whose list has another length than in nearly all records, or than its pair."""
    if case.category.id not in SIZED:
        return
    files = [f for f in read if f.endswith(LINES_OF_JSON)]
    files += [f for f in case.workspace.files() if f.endswith(LINES_OF_JSON) and f not in read]
    numbers = numbers_of(case)
    for file in files[:MAX_TABLES]:
        closeness = read.get(file, BESIDE)
        lengths = {
            key: dict(items.values())
            for key, items in _list_lengths(case, file, by_line=True).items()
        }
        for key, of_line in sorted(lengths.items()):
            usual, often = Counter(of_line.values()).most_common(1)[0]
            odd = [line for line, length in of_line.items() if length != usual]
            if often >= 4 and odd and len(odd) <= min(MAX_ODD, often // 4):
                for line in odd:
                    why = f"`{key}` has {of_line[line]} items here, and {often} others have {usual}"
                    are_named = {of_line[line], usual} <= numbers
                    kind = "data_files.explains" if are_named else "data_files.uneven_list"
                    yield Clue(kind, file, line, closeness, why)
        for key, other in combinations(sorted(lengths), 2):
            first, second = lengths[key], lengths[other]
            shared = sorted(first.keys() & second.keys())
            odd = [line for line in shared if first[line] != second[line]]
            if len(shared) >= 4 and odd and len(odd) <= min(MAX_ODD, len(shared) // 4):
                for line in odd:
                    why = (
                        f"`{key}` has {first[line]} items here and `{other}` has {second[line]}; "
                        "in all other records they have as many"
                    )
                    are_named = {first[line], second[line]} <= numbers
                    kind = "data_files.explains" if are_named else "data_files.unpaired"
                    yield Clue(kind, file, line, closeness, why)


def numbers_of(case: Case) -> set[int]:
    """Return the whole numbers of the message's facts, those inside of shapes as well."""
    numbers: set[int] = set()
    for fact in case.facts.facts:
        if fact.kind is FactKind.LINE:
            continue
        values = fact.value if isinstance(fact.value, tuple) else (fact.value,)
        numbers.update(value for value in values if type(value) is int)
    return numbers


def _missing_texts(case: Case, table: Table, closeness: float) -> Iterator[Clue]:
    """Yield empty cells of a column of texts where the message complains of a float.

    Pandas reads an empty cell as NaN, which is a float, in a column of texts as well.
    """
    if not FLOAT_FOR_TEXT.search(case.message):
        return
    for column in table.columns:
        few = column.empty_lines and len(column.empty_lines) <= max(MAX_ODD, table.rows // 20)
        if few and column.numbers * 4 < column.filled:
            for line in column.empty_lines[:MAX_ODD]:
                why = f"`{column.name}` is empty here, which pandas reads as NaN, a float"
                yield Clue("data_files.explains", table.file, line, closeness, why)


OF_GAPS = frozenset(
    {"fillna", "dropna", "interpolate", "ffill", "bfill", "nan_to_num", "SimpleImputer"}
    | {"KNNImputer", "IterativeImputer", "isnan", "isna", "notna", "nanmean"}
)
"""Calls by which programs deal with missing numbers."""
OF_HANDLED = 0.4
HANDLED_ROWS = 3
"""The rows as one of which an empty cell counts that the program may deal with."""


def _missing_numbers(case: Case, table: Table, closeness: float) -> Iterator[Clue]:
    """Yield empty or not finite cells of a column of numbers where the failure is about NaN."""
    if case.category.id != "loss_nan" and not NOT_A_NUMBER.search(case.message):
        return
    if case.code_words.texts({"name", "attribute"}) & OF_GAPS:
        # The program counts on gaps: what it does with them is more to blame than they are.
        closeness *= OF_HANDLED
    for column in table.columns:
        lines = [*column.empty_lines, *(line for line, text in column.odd if text.lower() in NANS)]
        if lines and len(lines) <= max(MAX_ODD, table.rows // 20) and column.numbers:
            for line in lines[:MAX_ODD]:
                why = f"`{column.name}` has no number here, which is read as NaN"
                yield Clue("data_files.explains", table.file, line, closeness, why)


def _text_lines(case: Case, read: dict[str, float]) -> Iterator[Clue]:
    """Yield lines of plain text files that are a key or a value of the message, or nearly are."""
    wanted = {
        str(fact.value)
        for kind in (FactKind.KEY, FactKind.LITERAL)
        for fact in case.facts.of(kind)
        if 1 < len(str(fact.value)) <= 80
    }
    if not wanted or case.category.id not in LOOKED_UP:
        return
    files = [f for f in read if f.endswith(TEXTS)]
    files += [f for f in case.workspace.files() if f.endswith(TEXTS) and f not in read]
    for file in files[:MAX_TABLES]:
        if file.rpartition("/")[2].startswith(OF_PACKAGES):
            continue
        closeness = read.get(file, BESIDE)
        lines = case.workspace.lines(file)[:MAX_TEXT_LINES]
        for value in sorted(wanted):
            exact = [n for n, line in enumerate(lines, 1) if value in line.split()]
            for number in exact[:MAX_ODD]:
                why = f"`{value}` of the message stands here"
                yield Clue("data_files.value", file, number, closeness / len(exact) ** 0.5, why)
            for number, line in enumerate(lines, 1) if not exact else ():
                words = line.split()
                whole = line.strip()
                for word in (whole, words[0]) if words else ():
                    if word != value and similarity(word, value) >= ALIKE:
                        why = f"`{word}` is nearly `{value}` of the message"
                        yield Clue("data_files.near_value", file, number, closeness, why)
                        break


SEPARATED = (".csv", ".tsv", ".psv", ".tab")
OF_EXTENSIONS = {".tsv": "\t", ".tab": "\t", ".psv": "|"}


def _unlike_separators(case: Case, read: dict[str, float]) -> Iterator[Clue]:
    """Yield the first line of a table whose separator is another than its siblings' or its name's.

    Read with theirs, its rows are one column each.
    """
    names = [f for f in (*read, *case.workspace.files()) if f.endswith(SEPARATED)]
    tables = {file: case.workspace.table(file) for file in dict.fromkeys(names[: 2 * MAX_TABLES])}
    known = {file: t for file, t in tables.items() if t is not None and len(t.columns) > 1}
    for file, table in known.items():
        folder, _, name = file.rpartition("/")
        extension = name[name.rindex(".") :]
        siblings = [
            t.delimiter
            for other, t in known.items()
            if other != file and other.rpartition("/")[0] == folder and other.endswith(extension)
        ]
        usual = OF_EXTENSIONS.get(extension) or (siblings[0] if len(siblings) > 1 else None)
        if usual is None or set(siblings) - {usual} or table.delimiter == usual:
            continue
        why = f"this file separates by {_separator(table.delimiter)}, {_others(siblings, usual)}"
        score = OF_SEPARATORS * min(read.get(file, BESIDE), 1.0)
        yield Clue("data_files.explains", file, table.header_line or 1, score, why)


OF_SEPARATORS = 0.9


def _separator(mark: str) -> str:
    return {"\t": "tabs", " ": "spaces"}.get(mark, f"`{mark}`")


def _others(siblings: list[str], usual: str) -> str:
    by = _separator(usual)
    return f"the others beside it by {by}" if siblings else f"its name says {by}"


ONLY_ASCII = re.compile(
    r"(?i)\bnon-?ascii|\bnot (?:\w+ )?ascii|\bascii\W{0,4}(?:only|codec|characters? only)"
)
"""How messages say that a text has characters that ASCII does not have."""


def _beyond_ascii(case: Case, read: dict[str, float]) -> Iterator[Clue]:
    """Yield the lines with characters beyond ASCII where only ASCII is taken."""
    if not ONLY_ASCII.search(case.message):
        return
    # A path that only the command line gave may be that of any of the workspace's data files.
    files = read or {f: BESIDE for f in case.workspace.files() if _is_data(f)}
    for file in [f for f in files if not f.endswith(CODE)][:MAX_TABLES]:
        lines = [n for n, line in enumerate(case.workspace.lines(file), 1) if not line.isascii()]
        for line in lines[:MAX_ODD]:
            text = case.workspace.lines(file)[line - 1]
            odd = next(c for c in text if not c.isascii())
            why = f"`{odd}` (U+{ord(odd):04X}) stands here, and the failure wants ASCII"
            score = files[file] / len(lines) ** 0.5
            yield Clue("data_files.explains", file, line, score, why)


def _extremes(case: Case, table: Table, closeness: float) -> Iterator[Clue]:
    """Yield the rows that alone hold the highest or a negative whole number of a column."""
    if case.category.id != "illegal_index":
        return
    indices = {f.value for f in case.facts.of(FactKind.INDEX) if isinstance(f.value, int)}
    indices.update(index_of(case))
    for column in table.columns:
        low, high = column.minimum, column.maximum
        if low is None or high is None or column.numbers < max(4, column.filled):
            continue
        if high != int(high) or low != int(low) or high - low < 1:
            continue
        for value, line in ((high, column.maximum_line), (low, column.minimum_line)):
            if line is None or (value is low and value >= 0):
                continue
            if indices and not indices & {int(value), int(value) - 1}:
                continue
            # A number that the message does not name is odd only where no other column has it.
            within = column.name if indices else None
            count = len(case.workspace.table_rows(table.file, f"{int(value)}", within))
            if count <= MAX_ODD and (indices or _is_rarest(column, value)):
                extreme = "the highest" if value is high else "the lowest"
                rows = "one row" if count == 1 else "few rows"
                why = f"{int(value)} is {extreme} value of `{column.name}`, and stands in {rows}"
                kind = "data_files.explains" if indices and count == 1 else "data_files.extreme"
                yield Clue(kind, table.file, line, closeness, why)


def _is_rarest(column: Column, value: float) -> bool:
    """Whether all other values of a column stand in more rows than one of its numbers.

    Where others stand in as few, as high counts and measures do, that one is nothing odd.
    """
    counts = [rare.count for rare in column.rare[:2]]
    if not counts or (counts[-1] == counts[0] and len(counts) > 1):
        return False
    return column.rare[0].value.strip() in (f"{value:g}", f"{value:.1f}")


def index_of(case: Case) -> set[int]:
    """Return the index that the followed run has where the failure is one beyond its bounds."""
    raised = follow(case).raised
    if raised is None or raised.what != "index" or raised.weight < 1.0 or not raised.sides:
        return set()
    data = raised.sides[0].data
    number = data.highest if isinstance(data, Array) else data
    return {number} if type(number) is int else set()


def _odd_rows(case: Case, table: Table, closeness: float) -> Iterator[Clue]:
    if len(table.columns) < 2 and not table.file.endswith(TABLES):
        return  # Commas and quotation marks in lines of another format separate nothing.
    if table.problem is not None and table.problem_line:
        kind = _kind(case, table.problem)
        yield Clue(kind, table.file, table.problem_line, closeness, table.problem)
    width = len(table.columns)
    count = len(table.ragged)
    for line, fields in table.ragged[:20]:
        why = _odd_width(table, line, fields, width)
        yield Clue("data_files.ragged", table.file, line, closeness / count**0.5, why)


def _odd_width(table: Table, line: int, fields: int, width: int) -> str:
    """Say how a row differs from most; ``width`` is the number of columns that the table names.

    Records of JSON differ by their keys, whatever their number. Where the header itself is the odd
    row, the table's columns are not those of most rows.
    """
    counted = "1 field" if fields == 1 else f"{fields} fields"
    if not table.delimiter:
        return f"this record has {counted} and lacks one that most have"
    if table.header_line is not None and any(at == table.header_line for at, _ in table.ragged):
        row = "the header" if line == table.header_line else "this row"
        return f"{row} has {counted}, unlike most rows"
    return f"this row has {counted}, most have {width}"


def _repeated_rows(case: Case, table: Table, closeness: float) -> Iterator[Clue]:
    """Yield the one row of a table that stands there twice."""
    if case.category.id not in ("tensor_mismatch", "corrupt_data", "illegal_argument"):
        return
    lines = case.workspace.lines(table.file)
    if not FEW_ROWS <= len(lines) <= MOST_LINES:
        return
    seen: dict[str, int] = {}
    again = [
        (seen[line], number)
        for number, line in enumerate(lines, 1)
        if line.strip() and seen.setdefault(line, number) != number
    ]
    for first, second in again if len(again) == 1 else ():
        why = f"this row stands in line {first} too, and no other row stands twice"
        yield Clue("data_files.odd_value", table.file, second, closeness, why)


def _odd_values(case: Case, table: Table, closeness: float, text: bool) -> Iterator[Clue]:
    """Yield values that look out of place in their column; ``text`` where text was no number."""
    for column in table.columns:
        yield from _odd_cells(case, table, column, closeness, text)


def _odd_cells(
    case: Case, table: Table, column: Column, closeness: float, text: bool
) -> Iterator[Clue]:
    odd = {line for line, _ in column.odd}
    counts_on_gaps = bool(case.code_words.texts({"name", "attribute"}) & OF_GAPS)
    gaps = {*column.missing_lines, *column.empty_lines} if counts_on_gaps else set()
    for line, why, count in odd_cells(table, column):
        if line in gaps:
            # The program drops or fills what is empty: that it does not is less likely.
            count *= HANDLED_ROWS
        kind = "data_files.text_value" if text and line in odd else "data_files.odd_value"
        # What stands in several rows is how the file is written: the program is to expect it.
        told = f"{column_words(table, column.name)}: {why}"
        yield Clue(kind, table.file, line, closeness / count, told)


def odd_cells(table: Table, column: Column) -> list[tuple[int, str, int]]:
    """Return (line, why, how many cells are so) of a column's cells that stand out.

    They are absent, of another kind than the others, or alone with their value.
    """
    few = max(3, table.rows // 20)
    odd: list[tuple[int, str, int]] = []
    for lines, why in (
        (column.missing_lines, "missing where others have it"),
        (column.empty_lines, "empty where others are filled"),
    ):
        if lines and len(lines) <= few:
            odd.extend((line, why, len(lines)) for line in lines[:MAX_ODD])
    odd.extend(
        (line, f"`{text}` among numbers", len(column.odd)) for line, text in column.odd[:MAX_ODD]
    )
    distinct = column.distinct
    if distinct is not None and distinct * 4 <= table.rows and column.numbers < column.filled:
        rare = [r for r in column.rare if r.count <= 2]
        odd.extend(
            (r.first_line, _rare_words(r, column), len(rare))
            for r in rare
            if r.count * 10 * distinct <= table.rows
        )
    if column.shortest == 0 and column.shortest_line:
        odd.append((column.shortest_line, "empty", 1))
    return odd


def _rare_words(value: RareValue, column: Column) -> str:
    """Say how rare a value is, and whether another value of the column is spelt nearly so."""
    rows = "no other row" if value.count == 1 else "only one other row"
    same = value.value.strip().casefold()
    twins = [r for r in column.rare if r.count > value.count and r.value.strip().casefold() == same]
    twin = f"; `{twins[0].value}` stands in {twins[0].count}" if twins else ""
    return f"`{value.value}` stands in {rows}{twin}"


READERS = {"read_csv", "read_table", "read_excel", "genfromtxt", "loadtxt"}
OF_MISSING = {"na_values", "missing_values", "converters", "dtype", "keep_default_na"}
"""Options of the readers that say what a missing value is written as (pandas, NumPy)."""
OFTEN = 2


def _readers(case: Case, table: Table, closeness: float) -> Iterator[Clue]:
    """Yield the call that reads a table in which one word stands for missing numbers throughout."""
    if not _is_text_for_number(case):
        return
    words = Counter(text for column in table.columns for _, text in column.odd)
    word, count = words.most_common(1)[0] if words else ("", 0)
    if count < OFTEN:
        return
    for step in case.raise_slice:
        call = step.node.expr
        if not isinstance(call, ast.Call) or called_name(call) not in READERS:
            continue
        is_told = any(k.arg is None or k.arg in OF_MISSING for k in call.keywords)
        if not is_told and step.node.line > 0 and table.file in _files_of_call(case, step):
            why = (
                f"`{word}` stands among numbers in at least {count} cells of this file, and the "
                "call does not say that it means a missing value (`na_values`)"
            )
            yield Clue("data_files.reader", step.node.file, step.node.line, closeness, why)
            return


def _files_of_call(case: Case, step: Step) -> set[str]:
    """Return the files that a call reads, as far as its arguments say which."""
    names = {value.file for value in step.node.values if isinstance(value, DataFile)}
    for _, given in step.node.inputs:
        for constant in given.constants:
            if isinstance(constant.value, str):
                names.add(workspace_path(case.engine, constant.value) or "")
    return names


def columns_of_text(case: Case) -> dict[str, dict[str, Column]]:
    """Return, by file and name, the columns of texts from which one was taken for a number.

    A row of such a column is like all others: what is wrong is that the column was chosen, or that
    it was not encoded.
    """
    if case not in _COLUMNS:
        _COLUMNS[case] = _find_columns(case) if _is_text_for_number(case) else {}
    return _COLUMNS[case]


_COLUMNS: WeakKeyDictionary[Case, dict[str, dict[str, Column]]] = WeakKeyDictionary()


def _find_columns(case: Case) -> dict[str, dict[str, Column]]:
    given = {str(fact.value) for fact in case.facts.of(FactKind.LITERAL)} - {""}
    given.update(NO_NUMBER.findall(case.message))
    found: dict[str, dict[str, Column]] = {}
    for file in [f for f in files_read(case) if f.endswith(TABLES)][:MAX_TABLES]:
        table = case.workspace.table(file)
        for column in table.columns if table is not None else ():
            if column.numbers or column.filled < FEW_TEXTS or column.distinct == 1:
                continue
            if any(case.workspace.table_rows(file, text, column.name) for text in given):
                found.setdefault(file, {})[column.name] = column
    return found


LONG_VALUE = 5
"""Letters from which on a value that stands in one row only is no coincidence."""
UNIQUE = 0.6
FEW_TEXTS = 4
"""Rows from which on a column without any number is one of texts."""


def _columns_of_text(case: Case) -> Iterator[Clue]:
    """Yield where settings and code name a column of texts that was taken for one of numbers."""
    columns = {n: (f, c) for f, named in columns_of_text(case).items() for n, c in named.items()}
    roles = ("string", "config_value")
    named = case.words.with_text(columns) if columns else []
    words = [w for w in named if w.role in roles and not w.file.endswith(TABLES)]
    on_way = _on_way(case)
    near = [w for w in words if w.role == "config_value" or (w.file, w.line) in on_way] or words
    for word in near:
        file, column = columns[word.text]
        why = f"names `{word.text}`, whose {column.filled} values in {file} are texts"
        score = 1.0 / len(near) ** 0.5
        yield Clue("data_files.explains", word.file, word.line, score, why)


def _ends(path: str) -> Iterator[str]:
    """Yield the ends of a path, the longest first: tables name files within a setting's folder."""
    parts = path.replace("\\", "/").split("/")
    if "." in parts[-1]:
        for start in range(max(1, len(parts) - MOST_ENDS), len(parts)):
            yield "/".join(parts[start:])


def _stands_elsewhere(case: Case, value: str, table: Table, tables: Sequence[Table]) -> bool:
    """Whether another table, a config or code holds a value as well."""
    if any(case.workspace.table_rows(t.file, value) for t in tables if t.file != table.file):
        return True
    return any(word.file != table.file for word in case.words.with_text((value,)))


def column_words(table: Table, name: str) -> str:
    """Return a column as people call it: of a file without a header by its number, from 1."""
    if table.header_line is None and name.isdecimal():
        return f"field {int(name) + 1}"
    return f"column `{name}`"


def _message_values(
    case: Case, table: Table, closeness: float, tables: Sequence[Table]
) -> Iterator[Clue]:
    """Yield the rows of a table that hold a value of the message."""
    usual = columns_of_text(case).get(table.file, {})
    for kind in VALUES:
        for fact in case.facts.of(kind):
            value = str(fact.value)
            if not value or len(value) > 200:
                continue
            rows = case.workspace.table_rows(table.file, value)
            for end in _ends(value) if kind is FactKind.PATH and not rows else ():
                rows = case.workspace.table_rows(table.file, end)
                if rows:
                    value = end
                    break
            for line, name in [row for row in rows if row[1] not in usual][:3]:
                why = f"`{value}` of the message stands in {column_words(table, name)}"
                score = closeness / len(rows) ** 0.5
                yield Clue("data_files.value", table.file, line, score, why)
                is_alone = len(rows) == 1 and len(value) >= LONG_VALUE
                if is_alone and not _stands_elsewhere(case, value, table, tables):
                    why = f"`{value}` of the message stands in this row alone"
                    yield Clue("data_files.explains", table.file, line, UNIQUE * score, why)
