"""Rules for what a program talks to: screens and sound, databases, web services, Java and Spark.

Also what programs that it starts say by their exit status.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from dl_bug_lsp.taxonomy.classification_context import ClassificationContext, Rule, names, rule

PATH, RIGHTS, LIBRARY = "path_not_found", "permission_denied", "library_not_found"
ARGUMENT, KEY, DATA, SYNTAX = "illegal_argument", "key_not_found", "corrupt_data", "syntax_error"
LINK, DEVICE, VERSION = "communication_failure", "device_unavailable", "version_conflict"
MISUSE, MEMORY = "framework_api_misuse", "cpu_out_of_memory"

RULES_SCREENS: tuple[Rule, ...] = (
    rule(
        "screen.display",
        DEVICE,
        "no display name and no $display",
        "couldn't connect to display",
        "could not connect to display",
        "can't connect to display",
        "cannot connect to display",
        "unable to connect to x server",
        "cannot connect to x server",
        "could not connect to any x display",
        "cannot open display",
        "can't open display",
        "could not open display",
        "failed to open display",
        "the display environment variable is missing",
        "no available video device",
        "framework, as 'headless' is currently running",
        "rebuild the library with windows, gtk",
        "rebuild with gtk",
        confidence=0.9,
    ),
    rule(
        "screen.display_class",
        DEVICE,
        types="NoSuchDisplayException DisplayConnectionError DisplayNameError "
        "NoSuchConfigException",
        confidence=0.75,
    ),
    rule(
        "screen.disabled",
        DEVICE,
        "is disabled in colab, because it causes",
        types="DisabledFunctionError",
        confidence=0.85,
    ),
    rule("screen.display_key", DEVICE, "'display'", types="KeyError", confidence=0.6),
    rule(
        "screen.sound",
        DEVICE,
        "open audio device",
        "no such audio device",
        "no available audio device",
        "audio device not found",
        "no audio device",
        "no default input device",
        "no default output device",
        "error querying device",
        "error querying host api",
        "alsa: ",
        "alsa lib",
        "open microphone",
        "microphone not found",
        confidence=0.9,
    ),
    rule(
        "screen.camera",
        DEVICE,
        "can't open camera by index",
        "cannot open camera",
        "could not open camera",
        "could not open webcam",
        "cannot open webcam",
        "open video device",
        "/dev/video",
        "no camera found",
        "camera not found",
        confidence=0.85,
    ),
    rule(
        "screen.port",
        DEVICE,
        "could not open port",
        "could not configure port",
        types="SerialException",
        unless=("access is denied", "permission denied"),
        confidence=0.85,
    ),
)
"""Looked at before paths: a device that is missing is reported as a file that is not there."""

RULES_HUB: tuple[Rule, ...] = (
    # Reading what does not exist is answered with the same status; writing always wants a login.
    rule(
        "hub.writing_refused",
        RIGHTS,
        *(
            f"{status} client error…{part}"
            for status in ("401", "403")
            for part in ("/preupload/", "/commit/", "/repos/create", "/lfs/", "whoami")
        ),
        "401 client error…creating a commit",
        confidence=0.85,
    ),
    rule("hub.repository", PATH, "401 client error…repository not found for url", confidence=0.7),
    rule(
        "hub.builder_argument",
        ARGUMENT,
        "builderconfig…doesn't have a '…' key",
        types="ValueError",
        confidence=0.85,
    ),
    rule(
        "data.download",
        DATA,
        "file not found or corrupted",
        "does not match the known hash",
        "does not match the expected hash",
        "does not match the provided value",
        "do not match the hashes from the requirements file",
        "checksum mismatch",
        "checksum does not match",
        "checksum didn't match",
        "md5 mismatch",
        "sha256 mismatch",
        "sha256 checksum does not",
        "wrong checksum",
        types="RuntimeError ValueError OSError IOError Exception NonMatchingChecksumError "
        "ChecksumError HashMismatch HashMismatchError DownloadError AssertionError pip",
        confidence=0.85,
    ),
)
"""Looked at before the hub's paths and the paths of files."""

