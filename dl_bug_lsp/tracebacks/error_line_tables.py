"""Messages without a traceback that end a job: one table a family, one row a message.

Shells and the programs that launch scripts call; kernels, schedulers, containers and launchers
about a process that ended; native code (crashes, fatal checks of runtimes, communication
watchdogs); command-line and config libraries.
"""

# ruff: noqa: E501  (one row a line: a table is read across)

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum


class Weight(IntEnum):
    """How surely words like these ended the job; compared with exceptions, which weigh 100."""

    FATAL = 95
    """The program or the system says that it ends here."""
    SHELL = 75
    """A command failed; its script may have gone on."""
    SPOKEN = 50
    """An error in words, perhaps handled."""
    CONSEQUENCE = 30
    """A launcher or scheduler reports that something else failed."""
    HINT = 15
    """Worth showing where nothing better is found."""


@dataclass(frozen=True, slots=True)
class ErrorLine:
    """An error message: the program that prints it, how to find it, its weight, and where it ends.

    ``pattern`` is searched in a line without its time and level; its groups ``message``, ``file``
    and ``line`` (a script's, 1-based) are taken where they exist. ``until`` matches the last line
    of a message of several lines; ``back`` looks above for what else belongs to it. ``cues`` are
    words of which a line must hold one: most lines are passed over without the pattern. Without
    a group ``message`` the whole line is the message.
    """

    program: str
    pattern: re.Pattern[str]
    weight: Weight
    cues: tuple[str, ...] = ()
    until: re.Pattern[str] | None = None
    back: re.Pattern[str] | None = None


def row(
    program: str,
    pattern: str,
    weight: Weight,
    cues: str = "",
    until: str | None = None,
    back: str | None = None,
) -> ErrorLine:
    """Return a table's row from the text of its patterns; ``cues`` are separated by bars."""
    return ErrorLine(
        program,
        re.compile(pattern),
        weight,
        tuple(cues.split("|")) if cues else (),
        re.compile(until) if until else None,
        re.compile(back) if back else None,
    )


_S, _F = Weight.SHELL, Weight.FATAL
_ERRNO = r"(?:No such file or directory|Permission denied|Is a directory|Not a directory|Read-only file system|No space left on device|Disk quota exceeded|Input/output error|Argument list too long|Exec format error|Device or resource busy|Text file busy|Operation not permitted|Stale file handle|Too many open files|Cannot allocate memory|File exists)"

