"""Rules for the execution environment: paths, libraries, permissions, shells, containers.

Messages of Python, and messages of shells and schedulers without a traceback.
"""

from __future__ import annotations

import re

from dl_bug_lsp.taxonomy.classification_context import ClassificationContext, Rule, rule

PATH, LIBRARY, RIGHTS = "path_not_found", "library_not_found", "permission_denied"
ATTRIBUTE = "attribute_not_found"

_FROM = re.compile(
    r"cannot import name '?([\w.]+)'? from (partially initialized module )?'?([\w.]+)'?"
)
_WHERE = re.compile(r"\(([^()]+)\)\s*$")


_OPTION_AS_COMMAND = re.compile(
    r"(?:^|[\s:])--?[a-z][\w-]*(?:=\S*)?: command not found|not found: --?[a-z]"
)


_BARE_NAME = re.compile(r": [bu]?'[^'/\\\\]+'\s*$")


def _starts_program(context: ClassificationContext) -> bool:
    """Say whether what is missing is a program that `subprocess` was to start.

    A name with folders may be that of the folder it was to start in.
    """
    frames = context.failure.frames
    starts = bool(frames) and frames[-1].own_name == "_execute_child"
    message = context.cause.message
    return starts and (_BARE_NAME.search(message) is not None or "WinError 2]" in message)


def _begins_with_option(context: ClassificationContext) -> bool:
    """Say whether what the shell did not find begins like an option."""
    return _OPTION_AS_COMMAND.search(context.cause.message.lower()) is not None


def _name_of_workspace_module(context: ClassificationContext) -> bool:
    """``cannot import name x from m``: say whether ``m`` is the user's own module."""
    match = _FROM.search(context.message)
    if match is None:
        return False
    if context.workspace_module is not None and context.workspace_module(match.group(3)):
        return True
    after = context.message[match.end() :].strip()
    where = _WHERE.search(after.splitlines()[0]) if after else None
    if where is None or "unknown location" in where.group(1):
        return False
    file = where.group(1)
    return not re.search(r"site-packages|dist-packages|[/\\]lib[/\\]python", file)