RULES_JAVA: tuple[Rule, ...] = (
    rule(
        "java.memory",
        MEMORY,
        "java heap space",
        "gc overhead limit exceeded",
        "outofmemoryerror: metaspace",
        "outofmemoryerror: direct buffer memory",
        "unable to create new native thread",
    ),
    rule(
        "java.version",
        VERSION,
        *(f"asm{number}.classreader" for number in range(4, 10)),
        "unsupported class file major version",
        "unsupportedclassversionerror",
        "has been compiled by a more recent version of the java runtime",
        "incompatibleclasschangeerror",
        "nosuchmethoderror",
        "nosuchfielderror",
        "abstractmethoderror",
        "inaccessibleobjectexception",
        "illegalaccesserror: class",
        "module java.base does not",
        "does not exist in the jvm",
        "python in worker has different version",
        "java.lang.unsupportedoperationexception: getsubject",
        "getsubject is not supported",
        types="Py4JJavaError Py4JError PySparkRuntimeError PySparkException "
        "IllegalArgumentException "
        "AnalysisException RuntimeError Exception JavaException JVMNotFoundException java "
        "UnsupportedClassVersionError IncompatibleClassChangeError NoSuchMethodError "
        "NoSuchFieldError IllegalAccessError InaccessibleObjectException "
        "UnsupportedOperationException",
        confidence=0.85,
    ),
    rule(
        "java.library",
        LIBRARY,
        "classnotfoundexception",
        "noclassdeffounderror",
        "failed to find data source",
        "java gateway process exited before sending its port number",
        "`java` command is not found",
        "no jvm shared library file",
        "unable to find java",
        "java not found",
        types="Py4JJavaError Py4JError PySparkRuntimeError RuntimeError Exception "
        "JavaNotFoundError JVMNotFoundException JVMNotSupportedException "
        "AnalysisException FileNotFoundError OSError ValueError LookupError",
        confidence=0.8,
    ),
    rule(
        "java.empty",
        DATA,
        "unsupportedoperationexception: empty",
        "nosuchelementexception: head of empty",
        "nosuchelementexception: next on empty iterator",
        types="Py4JJavaError java",
        confidence=0.75,
    ),
    rule(
        "spark.path",
        PATH,
        "path does not exist",
        "[path_not_found]",
        types="AnalysisException Py4JJavaError",
    ),
    rule(
        "spark.key",
        KEY,
        "table or view not found",
        "[table_or_view_not_found]",
        "[unresolved_column",
        "[schema_not_found]",
        "cannot resolve '…' given input columns",
        "cannot resolve column name",
        "no such struct field",
        types="AnalysisException Py4JJavaError",
        confidence=0.85,
    ),
    rule(
        "spark.exists",
        ARGUMENT,
        "already_exists]",
        "already exists",
        types="AnalysisException Py4JJavaError TableAlreadyExistsException "
        "TempTableAlreadyExistsException",
        confidence=0.7,
    ),
    rule(
        "spark.type",
        "type_mismatch",
        "[datatype_mismatch",
        "due to data type mismatch",
        types="AnalysisException",
        confidence=0.8,
    ),
    rule(
        "spark.syntax",
        SYNTAX,
        "[parse_syntax_error]",
        "mismatched input",
        "extraneous input",
        types="ParseException",
        confidence=0.9,
    ),
)

_DATABASE = (
    "OperationalError ProgrammingError DatabaseError IntegrityError DataError InternalError "
    "NotSupportedError InterfaceError"
)

