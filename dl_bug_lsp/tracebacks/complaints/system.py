"""Complaints of kernels, schedulers, containers and launchers about a process that is gone."""

# ruff: noqa: E501  (one row a line: a table is read across)

from dl_bug_lsp.tracebacks.complaints.values import Complaint, Weight, row

_F, _C, _S = Weight.FATAL, Weight.CONSEQUENCE, Weight.SHELL

ROWS: tuple[Complaint, ...] = (
    row("kernel", r"(?P<message>(?:Memory cgroup out of memory|Out of memory): Kill(?:ed)? process .+|oom-kill:constraint=.+|invoked oom-killer.*|oom_reaper: reaped process.*)", _F, "Kill|oom"),
    row("kernel", r"(?P<message>NVRM: Xid.*|segfault at [0-9a-f]{1,20} ip .+|general protection fault.*)", _S, "Xid|segfault|protection fault"),
    row("slurm", r"(?P<message>Detected \d{1,9} oom[-_]kill event\S* in .+|Exceeded job memory limit.*|exceeded memory limit.*|Some of your processes may have been killed by the cgroup out-of-memory handler.*)", _F, "oom|memory"),
    row("slurm", r"(?P<message>\*{3} (?:JOB|STEP) \S+ .*CANCELLED AT .*)", _F, "CANCELLED"),
    row("slurm", r"^srun: error: (?P<message>\S+: tasks? [\d,-]+: (?:Out Of Memory|Segmentation fault|Bus error|Aborted|Illegal instruction).*)", _S),
    row("slurm", r"^(?:srun|sbatch|salloc): (?:error|fatal): (?P<message>(?:Unable to|Batch job submission failed|Invalid|Unrecognized|Memory specification|Job submit|This does not look like).*)", _F),
    row("env", r"^(?:srun|slurmstepd): error: (?:Unable to )?execve\(\): (?P<message>.+)", _F),
    row("slurm", r"^(?:srun|slurmstepd): (?:error: )?(?P<message>.+)", _C),
    row("pbs", r"=>> PBS: (?P<message>job killed: .+)", _F, "PBS"),
    row("lsf", r"(?P<message>TERM_(?:RUNLIMIT|MEMLIMIT|OWNER|SWAP|CPULIMIT|PREEMPT)\b.*)", _F, "TERM_"),
    row("torchrun", r"\bfailed \(exitcode: -\d{1,3}\) local_rank: .+", Weight.SPOKEN, "local_rank"),
    row("torchrun", r"\bfailed \(exitcode: -?\d{1,3}\) local_rank: .+", _C, "local_rank"),
    row("container", r"\bOOMKilled\b", _F, "OOMKilled"),
    row("container", r"(?:exited with (?:exit )?code|[Ee]xit [Cc]ode:?|command terminated with exit code|exit status|returned non-zero code:) ?(?:137|139|134|135|143)\b", _S, "xit"),
    row("container", r"(?:exited with (?:exit )?code|command terminated with exit code|exit status|exits with return code =|Process completed with exit code|returned non-zero code:|exitcode:) ?-?[1-9]\d{0,2}\b", _C, "xit|non-zero"),
    row("kubernetes", r"The node was low on resource|Pod was rejected|ImagePullBackOff|ErrImagePull|CrashLoopBackOff|DeadlineExceeded|was evicted|\bEvicted\b", _S, "low on resource|rejected|Pull|BackOff|DeadlineExceeded|vict"),
    row("mpi", r"(?:mpirun|mpiexec|prterun) noticed that process", _S, "noticed"),
    row("mpi", r"MPI_ABORT was invoked on rank|Primary job\s+terminated normally|ORTE has lost communication", _C, "MPI_ABORT|Primary job|ORTE"),
    row("deepspeed", r"Killing subprocess \d+", _C, "Killing"),
    row("kill", r"^(?P<message>Killed|Terminated|Hangup|Killed: 9|\[\d+\] *[+-]? *\d* *(?:Killed|killed|Terminated|terminated)\b.*)\s*$", _F),
    row("preemption", r"[Ss]pot [Ii]nstance .{0,80}(?:interrupt|terminat|reclaim)|\b[Pp]reempted\b|DUE TO PREEMPTION|[Pp]reemption notice", _S, "pot |reempt|PREEMPT"),
    row("nvidia", r"Failed to initialize NVML: .+|NVIDIA-SMI has failed|RmInitAdapter failed", _S, "NVML|NVIDIA|RmInit"),
)  # fmt: skip