ABROAD = (
    r"未找到命令|没有那个文件或目录|权限不够|找不到命令|沒有此一檔案或目錄"
    r"|コマンドが見つかりません|そのようなファイルやディレクトリはありません|許可がありません"
    r"|명령어를 찾을 수 없음|그런 파일이나 디렉터리가 없습니다|허가 거부"
    r"|(?:Kommando|Befehl) nicht gefunden|Datei oder Verzeichnis nicht gefunden|Keine Berechtigung"
    r"|commande introuvable|Aucun fichier ou dossier de ce type|Permission non accordée"
    r"|orden no encontrada|No existe el (?:archivo|fichero) o el directorio|Permiso denegado"
    r"|comando não encontrado|Arquivo ou diretório (?:não encontrado|inexistente)|Permissão negada"
    r"|comando non trovato|File o directory non esistente|Permesso negato"
    r"|команда не найдена|Нет такого файла или каталога|Отказано в доступе"
)
"""What shells say in other languages: no command, no file, no right."""
SHELL: tuple[ErrorLine, ...] = (
    row("python", r"(?:^|/)(?:python|pypy)[\d.]*: (?P<message>can't open file .+|No module named .+|Error while finding module specification.+|can't find '__main__' module.+)$", _F, "python|pypy"),
    row("bash", r"^(?P<file>[^\s:][^:]{0,500}): line (?P<line>\d{1,7}): (?P<message>.{0,500}?(?:command not found|unbound variable|parameter (?:null or )?not set|syntax error.*|unexpected EOF.*|bad substitution|not a valid identifier|integer expression expected|unary operator expected|ambiguous redirect|bad array subscript|division by 0.*|too many arguments|numeric argument required|cannot execute.*|required file not found|" + _ERRNO + r"))$", _S),
    row("kill", r"^(?P<file>[^\s:][^:]{0,500}): line (?P<line>\d{1,7}): +\d+ (?P<message>(?:Killed|Segmentation fault|Aborted|Bus error|Illegal instruction|Floating point exception|Terminated|Trace/breakpoint trap)\b.*)$", _F),
    row("kill", r"(?P<file>[\w./~-]{1,200}\.(?:sh|bash|slurm|sbatch)): line (?P<line>\d{1,7}): +\d+ (?P<message>(?:Killed|Segmentation fault|Aborted|Bus error|Terminated)\b.*)$", _F, ": line "),
    row("bash", r"^-?(?:ba|z|k|da|a)?sh: (?:line )?(?:(?P<line>\d{1,7}): )?(?P<message>.{0,500}?(?:command not found.*|not found|unbound variable|[Ss]yntax error.*|bad substitution|parameter not set|" + _ERRNO + r"))$", _S),
    row("sh", r"^(?P<file>[\w./~-]{1,500}): (?P<line>\d{1,7}): (?P<message>.{0,500}?(?:not found|[Ss]yntax error.*|parameter not set|bad substitution.*|Bad substitution|unexpected operator|" + _ERRNO + r"|cannot (?:open|create) .+|can't cd to .+))$", _S),
    row("sh", r"^(?P<file>[^\s:][^:]{0,300}): \S{0,12} ?(?P<line>\d{1,7})(?: ?\S{1,6})?\s?[:：] (?P<message>.{0,300}?(?:" + ABROAD + r").{0,40})$", _S),
    row("sh", r"^(?:-?(?:ba|z|k|da)?sh: )(?:\S{0,12} ?\d{1,7}[:：] )?(?P<message>.{0,300}?(?:" + ABROAD + r").{0,40})$", _S),
    row("cmd", r"(?P<message>['‘]\S{1,120}['’] (?:is not recognized as an internal or external command|不是内部或外部命令).{0,120})", _S, "is not recognized|不是内部"),
    row("modules", r"(?P<message>Unable to locate a modulefile for .+|The following module\(s\) are unknown: .+)$", _S, "modulefile|module(s)"),
    row("zsh", r"^(?P<file>[\w./~-]{1,500}):(?P<line>\d{1,7}): (?P<message>(?:command not found|no such file or directory|parse error|permission denied|no matches found|bad math expression).*)$", _S),
    row("env", r"^(?:/usr/bin/)?env: (?P<message>.+: No such file or directory|.+: Permission denied)$", _F),
    row("shell", r"^(?P<program>ls|cp|mv|rm|cat|tar|mkdir|cd|ln|chmod|chown|touch|head|tail|rsync|unzip|gzip|gunzip|wget|curl|find|du|df|source|tee|dd|git|nohup|sudo|mpirun|mpiexec|torchrun|conda|nvcc|make|cmake|gcc|g\+\+|docker|aws|gsutil|hdfs|hadoop|scp|ssh|numactl|taskset|timeout|xargs|sed|awk|grep|bash|sh|zsh): (?P<message>.{0,500}?" + _ERRNO + r".*|cannot .+|failed to .+|fatal: .+|error: .+)$", _S),
    row("git", r"^Error downloading object: (?P<message>.+)$", _S, until=r"^fatal: "),
    row("git", r"^fatal: (?P<message>.+)$", _S),
    row("loader", r"(?P<message>error while loading shared libraries: .+)$", _F, "shared libraries"),
    row("conda", r"^(?P<message>(?:CommandNotFoundError|EnvironmentNameNotFound|EnvironmentLocationNotFound|CondaError|PackagesNotFoundError|ResolvePackageNotFound|UnsatisfiableError|LibMambaUnsatisfiableError|CondaHTTPError): ?.*)$", _S),
    row("pip", r"^ERROR: (?P<message>(?:Could not find a version that satisfies|No matching distribution found|Cannot install|ResolutionImpossible|Could not open requirements file|Could not install packages|Invalid requirement|Package .+ requires a different Python|Ignored the following|.+ is not a supported wheel).*)$", _S),
    row("pip", r"^(?:ERROR: )?(?P<message>\S{1,80} \S{1,40} (?:requires|has requirement) .{1,400}, but you.+)$", Weight.SPOKEN, ", but you"),
    row("pip", r"^(?P<message>The conflict is caused by:)$", Weight.SPOKEN),
    row("pip", r"^error: (?P<message>externally-managed-environment.*)$", _S),
    row("pip", r"^\s*_?(?:ERROR: ){0,2}(?P<message>(?:Failed (?:building wheel|to build)|Could not build wheels|Command errored out|error: (?:subprocess-exited-with-error|metadata-generation-failed|legacy-install-failure)).*)$", Weight.CONSEQUENCE),
    row("uv", r"^\s*× (?P<message>No solution found when resolving.*|Failed to .+)$", _S),
    row("compiler", r"(?:^|[\"“'`])nvcc fatal ?\s{0,4}: (?P<message>.{4,300})$", _S, "nvcc fatal"),
    row("compiler", r"^\s*(?:ERROR: )?error: (?P<message>[Cc]ommand ['\"].{1,600}['\"] (?:failed|died) with .{4,120})$", Weight.SPOKEN, "ommand "),
    row("make", r"^make(?:\[\d+\])?: \*\*\* \[(?:(?P<file>[^\]:]+):(?P<line>\d{1,7}): )?(?P<message>.+\] (?:Error|Killed|Segmentation|Aborted).*)$", Weight.CONSEQUENCE),
    row("make", r"^make(?:\[\d+\])?: \*\*\* (?P<message>No rule to make target.+|No targets.+|missing separator.+)$", _S),
    row("make", r"^(?P<file>[\w./-]{1,200}):(?P<line>\d{1,7}): \*\*\* (?P<message>.+)$", _S),
    row("compiler", r"^(?P<file>[\w./-]{1,500}\.(?:c|cc|cpp|cu|cuh|h|hpp)):(?P<line>\d{1,7})(?::\d+)?: (?P<message>(?:fatal )?error: .+)$", _S),
    row("linker", r"^(?:.{0,600}: )?(?P<message>(?:more )?undefined references? to .+)$", _S, "undefined reference"),
    row("linker", r"\b(?P<message>LNK(?!1120)[12]\d{3}\b:?\s+\S.{3,800})$", _S, "LNK"),
    row("linker", r"^\s*(?P<message>Undefined symbols? for architecture \S+)\s*$", _S, "Undefined symbol", until=r"^\s+.{1,400} in \S+\s*$"),
    row("linker", r"(?:^|[/\\\s])(?:ld(?:\.lld|\.gold|\.bfd)?|collect2|lld-link)(?:\.exe)?: (?:fatal )?(?:error: )?(?P<message>(?:cannot find -l|unable to find library|library not found|library '|framework |undefined symbol: |symbol\(s\) not found|could not open ').{1,400}|.{1,300}(?:file not recognized|DSO missing from command line|recompile with -fPIC|error adding symbols|incompatible with).{0,200})$", _S, "ld|collect2"),
    row("linker", r"(?P<message>nvlink (?:error|fatal) ?\s{0,6}: \S.{3,400})$", _S, "nvlink"),
    row("linker", r"(?:^|[/\\\s])(?:ld|collect2|clang(?:\+\+)?(?:-\d{1,2})?|c\+\+)(?:\.exe)?: (?:fatal )?error: (?P<message>ld returned \d{1,3} exit status|linker command failed with exit code .+)", _S, "ld returned|linker command"),
    row("docker", r"^docker: (?P<message>Error response from daemon.+)$", _F),
    row("docker", r"^(?P<message>Error response from daemon: .+)$", _S),
    row("docker", r"^(?P<message>(?:ERROR: )?failed to solve: .+|(?:ERROR: )?executor failed running .+)$", Weight.CONSEQUENCE),
)  # fmt: skip


