"""Rules for data that cannot be parsed, decoded or used, and for configs with broken grammar."""

from __future__ import annotations

import re

from dl_bug_lsp.taxonomy.classification_context import (
    FRAMEWORKS,
    ClassificationContext,
    Rule,
    names,
    rule,
)

DATA, SYNTAX, CODING = "corrupt_data", "syntax_error", "unexpected_encoding"
TYPE = "type_mismatch"

_RECORD_NAME = re.compile(
    r"\b(?:row|rows|rec|record|records|line|lines|fields?|cols?|columns?|parts?|tokens?|cells?|"
    r"entry|item|values?|raw|annotations?|ann|example|sample|csv)\b",
    re.IGNORECASE,
)
_CONFIG_WORD = re.compile(
    r"conf|cfg|setting|param|option|hparam|hyper|args?\b|yaml|toml|\.ini|deepspeed|opts",
    re.IGNORECASE,
)
_DATA_WORD = re.compile(
    r"jsonl|ndjson|\bline\b|\brow\b|record|annot|label|sample|corpus|dataset|\bdata\b|split|"
    r"response|body|payload|predictions?|cache|results?|metrics|state|coco|metadata|reader",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"'([^']*)'|\"([^\"]*)\"")
_NUMBER_LIKE = re.compile(r"[\d.,:;%$€+\-_/ eE<>~=()]+[a-zA-Z]?")
_DATE = re.compile(
    r"(?:\d{4}([-/.])\d{1,2}\1\d{1,2}|\d{1,2}([-/.])\d{1,2}\2(?:\d{4}|\d{2}))"
    r"(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?Z?(?: ?[AaPp][Mm])?)?"
    r"|\d{1,2}:\d{2}:\d{2}(?:\.\d{1,9})?"
)
_MISSING = names("na n/a nan none null nil missing unknown undefined - -- ? . x inf err error #n/a")


def _asserted_by_opencv(context: ClassificationContext) -> bool:
    """Say whether OpenCV refused what it was given: StsAssert has the number -215."""
    return "(-215" in context.message and "error" in context.text


def _words_around(context: ClassificationContext) -> str:
    """Return the source lines, functions and files of the innermost frames."""
    frames = [f for f in context.frames if f.source or f.function]
    return " ".join(f"{f.function or ''} {f.source or ''} {f.file}" for f in frames[-6:])


def _of_a_config(context: ClassificationContext) -> bool:
    """Say whether a parser read what a person wrote as a config, not the job's data.

    YAML and TOML are config languages; JSON is one unless it is read line by line or the code
    around speaks of records.
    """
    if context.raised_in(
        "yaml", "ruamel", "tomllib", "tomli", "toml", "omegaconf", "hydra", "configparser"
    ):
        return True
    # Readers of data sets read records; a second document on line 2 is a file of JSON lines.
    if {"datasets", "pandas", "pyarrow"} & set(context.libraries) or context.says(
        "extra data: line 2 "
    ):
        return False
    user = next(
        (f for f in reversed(context.frames) if f.source and f.source == context.user_source), None
    )
    surroundings = f"{context.user_source} {user.function or '' if user else ''}"
    if _CONFIG_WORD.search(surroundings):
        return True
    if _DATA_WORD.search(surroundings) or "loads(" in surroundings:
        return False
    if _CONFIG_WORD.search(_words_around(context)):
        return True
    # A one-line document is a record or a response; people write configs over several lines.
    several = re.search(r"line (\d+) column", context.text)
    return several is not None and int(several.group(1)) > 1


_READS_ANSWER = re.compile(r"\.json\(|\.text\b|\.content\b|urlopen|requests\.|httpx\.")
_CLIENTS = ("requests", "httpx", "aiohttp", "urllib3")


def _is_answer(context: ClassificationContext) -> bool:
    """Say whether what is no JSON came from a server: a client reads it, or the line says so."""
    if context.raised_in(*_CLIENTS) or context.cause.type.startswith(_CLIENTS):
        return True
    return _READS_ANSWER.search(context.user_source) is not None and context.says("(char 0)")


def _of_data(context: ClassificationContext) -> bool:
    return not _of_a_config(context)


def _converts_field(context: ClassificationContext) -> bool:
    """Say whether the user's line converts a field of a record that was read."""
    return bool(re.search(r"\[['\"\d]|\.get\(|\.split\(|\.strip\(", context.user_source)) or bool(
        _RECORD_NAME.search(context.user_source)
    )