RULES_DATABASES: tuple[Rule, ...] = (
    rule(
        "database.constraint",
        ARGUMENT,
        "check constraint",
        "constraint failed",
        "unique constraint",
        "foreign key constraint",
        "not-null constraint",
        "primary key constraint",
        "exclusion constraint",
        "integrity constraint",
        "constraint error: ",
        "duplicate entry",
        "duplicate key",
        "e11000",
        "cannot insert the value null",
        "cannot insert null into",
        "column…cannot be null",
        "doesn't have a default value",
        "data too long for column",
        "out of range value for column",
        "incorrect…value: '…' for column",
        "value too long for type",
        "invalid input syntax for type",
        "violates",
        types=f"{_DATABASE} UniqueViolation NotNullViolation ForeignKeyViolation CheckViolation "
        "StringDataRightTruncation InvalidTextRepresentation ConstraintException "
        "ConversionException BulkWriteError DuplicateKeyError WriteError",
        when=lambda s: not s.cause.type.startswith("ruamel."),
        unless=("while constructing a mapping",),
        confidence=0.85,
    ),
    rule(
        "database.constraint_class",
        ARGUMENT,
        types="IntegrityError UniqueViolation NotNullViolation ForeignKeyViolation CheckViolation "
        "ConstraintException",
        confidence=0.75,
    ),
    rule(
        "database.exists",
        ARGUMENT,
        "table…already exists",
        "view…already exists",
        "index…already exists",
        "relation…already exists",
        "database…already exists",
        "schema…already exists",
        "type…already exists",
        "role…already exists",
        "database exists",
        "there is already an object named",
        "name is already used by an existing object",
        types=f"{_DATABASE} DuplicateTable DuplicateDatabase DuplicateObject CatalogException",
        confidence=0.75,
    ),
    rule(
        "database.syntax",
        SYNTAX,
        "error in your sql syntax",
        "syntax error at or near",
        "syntax error at end of input",
        ": syntax error",
        "incomplete input",
        "unrecognized token",
        "incorrect syntax near",
        "sql command not properly ended",
        "parser error: ",
        "unterminated quoted string at or near",
        types=f"{_DATABASE} SyntaxErrorOrAccessRuleViolation ParserException",
        confidence=0.9,
    ),
    rule(
        "database.rights",
        RIGHTS,
        'role "…" does not exist',
        "authentication failed",
        "no password supplied",
        "login failed for user",
        "database is locked",
        "attempt to write a readonly database",
        "permission denied for",
        "command denied to user",
        types=f"{_DATABASE} InsufficientPrivilege OperationFailure ConfigurationError",
        confidence=0.85,
    ),
    rule(
        "database.connection",
        LINK,
        "can't connect to",
        "could not connect to server",
        "connection to server…failed",
        "lost connection to",
        "server has gone away",
        "could not translate host name",
        "unable to connect",
        "server closed the connection unexpectedly",
        "tcp provider",
        types=f"{_DATABASE} ServerSelectionTimeoutError AutoReconnect NoBrokersAvailable",
        confidence=0.85,
    ),
    rule("database.file", PATH, "unable to open database file", types=_DATABASE, confidence=0.9),
    rule(
        "database.damaged",
        DATA,
        "file is not a database",
        "file is encrypted or is not a database",
        "database disk image is malformed",
        types=_DATABASE,
        confidence=0.9,
    ),
    rule(
        "database.key",
        KEY,
        "no such table",
        "no such column",
        "no such function",
        "unknown column",
        "unknown database",
        "unknown table",
        "relation…does not exist",
        "column…does not exist",
        "database…does not exist",
        "schema…does not exist",
        "table…doesn't exist",
        "table…does not exist",
        "invalid object name",
        "invalid column name",
        "invalid identifier",
        "has no column named",
        "not found in from clause",
        types=f"{_DATABASE} UndefinedTable UndefinedColumn InvalidCatalogName CatalogException "
        "BinderException",
        confidence=0.85,
    ),
    rule(
        "database.bindings",
        ARGUMENT,
        "number of bindings",
        "error binding parameter",
        "not all parameters were used",
        "not enough parameters for the sql statement",
        "column count doesn't match",
        "values for…columns",
        "has…columns but…values were supplied",
        "you can only execute one statement at a time",
        "not enough arguments for format string",
        types=_DATABASE,
        confidence=0.85,
    ),
    rule(
        "database.misuse",
        MISUSE,
        "cannot operate on a closed",
        "can only be used in that same thread",
        "cursor closed",
        "connection already closed",
        "cursor already closed",
        "connection is closed",
        "commands out of sync",
        "unread result found",
        "no results to fetch",
        "current transaction is aborted",
        "within a transaction",
        types=_DATABASE,
        confidence=0.85,
    ),
)
"""Looked at before configs: SQL has the words of all of them."""

_STATUS = re.compile(
    r"\b(?:http(?:/\d(?:\.\d)?)?(?: error| status| code)?|status(?:[ _]?code)?|error(?: code)?"
    r"|error occurred|response(?: code)?)\W{0,4}([45]\d\d)\b"
    r"|(?<![\w.-])([45]\d\d):? (?:client error|server error|bad request|unauthorized|forbidden"
    r"|not found|method not allowed|conflict|unprocessable|payment required|too many requests"
    r"|internal server error|bad gateway|service unavailable|gateway time)"
)
"""A status of HTTP, as clients and services write it."""


def _answers(*statuses: int) -> Callable[[ClassificationContext], bool]:
    """Return a condition: the message holds one of these statuses of HTTP."""

    def condition(context: ClassificationContext) -> bool:
        found = _STATUS.search(context.text)
        return found is not None and int(found[1] or found[2]) in statuses

    return condition