_C = Weight.CONSEQUENCE

SYSTEM: tuple[ErrorLine, ...] = (
    row("kernel", r"(?P<message>(?:Memory cgroup out of memory|Out of memory): Kill(?:ed)? process .+|oom-kill:constraint=.+|invoked oom-killer.*|oom_reaper: reaped process.*)", _F, "Kill|oom"),
    row("kernel", r"(?P<message>NVRM: Xid.*)", Weight.SPOKEN, "Xid"),
    row("kernel", r"(?P<message>segfault at [0-9a-f]{1,20} ip .+|general protection fault.*)", _S, "segfault|protection fault"),
    row("slurm", r"(?P<message>Detected \d{1,9} oom[-_]kill event\S* in .+|Exceeded job memory limit.*|exceeded memory limit.*|Some of your processes may have been killed by the cgroup out-of-memory handler.*)", _F, "oom|memory"),
    row("slurm", r"(?P<message>\*{3} (?:JOB|STEP) \S+ .*CANCELLED AT .*)", _F, "CANCELLED"),
    row("slurm", r"^srun: error: (?P<message>\S+: tasks? [\d,-]+: (?:Out Of Memory|Segmentation fault|Bus error|Aborted|Illegal instruction).*)", _S),
    row("slurm", r"^sbatch: error: (?P<message>Batch job submission failed: Unspecified error)", _C),
    row("slurm", r"^(?:srun|sbatch|salloc): (?:error|fatal): (?P<message>(?:Unable to|Batch job submission failed|Invalid|Unrecognized|Memory specification|Job submit|This does not look like).*)", _F),
    row("env", r"^(?:srun|slurmstepd): error: (?:Unable to )?execve\(\): (?P<message>.+)", _F),
    row("slurm", r"^(?:srun|sbatch|salloc): fatal: (?P<message>.+)", _F),
    row("slurm", r"^(?:sbatch|salloc): error: (?P<message>.*(?:GPU|gpu|[Pp]artition|[Aa]ccount|GRES|gres|QOS|[Tt]ime limit|not valid).*)", _F),
    row("slurm", r"^(?:srun|sbatch|salloc): error: (?P<message>(?:Munge|.{0,80}(?:[Aa]uthentication|contact slurm controller|[Ss]ocket timed out)).*)", _S),
    row("slurm", r"^(?:srun|slurmstepd): (?:error: )?(?!If )(?P<message>.+)", _C),
    row("pbs", r"=>> PBS: (?P<message>job killed: .+)", _F, "PBS"),
    row("lsf", r"(?P<message>TERM_(?:RUNLIMIT|MEMLIMIT|OWNER|SWAP|CPULIMIT|PREEMPT)\b.*)", _F, "TERM_"),
    row("torchrun", r"\bfailed \(exitcode: -\d{1,3}\) local_rank: .+", Weight.SPOKEN, "local_rank"),
    row("torchrun", r"\bfailed \(exitcode: -?\d{1,3}\) local_rank: .+", _C, "local_rank"),
    row("container", r"\bOOMKilled\b(?!\"?: ?(?:false|0))", _F, "OOMKilled"),
    row("container", r"^\s*\"?ExitCode\"?: ?(?:137|139|134|135|143)\b", _S, "ExitCode"),
    row("container", r"^(?P<message>Process finished with exit code -?[1-9]\d*.*)$", Weight.CONSEQUENCE, "Process finished"),
    row("deepspeed", r"[Ee]xits? with [Rr]eturn [Cc]ode ?[=:] ?-(?:4|6|7|8|9|11|15)(?!\d)", _S, "xit"),
    row("container", r"(?:exited with (?:exit )?code|[Ee]xit [Cc]ode:?|command terminated with exit code|exit status|returned non-zero code:) ?(?:137|139|134|135|143)\b", _S, "xit"),
    row("container", r"(?:exited with (?:exit )?code|command terminated with exit code|exit status|exits with return code =|Process completed with exit code|returned non-zero code:|exitcode:) ?-?[1-9]\d{0,2}\b", _C, "xit|non-zero"),
    row("kubernetes", r"(?P<message>The node was low on resource.*)", _F, "low on resource"),
    row("kubernetes", r"Pod was rejected|ImagePullBackOff|ErrImagePull|CrashLoopBackOff|DeadlineExceeded|was evicted|\bEvicted\b", Weight.SPOKEN, "rejected|Pull|BackOff|DeadlineExceeded|vict"),
    row("kubernetes", r"(?P<message>[Bb]ack-off \d\S{0,12} restarting failed container.*)", _C, "ack-off"),
    row("mpi", r"(?:mpirun|mpiexec|prterun) noticed that process", _S, "noticed"),
    row("mpi", r"MPI_ABORT was invoked on rank|Primary job\s+terminated normally|ORTE has lost communication", _C, "MPI_ABORT|Primary job|ORTE"),
    row("deepspeed", r"Killing subprocess \d+", _C, "Killing"),
    row("kill", r"^(?P<message>Killed|Terminated|Hangup|Killed: 9|\[\d+\] *[+-]? *\d* *(?:Killed|killed|Terminated|terminated)\b.*)\s*$", _F),
    row("kill", r"^(?:zsh: |\[\d+\] *[+-]? *)?(?:\d{2,8} +)?(?P<message>(?:killed|segmentation fault|bus error|illegal hardware instruction)(?: +\(core dumped\))? {2,}\S.*)$", _F, "killed|fault|bus error|illegal"),
    row("preemption", r"[Ss]pot [Ii]nstance .{0,80}(?:interrupt|terminat|reclaim)|\b[Pp]reempted\b|DUE TO PREEMPTION|[Pp]reemption notice", _S, "pot |reempt|PREEMPT"),
    row("nvidia", r"^(?P<message>nvidia-container-cli: .+)$", _F, "nvidia-container-cli"),
    row("nvidia", r"Failed to initialize NVML: .+|NVIDIA-SMI has failed|RmInitAdapter failed", _S, "NVML|NVIDIA|RmInit"),
)  # fmt: skip