def _is_number_like(value: str) -> bool:
    """Say whether a text has digits and otherwise only what stands around numbers."""
    if _DATE.fullmatch(value):
        return False  # A whole date: the column is one of dates.
    return any(c.isdigit() for c in value) and bool(_NUMBER_LIKE.fullmatch(value))


def _value_is_damaged(context: ClassificationContext) -> bool:
    """Say whether the text that is no number is empty, a missing marker or a torn number."""
    groups = [
        m.group(1) if m.group(1) is not None else m.group(2)
        for m in _QUOTED.finditer(context.message)
    ]
    if not groups:
        return False
    value = groups[-1].strip()
    return not value or value.lower() in _MISSING or _is_number_like(value)


def _words_as_numbers(context: ClassificationContext) -> bool:
    """Say whether numeric code got a column of words: not encoded, a wrong type, but not torn."""
    numeric = {"numpy", "pandas", "sklearn", "xgboost", "lightgbm", *FRAMEWORKS}
    return any(library in numeric for library in context.libraries) and not _value_is_damaged(
        context
    )


RULES_NONE: tuple[Rule, ...] = (
    rule(
        "data.none_field",
        DATA,
        "int() argument must be a string, a bytes-like object or a",
        "float() argument must be a string or a",
        types="TypeError",
        when=lambda s: s.says("nonetype") and _converts_field(s),
        confidence=0.7,
    ),
)
"""Looked at before None decides."""