_SERVER_FAILED = (408, *range(500, 512), *range(520, 531))

RULES_WEB: tuple[Rule, ...] = (
    rule(
        "web.credentials",
        RIGHTS,
        "api_key client option must be set",
        "did not find…api_key",
        "api key must be",
        "api_key must be",
        "api key is required",
        "api_key is required",
        "no api key",
        "missing api key",
        "api key not valid",
        "api key not found",
        "incorrect api key",
        "invalid api key",
        "invalid api_key",
        "invalid_api_key",
        "invalid x-api-key",
        "invalid authentication",
        "invalid token",
        "token has expired",
        "token expired",
        "expired token",
        "bad credentials",
        "default credentials were not found",
        "credential propagation was unsuccessful",
        "could not automatically determine credentials",
        "could not find kaggle.json",
        "invalidaccesskeyid",
        "signaturedoesnotmatch",
        "expiredtoken",
        "unrecognizedclientexception",
        "invalidclienttokenid",
        types="OpenAIError AuthenticationError ValueError RuntimeError Exception OSError "
        "DefaultCredentialsError RefreshError ClientError ApiException APIError HttpError "
        "ValidationError ClientException NoCredentialsError UsageError GithubException "
        "MessageError "
        "BadCredentialsException InvalidArgument HTTPError HTTPStatusError ApiError "
        "AnthropicError GroqError TypeError AssertionError KeyError",
        unless=("json", "unexpected character"),
        confidence=0.85,
    ),
    rule(
        "web.limit",
        LINK,
        "exceeded your current quota",
        "insufficient_quota",
        "rate limit",
        "rate_limit",
        "quota exceeded for",
        "resource has been exhausted (e.g. check quota)",
        "too_many_requests",
        "throttlingexception",
        "requestlimitexceeded",
        "slowdown",
        types="RateLimitError RateLimitException ResourceExhausted TooManyRequests ClientError "
        "APIError ApiException HttpError HTTPError HTTPStatusError APIStatusError "
        "RateLimitExceededException YFRateLimitError Exception RuntimeError",
        confidence=0.8,
    ),
    rule(
        "web.limit_class",
        LINK,
        types="RateLimitError RateLimitException TooManyRequests RateLimitExceededException "
        "YFRateLimitError RateLimitExceeded",
        confidence=0.75,
    ),
    rule("web.limit_status", LINK, when=_answers(402, 425, 429), confidence=0.7),
    rule("web.rights", RIGHTS, when=_answers(401, 403, 407, 511), confidence=0.7),
    rule(
        "web.rights_class",
        RIGHTS,
        types="PermissionDenied Unauthenticated DefaultCredentialsError RefreshError AuthError "
        "UnauthorizedException ForbiddenException LoginError AuthorizationError "
        "InvalidApiKeyException PartialCredentialsError BadCredentialsException TokenExpiredError "
        "TokenRetrievalError NotebookAccessError InvalidTokenError "
        "ExpiredSignatureError UnauthorizedError",
        confidence=0.75,
    ),
    rule("web.secret", KEY, types="SecretNotFoundError", confidence=0.85),
    rule("web.not_found", PATH, when=_answers(404, 410), confidence=0.65),
    rule(
        "web.request",
        ARGUMENT,
        when=_answers(400, 405, 406, 409, *range(411, 418), 422),
        confidence=0.65,
    ),
    rule(
        "web.request_class",
        ARGUMENT,
        types="BadRequestError BadRequest InvalidRequestError UnprocessableEntityError "
        "ParamValidationError",
        confidence=0.7,
    ),
    rule("web.server", LINK, when=_answers(*_SERVER_FAILED), confidence=0.7),
    rule(
        "web.server_class",
        LINK,
        types="APIConnectionError APITimeoutError InternalServerError OverloadedError "
        "ServiceUnavailableError ReadTimeoutException ClientConnectorError ServerDisconnectedError "
        "ClientConnectionError WebSocketTimeoutException WebSocketConnectionClosedException",
        confidence=0.75,
    ),
)
"""Looked at after the rules of hubs and trainers, which know the services that they ask."""

