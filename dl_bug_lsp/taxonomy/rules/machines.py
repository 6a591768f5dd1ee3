"""Rules for what ends a job from below: hardware, disks, signals, schedulers."""

from __future__ import annotations

from dl_bug_lsp.taxonomy.rules.rule import Rule, rule

HARDWARE, DISK, KILLED = "hardware_failure", "storage_exhausted", "process_killed"

RULES: tuple[Rule, ...] = (
    rule(
        "platform.hardware",
        HARDWARE,
        "uncorrectable ecc error",
        "double bit ecc",
        "ecc error encountered",
        "nvrm: xid",
        "gpu has fallen off the bus",
        "fallen off the bus",
        "nvlink error",
        "unspecified nvlink",
        "cuda_error_hardware_stack_error",
        "hardware stack error",
        "cuda error: unspecified launch failure",
        "input/output error",
        "[errno 5]",
        "link down",
        "port_down",
        "machine check",
        "node failure",
        "node_fail",
        "unable to determine the device handle for gpu",
        "gpu is lost",
        "hardware failure",
        "hardware error",
        confidence=0.9,
    ),
    rule(
        "platform.disk",
        DISK,
        "no space left on device",
        "[errno 28]",
        "disk quota exceeded",
        "[errno 122]",
        "quota exceeded",
        "not enough free space",
        "not enough free disk space",
        "not enough disk space",
        "insufficient disk space",
        "disk full",
        "disk is full",
        "enospc",
        "edquot",
        "pytorchstreamwriter failed writing file",
        "unexpected pos…vs",
        "inline_container.cc…file write failed",
        "file write failed",
        "file too large",
        "there is not enough space on the disk",
        "out of disk space",
        "there's insufficient storage",
        unless=("/dev/shm", "shared memory", "/torch_"),
    ),
    rule("platform.file_handles", DISK, "too many open files", "[errno 24]", confidence=0.5),
)
"""Looked at before all that a failed device or disk brings about."""

RULES_KILLED: tuple[Rule, ...] = (
    rule(
        "platform.killed",
        KILLED,
        "due to time limit",
        "due to preemption",
        "preempted",
        "sigterm",
        "signal 15",
        "signal: terminated",
        "received signal: 15",
        "received 15 death signal",
        "cancelled at",
        "job was cancelled",
        "job cancelled",
        "job killed",
        "exceeded walltime",
        "walltime exceeded",
        "wall time limit",
        "time limit exceeded",
        "segmentation fault",
        "sigsegv",
        "signal 11",
        "signal: segmentation fault",
        "core dumped",
        "fatal python error: aborted",
        "sigabrt",
        "sigkill",
        "exitcode: -9",
        "exitcode -9",
        "exitcode: -15",
        "exitcode: -11",
        "exit code 139",
        "exit code 143",
        "exit code -9",
        "died with <signals.",
        "spot instance…interrupt",
        "process was killed",
        "sigint",
        "access violation",
        confidence=0.85,
    ),
    rule(
        "platform.killed_class",
        KILLED,
        types="KeyboardInterrupt SignalException ProcessExitedException WorkerCrashedError "
        "ActorDiedError RayActorError BrokenProcessPool TerminatedWorkerError "
        "ProcessRaisedException "
        "SIGTERMException PreemptedError",
        confidence=0.6,
    ),
    rule(
        "platform.killed_word", KILLED, "killed", "terminated", types="bash sh zsh", confidence=0.6
    ),
    rule("platform.killed_native", KILLED, types="faulthandler kernel slurm srun", confidence=0.5),
)
"""Looked at after network and devices."""
