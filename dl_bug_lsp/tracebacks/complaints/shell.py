"""Complaints of shells and of the programs that launch scripts call."""

# ruff: noqa: E501  (one row a line: a table is read across)

from dl_bug_lsp.tracebacks.complaints.values import Complaint, Weight, row

_S, _F = Weight.SHELL, Weight.FATAL
_ERRNO = r"(?:No such file or directory|Permission denied|Is a directory|Not a directory|Read-only file system|No space left on device|Disk quota exceeded|Input/output error|Argument list too long|Exec format error|Device or resource busy|Text file busy|Operation not permitted|Stale file handle|Too many open files|Cannot allocate memory|File exists)"

ROWS: tuple[Complaint, ...] = (
    row("python", r"(?:^|/)(?:python|pypy)[\d.]*: (?P<message>can't open file .+|No module named .+|Error while finding module specification.+|can't find '__main__' module.+)$", _F, "python|pypy"),
    row("bash", r"^(?P<file>[^\s:][^:]{0,500}): line (?P<line>\d{1,7}): (?P<message>.{0,500}?(?:command not found|unbound variable|parameter (?:null or )?not set|syntax error.*|unexpected EOF.*|bad substitution|not a valid identifier|integer expression expected|unary operator expected|ambiguous redirect|bad array subscript|division by 0.*|too many arguments|numeric argument required|cannot execute.*|required file not found|" + _ERRNO + r"))$", _S),
    row("kill", r"^(?P<file>[^\s:][^:]{0,500}): line (?P<line>\d{1,7}): +\d+ (?P<message>(?:Killed|Segmentation fault|Aborted|Bus error|Illegal instruction|Floating point exception|Terminated|Trace/breakpoint trap)\b.*)$", _F),
    row("bash", r"^-?(?:ba|z|k|da|a)?sh: (?:line )?(?:(?P<line>\d{1,7}): )?(?P<message>.{0,500}?(?:command not found.*|not found|unbound variable|[Ss]yntax error.*|bad substitution|parameter not set|" + _ERRNO + r"))$", _S),
    row("sh", r"^(?P<file>[\w./~-]{1,500}): (?P<line>\d{1,7}): (?P<message>.{0,500}?(?:not found|[Ss]yntax error.*|parameter not set|bad substitution.*|Bad substitution|unexpected operator|" + _ERRNO + r"|cannot (?:open|create) .+|can't cd to .+))$", _S),
    row("zsh", r"^(?P<file>[\w./~-]{1,500}):(?P<line>\d{1,7}): (?P<message>(?:command not found|no such file or directory|parse error|permission denied|no matches found|bad math expression).*)$", _S),
    row("env", r"^(?:/usr/bin/)?env: (?P<message>.+: No such file or directory|.+: Permission denied)$", _F),
    row("shell", r"^(?P<program>ls|cp|mv|rm|cat|tar|mkdir|cd|ln|chmod|chown|touch|head|tail|rsync|unzip|gzip|gunzip|wget|curl|find|du|df|source|tee|dd|git|nohup|sudo|mpirun|mpiexec|torchrun|conda|nvcc|make|cmake|gcc|g\+\+|docker|aws|gsutil|hdfs|hadoop|scp|ssh|numactl|taskset|timeout|xargs|sed|awk|grep|bash|sh|zsh): (?P<message>.{0,500}?" + _ERRNO + r".*|cannot .+|failed to .+|fatal: .+|error: .+)$", _S),
    row("git", r"^fatal: (?P<message>.+)$", _S),
    row("loader", r"(?P<message>error while loading shared libraries: .+)$", _F, "shared libraries"),
    row("conda", r"^(?P<message>(?:CommandNotFoundError|EnvironmentNameNotFound|EnvironmentLocationNotFound|CondaError|PackagesNotFoundError|ResolvePackageNotFound|UnsatisfiableError|LibMambaUnsatisfiableError|CondaHTTPError): ?.*)$", _S),
    row("pip", r"^ERROR: (?P<message>(?:Could not find a version that satisfies|No matching distribution found|Cannot install|ResolutionImpossible|Could not open requirements file|Could not install packages|Failed building wheel|Failed to build|Invalid requirement|Package .+ requires a different Python|Ignored the following|.+ is not a supported wheel|Could not build wheels).*)$", _S),
    row("pip", r"^error: (?P<message>(?:subprocess-exited-with-error|externally-managed-environment|metadata-generation-failed|legacy-install-failure).*)$", _S),
    row("uv", r"^\s*× (?P<message>No solution found when resolving.*|Failed to .+)$", _S),
    row("make", r"^make(?:\[\d+\])?: \*\*\* \[(?:(?P<file>[^\]:]+):(?P<line>\d{1,7}): )?(?P<message>.+\] (?:Error|Killed|Segmentation|Aborted).*)$", Weight.CONSEQUENCE),
    row("make", r"^make(?:\[\d+\])?: \*\*\* (?P<message>No rule to make target.+|No targets.+|missing separator.+)$", _S),
    row("make", r"^(?P<file>[\w./-]{1,200}):(?P<line>\d{1,7}): \*\*\* (?P<message>.+)$", _S),
    row("compiler", r"^(?P<file>[\w./-]{1,500}\.(?:c|cc|cpp|cu|cuh|h|hpp)):(?P<line>\d{1,7})(?::\d+)?: (?P<message>(?:fatal )?error: .+)$", _S),
    row("docker", r"^docker: (?P<message>Error response from daemon.+)$", _F),
    row("docker", r"^(?P<message>Error response from daemon: .+|ERROR: failed to solve: .+|executor failed running .+)$", _S),
)  # fmt: skip