_STATUS_OF = re.compile(
    r"\bcommand \W{0,3}(?:\S{0,200}/)?(\w[\w.-]{0,40})\b.{0,4000}?"
    r"returned non-zero exit status (\d{1,3})\b"
)
_PROGRAMS_STATUSES = {
    PATH: {("ls", 2), ("unzip", 9)},
    LINK: {("wget", 4), ("curl", 6), ("curl", 7), ("curl", 28), ("curl", 35), ("ssh", 255)},
    DATA: {("unzip", 2), ("unzip", 3), ("unzip", 51)},
    RIGHTS: {("wget", 6)},
}
"""What programs document of their exit statuses, where it is one thing."""


def _ends_with(category: str) -> Callable[[ClassificationContext], bool]:
    """Return a condition: a program ended with a status that means this kind of failure."""

    def condition(context: ClassificationContext) -> bool:
        found = _STATUS_OF.search(context.text)
        return found is not None and (found[1], int(found[2])) in _PROGRAMS_STATUSES[category]

    return condition


RULES_STATUSES: tuple[Rule, ...] = (
    rule(
        "program.status_not_found",
        LIBRARY,
        "returned non-zero exit status 127",
        types="CalledProcessError",
        confidence=0.8,
    ),
    rule(
        "program.status_not_executable",
        RIGHTS,
        "returned non-zero exit status 126",
        types="CalledProcessError",
        confidence=0.8,
    ),
    *(
        rule(
            f"program.status_{name}",
            name,
            types="CalledProcessError",
            when=_ends_with(name),
            confidence=0.7,
        )
        for name in (PATH, LINK, DATA, RIGHTS)
    ),
)

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z]+|[a-z]+")
_CLASS_WORDS: tuple[tuple[str, str, frozenset[str]], ...] = tuple(
    (id, category, names(phrases))
    for id, category, phrases in (
        (
            "class.rights",
            RIGHTS,
            "unauthorized forbidden unauthenticated access-denied permission-denied "
            "invalid-token invalid-credentials missing-credentials invalid-api-key login-required "
            "authentication-error authentication-failed authorization-error login-error",
        ),
        (
            "class.argument",
            ARGUMENT,
            "not-in-domain out-of-domain out-of-range invalid-argument invalid-arguments "
            "invalid-value invalid-parameter invalid-parameters invalid-option invalid-choice "
            "illegal-argument bad-argument bad-parameter bad-value bad-request invalid-request "
            "disambiguation ambiguous already-exists already-registered duplicate duplicated "
            "unknown-parameter unknown-option unknown-argument missing-argument missing-parameter",
        ),
        (
            "class.matrix",
            DATA,
            "singular not-invertible non-invertible not-positive-definite",
        ),
        (
            "class.key",
            KEY,
            "key-not-found missing-key no-such-key column-not-found missing-column "
            "unknown-column no-such-column field-not-found unknown-field no-such-element "
            "element-not-found no-such-node node-not-found",
        ),
        (
            "class.path",
            PATH,
            "file-not-found path-not-found no-such-file missing-file directory-not-found "
            "folder-not-found page-not-found",
        ),
        (
            "class.library",
            LIBRARY,
            "not-installed missing-dependency missing-library missing-package",
        ),
        ("class.version", VERSION, "version-mismatch incompatible-version unsupported-version"),
        ("class.link", LINK, "timeout connection-failed connection-lost rate-limit unreachable"),
        (
            "class.data",
            DATA,
            "corrupt corrupted checksum malformed truncated invalid-data bad-data "
            "empty-data no-data bad-file invalid-file invalid-format",
        ),
        (
            "class.shape",
            "tensor_mismatch",
            "shape-mismatch shape-error dimension-mismatch size-mismatch dimension-error",
        ),
        ("class.type", "type_mismatch", "type-mismatch wrong-type invalid-type"),
        ("class.index", "illegal_index", "index-out-of-bounds index-out-of-range invalid-index"),
        ("class.todo", "not_implemented", "not-implemented"),
    )
)
"""Words of an exception's class that say what it is about, whoever wrote the class."""


def _is_called(words: frozenset[str]) -> Callable[[ClassificationContext], bool]:
    """Return a condition: the class is named with one of these words, or rows of words."""

    def condition(context: ClassificationContext) -> bool:
        if context.is_message:
            return False
        parts = _WORD.findall(context.class_name[:200])
        name = f"-{'-'.join(part.lower() for part in parts)}-"
        return any(f"-{word}-" in name for word in words)

    return condition


RULES_CLASS: tuple[Rule, ...] = tuple(
    rule(id, category, when=_is_called(words), confidence=0.5)
    for id, category, words in _CLASS_WORDS
)
"""Looked at last of all."""
