"""Complaints of native code: crashes, runtimes' fatal checks, communication watchdogs."""

from dl_bug_lsp.tracebacks.complaints.values import Complaint, Weight, row

_F, _S = Weight.FATAL, Weight.SHELL

ROWS: tuple[Complaint, ...] = (
    row("signal", r"^(?P<message>(?:Segmentation fault|Bus error|Aborted|Illegal instruction|Floating point exception|Trace/breakpoint trap)(?: \(core dumped\))?)\s*$", _F),
    row("signal", r"(?P<message>\*\*\* (?:SIG[A-Z]+|Process received signal) .*|Signal: (?:Segmentation fault|Aborted|Bus error).*|Fatal error condition occurred.*)", _S),
    row("torch", r"(?P<message>ERROR: Unexpected (?:segmentation fault|bus error|floating-point exception) encountered in worker.*)", _F),
    row("c++", r"^(?P<message>terminate called after throwing an instance of .+|terminate called without an active exception|libc\+\+abi: terminating.*)", _F, until=r"^\s*what\(\):"),
    row("libc", r"^(?P<message>(?:\*\*\* Error in .+|double free or corruption.*|free\(\): .+|malloc\(\): .+|munmap_chunk\(\): .+|corrupted (?:size|double-linked).*|\*\*\* stack smashing detected.*|.+: Assertion [`'].+' failed\.?))$", _F),
    row("cuda", r"(?P<message>\S+\.cuh?:\d+: .{0,500}: block: \[\d+,\d+,\d+\], thread: \[\d+,\d+,\d+\] Assertion .+ failed\.?)", _S),
    row("cuda", r"^(?P<message>(?:CUDA|HIP|cuDNN|CUBLAS|NCCL) (?:error|failure|out of memory)\b.*|RuntimeError: CUDA .*|cudaError\w+.*|CUDA_ERROR_\w+.*)$", Weight.SPOKEN),
    row("nccl", r"(?P<message>(?:\[Rank \d+\] )?(?:Watchdog caught collective operation timeout|Some NCCL operations have failed or timed out|NCCL watchdog thread terminated|.*Watchdog caught collective).*)", Weight.SPOKEN),
    row("nccl", r"(?P<message>NCCL WARN (?:Cuda failure|Call to connect|Connect to|socket|Net|Error).*|.*\bnccl(?:Remote|System|Unhandled|Internal)Error\b.*)", Weight.SPOKEN),
    row("gloo", r"(?P<message>.*gloo.*(?:Connection closed by peer|Timed out waiting|Connect timeout|connectFullMesh failed).*)", Weight.SPOKEN),
    row("tensorflow", r"^F\d{4} .+?\] (?P<message>.+)$|^\S+ \S+: F (?P<place>\S+:\d+\] .+)$", _F),
    row("tensorflow", r"(?P<message>Check failed: .+)", _S),
    row("xla", r"(?P<message>LLVM ERROR: .+|.*XLA .*RESOURCE_EXHAUSTED.*|.*Allocator .*ran out of memory trying to allocate.*)", Weight.SPOKEN),
    row("openmp", r"(?P<message>OMP: Error #\d+: .+|libgomp: .+|Intel MKL FATAL ERROR: .+|INTEL MKL ERROR: .+|BLAS : Program is Terminated.*|OpenBLAS blas_thread_init: pthread_create failed.*)", _F),
    row("protobuf", r"(?P<message>\[libprotobuf (?:FATAL|ERROR) .+)", _S),
    row("python", r"^(?P<message>MemoryError|Fatal Python error: .+|Abort trap: 6|ImportError: .+|SystemError: .+)$", _F),
    row("opencv", r"(?P<message>terminating .*uncaught exception.*|error: \(-\d+:.+\) .+ in function .+)", _S),
    row("keras", r"(?P<message>Your input ran out of data; interrupting training.*)", Weight.HINT),
)  # fmt: skip