RULES: tuple[Rule, ...] = (
    rule(
        "environment.rights",
        RIGHTS,
        "permission denied",
        "read-only file system",
        "[errno 13]",
        "[errno 1]",
        "[errno 30]",
        "access is denied",
        "[winerror 5]",
        "eacces",
        "eperm",
        "permissiondenied",
        "not writable",
        "no write permission",
        "not permitted",
        "insufficient permission",
        "insufficient privileges",
        "you don't have permission",
        "you do not have permission",
        "exit code 126",
        "detected dubious ownership",
        "unable to create directory…permission",
        unless=("publickey", "attribute '"),
    ),
    rule(
        "environment.conda_class",
        LIBRARY,
        types="ResolvePackageNotFound PackagesNotFoundError",
        confidence=0.8,
    ),
    rule("environment.rights_class", RIGHTS, types="PermissionError PermissionDeniedError"),
    rule(
        "environment.import_workspace_name",
        ATTRIBUTE,
        "cannot import name",
        types="ImportError",
        when=_name_of_workspace_module,
        confidence=0.8,
    ),
    rule(
        "environment.circular_attribute",
        ATTRIBUTE,
        "partially initialized module…has no attribute",
        types="AttributeError",
    ),
    # An option that is run as a command: the line before lacks its backslash.
    rule(
        "shell.option_as_command",
        "syntax_error",
        "-…command not found",
        "command not found: -",
        types="bash sh zsh dash shell",
        when=_begins_with_option,
    ),
    rule(
        "process.program",
        "library_not_found",
        "no such file or directory",
        "winerror 2",
        types="FileNotFoundError",
        when=_starts_program,
    ),
    rule(
        "data.image_file",
        "path_not_found",
        *(f"image not found…{end}" for end in (".jpg", ".jpeg", ".png", ".bmp", ".tif", ".npy")),
        confidence=0.9,
    ),
    # pandas makes an attribute of a missing library: `.style` without jinja2.
    rule("pandas.accessor", LIBRARY, "accessor requires jinja2", types="AttributeError"),
    rule(
        "environment.library",
        LIBRARY,
        "no module named",
        "cannot import name",
        "dll load failed",
        "cannot open shared object file",
        "could not load dynamic library",
        "could not locate…dll",
        "could not load library",
        "library not loaded",
        "image not found",
        "unable to load any of {lib",
        "cannot load symbol cudnn",
        "libcudnn…not found",
        "libcuda.so",
        "command not found",
        "not installed",
        "please install",
        "pip install",
        "install it with",
        "to be installed",
        "no matching distribution found for",
        "could not find a version that satisfies the requirement",
        "packagesnotfounderror",
        "resolvepackagenotfound",
        "distribution was not found and is required",
        "distributionnotfound",
        "packagenotfounderror",
        "no package metadata was found for",
        "you need to install",
        "cannot find a working…installation",
        "library but it was not found in your environment",
        "requires the following packages that were not found in your environment",
        "missing optional dependency",
        "unable to find vcvarsall.bat",
        "ninja is required to load c++ extensions",
        "attempted relative import",
        "relative import with no known parent",
        "executable…not found",
        "cuda_home environment variable is not set",
        'error loading "…dll',
        "java_home",
        "no backend…available",
        "failed to import",
        "cuda setup failed",
        "cuda setup: problem: ",
        "cuda_setup: ",
        "libdevice not found",
        "can't find libdevice",
        types="ModuleNotFoundError ImportError OSError RuntimeError DistributionNotFound "
        "PackageNotFoundError OptionalDependencyNotAvailable NoneError "
        "NotFoundError EnvironmentError BackendCompilerFailed InductorError "
        "bash sh zsh pip conda docker python make srun slurm dash",
        unless=("no such file or directory: '/data", "failed to import initializer"),
    ),
    rule(
        "environment.command",
        LIBRARY,
        "no such file or directory: 'git'",
        "no such file or directory: 'nvcc'",
        "no such file or directory: '…/bin/nvcc'",
        "no such file or directory: 'ninja'",
        "no such file or directory: 'ffmpeg'",
        "no such file or directory: 'ffprobe'",
        "no such file or directory: 'dot'",
        "no such file or directory: 'gcc'",
        "no such file or directory: 'nvidia-smi'",
        "failed to execute posixpath",
        "make sure the graphviz executables are on your systems' path",
        "accessor requires jinja2",
        "no chrome binary at",
        "executable needs to be in path",
        "cannot find chrome binary",
        "unable to obtain driver for",
        "unable to locate or obtain driver for",
        "is not installed or it's not in your path",
        "is poppler installed and in path",
        "no ffmpeg exe could be found",
        "couldn't find ffmpeg or avconv",
        "requested moviewriter (…) not available",
        "no wkhtmltopdf executable found",
        "no pandoc was found",
        "pandoc wasn't found",
        "xelatex not found on path",
        "because latex could not be found",
        '" not found in path',
    ),
    rule(
        "environment.library_class",
        LIBRARY,
        types="ModuleNotFoundError ImportError DistributionNotFound PackageNotFoundError "
        "BackendUnavailable DependencyNotInstalled OptionalModuleNotFoundError",
        confidence=0.85,
    ),
    rule(
        "environment.hydra_path",
        PATH,
        "primary config directory not found",
        "cannot find primary config",
        "could not find",
        "in config search path",
        types="MissingConfigException ConfigCompositionException",
    ),
    rule(
        "environment.path",
        PATH,
        "error opening…system error",
        "not a directory",
        "is a directory",
        "[errno 2]",
        "[errno 20]",
        "[errno 21]",
        "[winerror 2]",
        "[winerror 3]",
        "stale file handle",
        "can't open file",
        "couldn't open file",
        "could not open file",
        "cannot open file",
        "unable to open file",
        "file not found",
        "path not found",
        "directory not found",
        "folder not found",
        "dataset not found",
        "no such file",
        "no such directory",
        "no such path",
        "not a valid file",
        "not a valid directory",
        "not a valid path",
        "is not a file",
        "is not a folder",
        "checkpoint…not found",
        "nosuchkey",
        "blobnotfound",
        "found 0 files in subfolders of",
        "found no valid file",
        "no files found in",
        "no images found in",
        "no files matching",
        "no matching files",
        "you can use download=true to download it",
        "cannot access…no such",
        "manifest unknown",
        "pull access denied for",
        "invalid mount config",
        "cannot find",
        "can't find",
        "could not find",
        "couldn't find",
        "does not exist",
        "not found at",
        types="FileNotFoundError NotADirectoryError IsADirectoryError OSError IOError "
        "NotFoundError "
        "RuntimeError ValueError AssertionError Exception error UsageError HTTPError "
        "TypeError DirectoryNotFound EnvironmentError RasterioIOError SystemExit "
        "LibsndfileError ImageReadError DatasetNotFound InstantiationException "
        "bash sh zsh python dash argparse click slurm srun sbatch docker kernel make hdfs java",
        when=lambda s: (
            not s.says(
                "could not find", "cannot find", "can't find", "couldn't find", "does not exist"
            )
            or _about_files(s)
        ),
    ),
    rule(
        "environment.path_class",
        PATH,
        types="FileNotFoundError NotADirectoryError IsADirectoryError",
        confidence=0.9,
    ),
)

_FILES = (
    "file",
    "path",
    "director",
    "folder",
    "checkpoint",
    "dataset",
    "config",
    "bucket",
    "blob",
    "/",
    ".py",
    ".json",
    ".csv",
    ".yaml",
)


def _about_files(context: ClassificationContext) -> bool:
    """Say whether ``not found`` is about something on a disk, not a key, column or operator."""
    return context.class_name.startswith(("FileNotFound", "NotADir", "IsADir")) or context.says(
        *_FILES
    )