RULES: tuple[Rule, ...] = (
    rule(
        "data.encoding",
        CODING,
        "codec can't decode",
        "codec can't encode",
        "can't decode byte",
        "can't encode character",
        "invalid utf-8",
        "invalid utf8",
        "not valid utf-8",
        "surrogates not allowed",
        "invalid start byte",
        "invalid continuation byte",
        "stream did not contain valid utf-8",
        "unknown encoding",
        "illegal multibyte sequence",
        "utf-16 stream does not start with bom",
        unless=("unpickl",),
    ),
    rule(
        "data.encoding_class",
        CODING,
        types="UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeTranslateError",
    ),
    rule(
        "data.config_parser",
        SYNTAX,
        types="ScannerError ParserError ComposerError ConstructorError YAMLError TOMLDecodeError "
        "TomlDecodeError DuplicateKeyError MissingSectionHeaderError "
        "ParsingError DuplicateSectionError "
        "DuplicateOptionError InterpolationSyntaxError GrammarParseError OverrideParseException "
        "HOCONParseError ParseBaseException ParseException LexerNoViableAltException",
        when=lambda s: (
            not s.cause.type.startswith("pandas") and not s.raised_in("pandas", "dateutil")
        ),
    ),
    rule(
        "data.web_answer",
        DATA,
        types="JSONDecodeError JSON5DecodeError ContentTypeError InvalidJSONError",
        when=_is_answer,
        confidence=0.85,
    ),
    rule(
        "data.config_json",
        SYNTAX,
        types="JSONDecodeError JSON5DecodeError",
        when=_of_a_config,
        confidence=0.85,
    ),
    rule(
        "data.json", DATA, types="JSONDecodeError JSON5DecodeError", when=_of_data, confidence=0.85
    ),
    rule(
        "data.config_syntax",
        SYNTAX,
        "mapping values are not allowed here",
        "could not find expected ':'",
        "while scanning",
        "while parsing a block",
        "found character '\\t' that cannot start any token",
        "extraneous input…expecting",
        "mismatched input…expecting",
        types="ValueError Exception RuntimeError hydra python bash",
        confidence=0.8,
    ),
    rule(
        "data.tables",
        DATA,
        "error tokenizing data",
        "expected…fields in line…saw",
        "eof inside string",
        "no columns to parse from file",
        "number of columns changed from",
        "some errors were detected",
        "got…columns instead of",
        "line #",
        "new-line character seen in unquoted field",
        "field larger than field limit",
        "line contains nul",
        "iterator should return strings",
        "wrong number of columns at line",
        "passed header=",
        "usecols do not match columns",
        "trailing data",
        "unexpected character found when decoding",
        "expected object or value",
        "unmatched ''\"'",
        "excel file format cannot be determined",
        "bad zip file",
        types="ParserError EmptyDataError ValueError Error XLRDError",
        unless=("could not broadcast",),
    ),
    rule(
        "data.table_class",
        DATA,
        types="ParserError EmptyDataError BadZipFile BadGzipFile XLRDError",
    ),
    # Nothing is damaged where a spawned process reads what its parent did not send to the end.
    rule(
        "data.parent_failed",
        "framework_api_misuse",
        "ran out of input",
        "pickle data was truncated",
        types="EOFError UnpicklingError",
        when=lambda s: any(frame.own_name == "spawn_main" for frame in s.frames),
        confidence=0.5,
    ),
    rule(
        "data.archive",
        DATA,
        "file is not a zip file",
        "not a gzipped file",
        "compressed file ended before the end-of-stream",
        "bad magic number for",
        "bad crc-32",
        "crc check failed",
        "crc32",
        "incorrect header check",
        "incorrect data check",
        "error -3 while decompressing",
        "error -5 while decompressing",
        "invalid distance",
        "unexpected end of data",
        "unexpected eof",
        "invalid header",
        "not a bzip2",
        "file could not be opened successfully",
        "failed finding central directory",
        "pytorchstreamreader failed",
        "invalid load key",
        "could not find mark",
        "ran out of input",
        "unpickling stack underflow",
        "unexpected end of file",
        "header too large",
        "headertoolarge",
        "headertoosmall",
        "invalidheaderdeserialization",
        "metadataincompletebuffer",
        "incompletemetadata",
        "error while deserializing header",
        "md5 hash",
        "hash mismatch",
        "checksum",
        "sha256",
        "invalid hash value",
        "corrupt",
        "truncated",
        "unable to open file (bad",
        "inflate() failed",
        "bad marshal",
        "cannot load file containing pickled data when allow_pickle=false",
        "object arrays cannot be loaded when allow_pickle=false",
        "failed to interpret file…as a pickle",
        "no data left in file",
        "magic string is not correct",
        "eof: reading array",
        "eof: reading magic",
        "cannot reshape array of size…fromfile",
        "buffer size must be a multiple of element size",
        "unexpected pos",
        "storage has wrong byte size",
        "unexpectedly reached end of file",
        unless=("please install", "truncation"),
        confidence=0.85,
    ),
    rule(
        "opencv.channels",
        "tensor_mismatch",
        "scn ==",
        "channels() ==",
        "(-215…).size",
        when=_asserted_by_opencv,
        unless=("empty()",),
        confidence=0.7,
    ),
    rule(
        "opencv.type",
        TYPE,
        "depth() ==",
        "type() ==",
        "depth ==",
        "cv_8u",
        "cv_32",
        "cv_64",
        when=_asserted_by_opencv,
        unless=("empty()",),
        confidence=0.65,
    ),
    rule(
        "opencv.empty",
        DATA,
        "empty()",
        "ssize.width > 0",
        "ssize.area() > 0",
        "size.width>0",
        when=_asserted_by_opencv,
        confidence=0.85,
    ),
    rule(
        "data.image",
        DATA,
        "cannot identify image file",
        "image file is truncated",
        "broken png file",
        "broken data stream",
        "unrecognized data stream contents",
        "decompression bomb",
        "not a png file",
        "not a jpeg",
        "decoder error",
        "decoder jpeg not available",
        "error decoding image",
        "could not decode",
        "failed to decode",
        "cannot decode",
        "unsupported image format",
        "image data of dtype",
        "insufficient image data",
        "tile cannot extend outside image",
        "not enough image data",
        "bad image mode",
        "format not recognised",
        "format not recognized",
        "unknown file format",
        "file format…not understood",
        "file does not start with riff id",
        "unknown wave file format",
        "error opening",
        "failed to load audio",
        "invalid data found when processing input",
        "moov atom not found",
        "input buffer is not",
        "unsupported image file",
        "invalid image",
        "could not load image",
        types="UnidentifiedImageError OSError SyntaxError ValueError RuntimeError "
        "error LibsndfileError "
        "DecompressionBombError InvalidArgumentError Exception InvalidDataError EOFError",
    ),
    rule("opencv.assertion", "illegal_argument", when=_asserted_by_opencv, confidence=0.5),
    rule(
        "data.image_class",
        DATA,
        types="UnidentifiedImageError UnpicklingError LibsndfileError InvalidDataError",
        confidence=0.85,
    ),
    rule("data.end_of_file", DATA, types="EOFError", confidence=0.75),
    # The functions of Python itself: what they are given is of the program's making.
    rule(
        "python.empty",
        "illegal_argument",
        "() arg is an empty sequence",
        "() iterable argument is empty",
        "of empty iterable with no initial value",
        "of empty sequence with no initial value",
        "cannot choose from an empty sequence",
        types="ValueError TypeError IndexError",
        confidence=0.8,
    ),
    rule(
        "python.population",
        "illegal_argument",
        "population must be",
        "total of weights must be",
        types="ValueError TypeError",
        confidence=0.75,
    ),
    rule(
        "data.empty",
        DATA,
        "a must be non-empty",
        "empty vocabulary",
        "empty dataset",
        "dataset is empty",
        "no samples",
        "no valid samples",
        "no valid records",
        "no valid rows",
        "length of list of samples",
        "empty text",
        "of an empty sequence",
        "empty batch",
        "zero-size array to reduction operation",
        "cannot do a non-empty take from an empty axes",
        "mean of empty slice",
        "mean requires at least one data point",
        "stack expects a non-empty",
        "need at least one",
        "torch.cat(): expected a non-empty list",
        "found array with 0 sample(s)",
        "found array with 0 feature(s)",
        "with a minimum of 1 is required",
        "length of all samples has to be greater than 0",
        "no median for empty data",
        "no objects to concatenate",
        "no mode for empty data",
        types="ValueError IndexError RuntimeError StatisticsError KeyError TypeError "
        "AssertionError Exception "
        "InvalidArgumentError DataError SchemaError ValidationError",
        unless=("unexpected keyword", "no valid checkpoint", "valid model identifier"),
        confidence=0.75,
    ),
    rule(
        "data.one_class",
        DATA,
        "only one class present in y_true",
        "needs samples of at least 2 classes in the data",
        "zero-length",
        "empty sequence",
        "the number of classes has to be greater than one",
        "y contains 1 class",
        "the least populated class",
        "previously unseen labels",
        "found unknown categories",
        "no positive samples in targets",
        "bounding box",
        "bbox",
        "expected x_max",
        "annotation",
        "duplicate labels",
        "invalid label",
        "unknown label",
        "unexpected label",
        "unexpected class",
        "not a valid label",
        "inconsistent labels",
        "malformed",
        "garbled",
        "illegal record",
        "bad record",
        "invalid record",
        "broken record",
        "schema",
        "out-of-bounds nanosecond",
        "time data…does not match format",
        "unknown string format",
        "unconverted data remains",
        "invalid isoformat string",
        "unknown datetime string format",
        "cannot convert non-finite values (na or inf) to integer",
        "cannot convert float nan to integer",
        "can not convert float nan",
        "cannot convert float infinity to integer",
        types="ValueError IndexError RuntimeError StatisticsError KeyError "
        "AssertionError Exception "
        "InvalidArgumentError DataError SchemaError ValidationError",
        unless=("unexpected keyword", "no valid checkpoint", "valid model identifier"),
        confidence=0.75,
    ),
    rule(
        "data.nan_values",
        DATA,
        "input contains infinity",
        "input x contains infinity",
        "contains nan",
        "autodetected range of [nan",
        "range parameter must be finite",
        "must not contain infs or nans",
        "contains null values",
        types="ValueError LinAlgError",
        when=lambda s: not s.in_framework,
    ),
    rule(
        "data.unlike_records",
        DATA,
        "to have the same…attributes",
        "to have the same keys",
        types="ValueError DGLError RuntimeError",
        confidence=0.7,
    ),
    rule(
        "data.words_as_numbers",
        TYPE,
        "invalid literal for int()",
        "unable to parse string",
        "could not convert string",
        types="ValueError",
        when=_words_as_numbers,
        confidence=0.8,
    ),
    rule(
        "data.number_field",
        DATA,
        "could not convert string to float",
        "invalid literal for float()",
        "invalid literal for int()",
        "could not convert string to int",
        "unable to parse string",
        types="ValueError",
        when=lambda s: _value_is_damaged(s) or _converts_field(s),
        confidence=0.75,
    ),
    rule(
        "data.text_for_number",
        TYPE,
        "could not convert string to float: ",
        "invalid literal for float(): ",
        types="ValueError program log",
        confidence=0.6,
    ),
)