_P = Weight.SPOKEN

NATIVE: tuple[ErrorLine, ...] = (
    row("signal", r"^(?P<message>(?:Segmentation fault|Bus error|Illegal instruction|Floating point exception|Trace/breakpoint trap)(?: \(core dumped\))?)\s*$", _F),
    row("signal", r"^(?:zsh: )?(?P<message>(?:Aborted(?: \(core dumped\))?|abort {2,}\S.*))\s*$", Weight.CONSEQUENCE),
    row("signal", r"^(?:Program|Thread \d.{0,80}) received signal (?P<message>SIG(?:SEGV|ABRT|BUS|ILL|FPE|KILL)\b.*)$", _F, "received signal"),
    row("signal", r"^(?:\[[^\]]{1,100}\] )?Signal: (?P<message>[A-Z][a-z].{2,60})$", _F, "Signal: "),
    row("windows", r"(?:\.(?:dll|exe|pyd|node)\b|[Ee]xception|异常|異常|예외|[Aa]usnahme).{0,120}?(?P<message>0x[Cc]0000(?:005|0[Ff][Dd]|01[Dd]|094|374|409)\b[:：]? ?\S.*)$", _F, "0xC0000|0xc0000"),
    row("windows", r"(?P<message>\b(?:APPCRASH|BEX64|BEX|APPHANGB1|AppHangB1)\b.{0,80})", _P, "APPCRASH|BEX|HANGB1|HangB1"),
    row("jupyter", r"(?P<message>KernelRestarter: restarting kernel.*|\bkernel \S{8,60} restarted\b.*|The kernel (?:appears to have|has) died\b.*|The Kernel crashed while executing code\b.*)", _C, "ernel"),
    row("signal", r"\*\*\* Process received signal", Weight.CONSEQUENCE, "received signal"),
    row("signal", r"\*\*\* SIG[A-Z]+|^\[[^\]]{1,100}\] Signal: |^Signal: (?:Segmentation fault|Aborted|Bus error)", _S, "SIG|ignal"),
    row("horovod", r"(?P<message>One or more tensors were submitted to be reduced, gathered or broadcasted by subset of ranks.*)", _P, "submitted to be reduced"),
    row("mxnet", r"^(?P<message>infer_shape error\. Arguments:.*)$", _P, "infer_shape"),
    row("kubernetes", r"(?P<message>Pod ephemeral local storage usage exceeds .+)", _F, "ephemeral"),
    row("torch", r"(?P<message>ERROR: Unexpected (?:segmentation fault|bus error|floating-point exception) encountered in worker.*)", _F, "Unexpected"),
    row("c++", r"^(?P<message>terminate called after throwing an instance of .+)", _F),
    row("c++", r"^(?P<message>terminate called without an active exception)", Weight.CONSEQUENCE, "terminate called without"),
    row("c++", r"^(?P<message>libc\+\+abi(?:\.dylib)?: terminating.*|terminating .*uncaught exception.*)", _F),
    row("c++", r"(?P<message>Microsoft C\+\+ (?:exception|异常): .+)$", _F, "Microsoft C++"),
    row("objective-c", r"(?P<message>Terminating app due to uncaught exception '.+)$", _F, "uncaught exception"),
    row("libc", r"^(?P<message>\*\*\* Error in .+|double free or corruption.*|free\(\): .+|malloc\(\): .+|munmap_chunk\(\): .+|corrupted (?:size|double-linked).*|\*\*\* stack smashing detected.*)$", _F),
    row("cuda", r"(?P<message>\S{1,400}\.cuh?:\d{1,7}: (?:.{0,500}: )?block: \[\d+,\d+,\d+\], thread: \[\d+,\d+,\d+\] Assertion .+ failed\.?)", _P, "Assertion"),
    row("native", r"(?P<message>\b[A-Z][A-Z_]{0,40}ASSERT\w{0,20}:? ?\(?\S{1,300}\.(?:c|cc|cpp|cxx|m|mm|cu|cuh|h|hpp|rs):\d{1,7}\)?: ?\S.+)$", _F, "ASSERT"),
    row("libc", r"^(?P<message>Assertion failed: \(.{1,400}\), function .{1,200}, file .{1,300}, line \d+\.?)$", _F, "Assertion failed"),
    row("libc", r"^(?P<message>\S.{0,500}: Assertion [`'](?:0|false)' failed\.?)$", Weight.CONSEQUENCE, "Assertion"),
    row("libc", r"^(?P<message>\S.{0,500}: Assertion [`'].{1,1000}' failed\.?)$", _F, "Assertion"),
    row("cuda", r"^(?P<message>(?:CUDA|HIP|cuDNN|CUBLAS|NCCL) (?:error|failure|out of memory)\b.*|cudaError\w+.*|CUDA_ERROR_\w+.*)$", _P),
    row("torch", r"^\s*(?P<message>size mismatch for [\w.]+: copying a param .+|(?:Missing|Unexpected) key\(s\) in .+)$", _P, "copying a param|key(s) in"),
    row("nccl", r"To avoid data inconsistency, we are taking the entire process down", Weight.CONSEQUENCE, "data inconsistency"),
    row("nccl", r"Watchdog caught collective|Some NCCL operations have failed or timed out|NCCL watchdog thread terminated|watchdog got stuck for \d+ seconds|due to ProcessGroupNCCL watchdog hang", _P, "atchdog|NCCL op"),
    row("nccl", r"NCCL WARN (?:Cuda failure|Call to connect|Connect to|socket|Net|Error)|\bnccl(?:Remote|System|Unhandled|Internal)Error\b", _P, "NCCL WARN|nccl"),
    row("torch", r"^\[[EF][^\]\s]{0,20}[^\]]{0,60}\.(?:cpp|cc|h):\d+\] (?P<message>\[c10d\] .+)$", _P, "[c10d]"),
    row("gloo", r"[Gg]loo.{0,300}(?:Connection closed by peer|Timed out waiting|Connect timeout|connectFullMesh failed)", _P, "gloo|Gloo"),
    row("tensorrt", r"(?P<message>\b[Cc]ould not find any implementation for node .+?)\)?$", _S, "implementation for node"),
    row("tensorrt", r"\bError Code:? ?\d{1,3}: (?P<message>[A-Z][^()]{2,60} \(.{2,1500}\))\.?\s*$", _P, "Error Code"),
    row("tensorrt", r"(?:\[E\]|ERROR:?)(?: \[TRT\])? {0,2}(?P<message>Engine could not be created from network|Engine set up failed|Building engine failed|Failed to create engine from model.*)$", _P, "ngine"),
    row("tensorrt", r"(?:\[TRT\] ?\[E\]|\[E\] ?\[TRT\]|\[E\]|\[TensorRT\] ERROR:) {1,2}(?P<message>In node -?\d{1,7} .{1,200}: \S.*)$", _P, "[E]|[TensorRT]"),
    row("lightgbm", r"\[LightGBM\] \[Fatal\] (?P<message>.+)", _F, "[LightGBM]"),
    row("cudnn", r"(?P<message>Loaded runtime CuDNN library: \S+ but source was compiled with: .+)", _P, "CuDNN library"),
    row("tensorflow", r"^F\d{4} .+?\] (?P<message>.+)$|^\d{4}-\S+ \S+: F \S+:\d+\] ", _F),
    row("dmlc", r"(?P<message>\[\d\d:\d\d:\d\d\] \S+:\d+: Check failed: .+)$", _S, "Check failed"),
    row("native", r"(?P<message>Check failed: .+)", _S, "Check failed"),
    row("vllm", r"(?P<message>(?:Engine core proc|Worker proc|EngineCore|VllmWorker)\S* \S* ?died unexpectedly.*)", _F, "died unexpectedly"),
    row("javascript", r"^(?:\W{0,4}\S+\.[jt]s:\d+ )?\W{0,4}Uncaught (?:\(in promise\) )?(?:\w{1,40} )?(?P<message>(?:[A-Z]?\w{0,40}Error: |Error: )\S.*)$", _F, "Uncaught"),
    row("ray", r"(?P<message>The (?:actor|worker)\b.{0,80}? (?:is dead because|died unexpectedly (?:before|while)|has died\b).*|A worker died or was killed while executing .*|Task was killed due to the node running low on memory.*|\d+ Workers \(tasks / actors\) killed due to memory pressure.*)$", _P, "actor|orker|low on memory"),
    row("xla", r"^Exception in device=\w{2,9}:\d{1,5}: (?P<message>\S.*?)\s*$", _F, "Exception in device"),
    row("xla", r"LLVM ERROR: .+|XLA .{0,200}RESOURCE_EXHAUSTED|Allocator .{0,200}ran out of memory trying to allocate", _P, "LLVM|RESOURCE_EXHAUSTED|ran out of memory"),
    row("openmp", r"(?P<message>OMP: Error #\d+: .+|libgomp: .+|Intel MKL FATAL ERROR: .+|INTEL MKL ERROR: .+|BLAS : Program is Terminated.*|OpenBLAS blas_thread_init: pthread_create failed.*)", _F, "OMP|libgomp|MKL|BLAS"),
    row("loader", r"(?P<message>Could not locate \S{1,200}\.dll\b.*)", _P, "Could not locate"),
    row("bitsandbytes", r"(?P<message>CUDA SETUP: Problem: \S.+)", _P, "CUDA SETUP"),
    row("loader", r"^(?P<message>Could not load library \S+ Error: .+)$", _F, "Could not load library"),
    row("loader", r"^(?P<message>\S{1,500}\.so[\w.]{0,20}: (?:undefined symbol: |cannot open shared object).+)$", _P, "undefined symbol|cannot open shared"),
    row("loader", r"^(?P<message>Could not load (?!dynamic library).{1,300}: cannot open shared object file.*)$", _P, "cannot open shared object"),
    row("numpy", r"(?P<message>A module that was compiled using NumPy 1\.x cannot be run in.*)", _S, "compiled using NumPy", until=r"^NumPy \S+ as it may crash"),
    row("protobuf", r"(?P<message>\[libprotobuf (?:FATAL|ERROR) .+)", _S, "libprotobuf"),
    row("python", r"^(?P<message>MemoryError|Fatal Python error: .+|Abort trap: 6)$", _F),
    row("comfyui", r"!!! Exception during processing ?!!! (?P<message>\S.*)$", _P, "Exception during"),
    row("keras", r"(?P<message>Your input ran out of data; interrupting training.*)", Weight.HINT, "ran out of data"),
)  # fmt: skip