RULES_LINKER: tuple[Rule, ...] = (
    rule(
        "linker.library",
        LIBRARY,
        "cannot find -l",
        "unable to find library",
        "library not found",
        "library '…' not found",
        "framework not found",
        "framework '",
        "lnk1104",
        "lnk1181",
        "could not open '",
        "dso missing from command line",
        types="linker",
        confidence=0.9,
    ),
    # Symbols of strings have other names under the other ABI; those of a framework change with
    # its versions.
    rule(
        "linker.versions",
        "version_conflict",
        "__cxx11",
        "std::string",
        "basic_string",
        "c10::",
        "at::",
        "torch::",
        "caffe2::",
        "tensorflow::",
        "glibc",
        "cxxabi",
        "lnk1112",
        "lnk2038",
        "lnk2005",
        "file not recognized",
        "incompatible",
        types="linker",
        confidence=0.75,
    ),
    rule("linker.other", LIBRARY, types="linker", confidence=0.6),
)
"""Looked at before all others: names of symbols may hold any words."""

RULES_PROGRAMS: tuple[Rule, ...] = (
    rule(
        "git.path",
        PATH,
        "object does not exist on the server",
        "repository not found",
        "not a git repository",
        "does not appear to be a git repository",
        "did not match any file",
        "remote branch…not found",
        "pathspec",
        types="git",
    ),
    rule(
        "git.rights",
        RIGHTS,
        "permission denied",
        "authentication failed",
        "could not read username",
        "403",
        "dubious ownership",
        types="git",
    ),
    rule(
        "git.connection",
        "communication_failure",
        "unable to access",
        "could not resolve host",
        "could not read from remote repository",
        "early eof",
        "rpc failed",
        "the remote end hung up",
        "batch response",
        "i/o timeout",
        types="git",
    ),
    rule("git.content", "corrupt_data", "expected oid", "bad object", "corrupt", types="git"),
    rule(
        "shell.syntax",
        "syntax_error",
        "syntax error near unexpected token",
        "unexpected eof while looking for",
        "unterminated quoted string",
        "syntax error:",
        "bad substitution",
        "unexpected end of file",
        "missing `]'",
        "conditional expression",
        "\\r': command not found",
        "bad interpreter",
        "parse error near",
        "dockerfile parse error",
        "unknown instruction",
        "syntaxerror: ",
        types="bash sh zsh dash docker shell make slurm sbatch",
    ),
    rule(
        "shell.abroad_program",
        "library_not_found",
        "未找到命令",
        "找不到命令",
        "不是内部或外部命令",
        "コマンドが見つかりません",
        "명령어를 찾을 수 없음",
        "kommando nicht gefunden",
        "befehl nicht gefunden",
        "commande introuvable",
        "orden no encontrada",
        "comando não encontrado",
        "comando non trovato",
        "команда не найдена",
        "is not recognized as an internal or external command",
        "unable to locate a modulefile",
        "module(s) are unknown",
        confidence=0.9,
    ),
    rule(
        "shell.abroad_path",
        PATH,
        "没有那个文件或目录",
        "沒有此一檔案或目錄",
        "そのようなファイルやディレクトリはありません",
        "그런 파일이나 디렉터리가 없습니다",
        "datei oder verzeichnis nicht gefunden",
        "aucun fichier ou dossier de ce type",
        "no existe el archivo o el directorio",
        "no existe el fichero o el directorio",
        "arquivo ou diretório não encontrado",
        "arquivo ou diretório inexistente",
        "file o directory non esistente",
        "нет такого файла или каталога",
        confidence=0.9,
    ),
    rule(
        "shell.abroad_rights",
        RIGHTS,
        "权限不够",
        "許可がありません",
        "허가 거부",
        "keine berechtigung",
        "permission non accordée",
        "permiso denegado",
        "permissão negada",
        "permesso negato",
        "отказано в доступе",
        confidence=0.9,
    ),
    rule(
        "shell.variable",
        "undefined_variable",
        "unbound variable",
        "parameter not set",
        "parameter null or not set",
    ),
    rule(
        "shell.argument",
        "illegal_argument",
        "invalid option",
        "numeric argument required",
        "integer expression expected",
        "unary operator expected",
        "too many arguments",
        "illegal option",
        "unrecognized option",
        "not a valid identifier",
        "ambiguous redirect",
        "value too great for base",
        types="bash sh zsh dash shell",
    ),
    rule(
        "shell.argument_list",
        "illegal_argument",
        "argument list too long",
        "[errno 7]",
        "file name too long",
        "[errno 36]",
    ),
    rule(
        "shell.child_failed",
        "unclassified",
        types="ChildFailedError CalledProcessError",
        confidence=0.2,
    ),
    rule(
        "os.exists",
        "illegal_argument",
        "file exists",
        "already exists",
        "directory not empty",
        types="FileExistsError OSError",
        confidence=0.6,
    ),
    rule(
        "os.invalid_while_loading",
        "corrupt_data",
        "[errno 22] invalid argument",
        types="OSError RuntimeError",
        when=lambda s: s.raised_in("torch", "numpy", "h5py", "zipfile") and "load" in s.user_source,
        confidence=0.7,
    ),
    rule(
        "os.invalid",
        "illegal_argument",
        "[errno 22] invalid argument",
        types="OSError",
        confidence=0.6,
    ),
)
