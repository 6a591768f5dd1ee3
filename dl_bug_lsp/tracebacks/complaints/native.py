"""Complaints of native code: crashes, runtimes' fatal checks, communication watchdogs."""

# ruff: noqa: E501  (one row a line: a table is read across)

from dl_bug_lsp.tracebacks.complaints.values import Complaint, Weight, row

_F, _S, _P = Weight.FATAL, Weight.SHELL, Weight.SPOKEN

ROWS: tuple[Complaint, ...] = (
    row("signal", r"^(?P<message>(?:Segmentation fault|Bus error|Aborted|Illegal instruction|Floating point exception|Trace/breakpoint trap)(?: \(core dumped\))?)\s*$", _F),
    row("signal", r"\*\*\* (?:SIG[A-Z]+|Process received signal)|^\[[^\]]{1,100}\] Signal: |^Signal: (?:Segmentation fault|Aborted|Bus error)", _S, "SIG|ignal"),
    row("torch", r"(?P<message>ERROR: Unexpected (?:segmentation fault|bus error|floating-point exception) encountered in worker.*)", _F, "Unexpected"),
    row("c++", r"^(?P<message>terminate called after throwing an instance of .+)", _F, until=r"^\s*what\(\):"),
    row("c++", r"^(?P<message>terminate called without an active exception|libc\+\+abi: terminating.*|terminating .*uncaught exception.*)", _F),
    row("libc", r"^(?P<message>\*\*\* Error in .+|double free or corruption.*|free\(\): .+|malloc\(\): .+|munmap_chunk\(\): .+|corrupted (?:size|double-linked).*|\*\*\* stack smashing detected.*)$", _F),
    row("cuda", r"(?P<message>\S{1,400}\.cuh?:\d{1,7}: .{0,500}: block: \[\d+,\d+,\d+\], thread: \[\d+,\d+,\d+\] Assertion .+ failed\.?)", _P, "Assertion"),
    row("libc", r"^(?P<message>\S.{0,500}: Assertion [`'].{1,1000}' failed\.?)$", _F, "Assertion"),
    row("cuda", r"^(?P<message>(?:CUDA|HIP|cuDNN|CUBLAS|NCCL) (?:error|failure|out of memory)\b.*|cudaError\w+.*|CUDA_ERROR_\w+.*)$", _P),
    row("nccl", r"Watchdog caught collective|Some NCCL operations have failed or timed out|NCCL watchdog thread terminated", _P, "atchdog|NCCL op"),
    row("nccl", r"NCCL WARN (?:Cuda failure|Call to connect|Connect to|socket|Net|Error)|\bnccl(?:Remote|System|Unhandled|Internal)Error\b", _P, "NCCL WARN|nccl"),
    row("gloo", r"gloo.{0,300}(?:Connection closed by peer|Timed out waiting|Connect timeout|connectFullMesh failed)", _P, "gloo"),
    row("tensorflow", r"^F\d{4} .+?\] (?P<message>.+)$|^\d{4}-\S+ \S+: F \S+:\d+\] ", _F),
    row("tensorflow", r"(?P<message>Check failed: .+)", _S, "Check failed"),
    row("xla", r"LLVM ERROR: .+|XLA .{0,200}RESOURCE_EXHAUSTED|Allocator .{0,200}ran out of memory trying to allocate", _P, "LLVM|RESOURCE_EXHAUSTED|ran out of memory"),
    row("openmp", r"(?P<message>OMP: Error #\d+: .+|libgomp: .+|Intel MKL FATAL ERROR: .+|INTEL MKL ERROR: .+|BLAS : Program is Terminated.*|OpenBLAS blas_thread_init: pthread_create failed.*)", _F, "OMP|libgomp|MKL|BLAS"),
    row("loader", r"^(?P<message>Could not load library \S+ Error: .+)$", _F, "Could not load library"),
    row("numpy", r"(?P<message>A module that was compiled using NumPy 1\.x cannot be run in.*)", _S, "compiled using NumPy", until=r"^NumPy \S+ as it may crash"),
    row("protobuf", r"(?P<message>\[libprotobuf (?:FATAL|ERROR) .+)", _S, "libprotobuf"),
    row("python", r"^(?P<message>MemoryError|Fatal Python error: .+|Abort trap: 6)$", _F),
    row("opencv", r"(?P<message>error: \(-\d+:.+\) .+ in function .+)", _S, "in function"),
    row("keras", r"(?P<message>Your input ran out of data; interrupting training.*)", Weight.HINT, "ran out of data"),
)  # fmt: skip