_HYDRA_END = r"^Set the environment variable HYDRA_FULL_ERROR"

USAGE: tuple[ErrorLine, ...] = (
    row("argparse", r"^(?!srun:|sbatch:|salloc:|slurmstepd:)(?P<file>[\w./\\-]{1,256}(?: [\w-]{1,64}){0,3}): error: (?P<message>.+)$", _F, back=r"^usage: "),
    row("click", r"^Error: (?P<message>.+)$", _F, back=r"^Usage: |^Try '.*' for help"),
    row("typer", r"^[╭+][─-]+ (?:Error|Parsing error|Required options|Value error) [─-]+", _F, until=r"^[╰+][─-]+", back=r"^Usage: |^ ?Usage: "),
    row("absl", r"^FATAL Flags parsing error:\s?(?P<message>.*)$", _F, until=r"^Pass --help"),
    row("fire", r"^ERROR: (?P<message>Could not consume arg: .+|The function received no value for the required argument: .+)$", _F),
    row("jsonargparse", r"^error: (?P<message>(?:Parser key|Validation failed|No action for|Key |Option |Unrecognized arguments).*)$", _F, back=r"^usage: "),
    row("hydra", r"^(?P<message>Could not override '.+|Error merging override .+|Error parsing override .+|Could not append to config\..+|Cannot find primary config .+|Primary config (?:module|directory) .+not found.*|Missing mandatory value.*|You must specify '.+', e\.g.*|Multiple values for .+|Could not delete from config.*|In '.+': (?:Could not (?:find|load|override)|Validation error|ConfigKeyError|Override|Not found|Overrides? ).*|Error (?:loading|composing) .+|Interpolation (?:key|resolution) .+)$", _F, until=_HYDRA_END),
    row("omegaconf", r"^(?P<message>omegaconf\.errors\.\w+: .+)$", _F, until=_HYDRA_END),
    row("pytest", r"^(?:FAILED|ERROR) (?P<file>\S+\.py)(?:::(?P<test>\S+))? - (?P<message>.+)$", Weight.SHELL),
    row("docopt", r"^Usage:$", Weight.HINT),
    row("torchrun", r"^(?P<message>torchrun: error: .+)$", _F),
)  # fmt: skip
