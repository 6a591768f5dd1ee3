"""Complaints of kernels, schedulers, containers and launchers about a process that is gone."""

from dl_bug_lsp.tracebacks.complaints.values import Complaint, Weight, row

_F, _C = Weight.FATAL, Weight.CONSEQUENCE

ROWS: tuple[Complaint, ...] = (
    row("kernel", r"(?P<message>(?:Memory cgroup out of memory|Out of memory): Kill(?:ed)? process .+|oom-kill:constraint=.+|invoked oom-killer.*|oom_reaper: reaped process.*)", _F),
    row("kernel", r"(?P<message>NVRM: Xid.*|EDAC .*UE.*|segfault at [0-9a-f]+ ip .+|general protection fault.*|traps: .+ trap .+)", _F),
    row("slurm", r"(?P<message>Detected \d+ oom[-_]kill event\S* in .+|.*Exceeded job memory limit.*|.*exceeded memory limit.*being killed.*|Some of your processes may have been killed by the cgroup out-of-memory handler.*)", _F),
    row("slurm", r"(?P<message>\*{3} (?:JOB|STEP) \S+ .*CANCELLED AT .*)", _F),
    row("slurm", r"^srun: error: (?P<message>\S+: tasks? [\d,-]+: (?:Out Of Memory|Segmentation fault|Bus error|Aborted|Illegal instruction).*)", _F),
    row("slurm", r"^(?:srun|sbatch|salloc): error: (?P<message>(?:Unable to|Batch job submission failed|Invalid|Unrecognized|Unable|Memory specification|Job submit|This does not look like).*)", _F),
    row("slurm", r"^srun: error: (?P<message>.+)|^srun: (?P<tail>Job step aborted.*|Terminating .*)|^slurmstepd: error: (?P<step>.+)", _C),
    row("pbs", r"=>> PBS: (?P<message>job killed: .+)", _F),
    row("lsf", r"(?P<message>TERM_(?:RUNLIMIT|MEMLIMIT|OWNER|SWAP|CPULIMIT|PREEMPT)\b.*)", _F),
    row("container", r"(?P<message>.*\bOOMKilled\b.*)", _F),
    row("container", r"(?P<message>.*(?:exited with (?:exit )?code|[Ee]xit [Cc]ode:?|command terminated with exit code|exit status|returned non-zero code:) ?(?:137|139|134|135|143)\b.*)", Weight.SHELL),
    row("container", r"(?P<message>.*(?:exited with (?:exit )?code|command terminated with exit code|exit status|exits with return code =|Process completed with exit code|returned non-zero code:|exitcode:?) ?-?[1-9]\d{0,2}\b.*)", _C),
    row("kubernetes", r"(?P<message>.*(?:The node was low on resource|Pod was rejected|ImagePullBackOff|ErrImagePull|CrashLoopBackOff|DeadlineExceeded|was evicted|Evicted).*)", Weight.SHELL),
    row("mpi", r"(?P<message>(?:mpirun|mpiexec) noticed that process rank \d+ .+exited on signal .+)", Weight.SHELL),
    row("mpi", r"(?P<message>MPI_ABORT was invoked on rank.*|Primary job\s+terminated normally.*|ORTE has lost communication.*|prterun noticed.*)", _C),
    row("deepspeed", r"(?P<message>Killing subprocess \d+.*|.*exits with return code = .+)", _C),
    row("kill", r"^(?P<message>Killed|Terminated|Hangup|Killed: 9|\[\d+\] *[+-]? *\d* *(?:Killed|killed|Terminated)\b.*)\s*$", _F),
    row("preemption", r"(?P<message>.*(?:[Ss]pot [Ii]nstance .*(?:interrupt|terminat|reclaim)|preempted|Preempted|DUE TO PREEMPTION|preemption notice|maintenance event).*)", Weight.SHELL),
    row("nvidia", r"(?P<message>Failed to initialize NVML: .+|NVIDIA-SMI has failed.*|RmInitAdapter failed.*)", Weight.SHELL),
)  # fmt: skip
