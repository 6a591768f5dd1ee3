"""Memory of the server: threads share few heaps (glibc only), a closed folder's index goes."""

from __future__ import annotations

import gc
import platform
import subprocess
import sys
import weakref
from pathlib import Path

import pytest

from dl_bug_lsp.server.process import keep_what_stands, look_at_everything
from dl_bug_lsp.workspace import Workspace

HEAPS = """
import ctypes, os, sys, tempfile, threading
from dl_bug_lsp.server.process import share_heaps

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


def test_an_index_that_was_set_aside_goes_with_its_folder(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import torch\n")
    workspace = Workspace(tmp_path, cache=False)
    assert workspace.locate("train.py", 1) is not None
    alive = weakref.ref(workspace)
    try:
        keep_what_stands(after_all=True)
        assert gc.get_freeze_count() > 0
        del workspace
        look_at_everything()
        gc.collect()
        assert alive() is None
    finally:
        gc.unfreeze()
