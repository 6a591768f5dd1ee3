"""What the C library hoards: threads that come and go share few heaps (glibc only)."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

HEAPS = """
import ctypes, os, sys, tempfile, threading
from dl_bug_lsp.server.process.memory import share_heaps

assert share_heaps()
libc = ctypes.CDLL(None)
libc.malloc.restype = libc.fopen.restype = ctypes.c_void_p
gate = threading.Barrier(13)

def work():
    libc.malloc(10_000)
    gate.wait()

for _ in range(12):
    threading.Thread(target=work).start()
gate.wait()
with tempfile.NamedTemporaryFile() as file:
    stream = libc.fopen(file.name.encode(), b"w")
    libc.malloc_info(0, ctypes.c_void_p(stream))
    libc.fclose(ctypes.c_void_p(stream))
    print(file.read().count(b"<heap nr"))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc has heaps a thread")
def test_threads_share_heaps() -> None:
    done = subprocess.run([sys.executable, "-c", HEAPS], capture_output=True, text=True, check=True)
    assert int(done.stdout) <= 2
