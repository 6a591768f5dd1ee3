"""Folders, archives and what is wrong with them: everything is named, the rest is read."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import fsspec
import pytest
from job_logs import failing, progress

from dl_bug_lsp.triage import triage
from dl_bug_lsp.triage.reading import Reader
from dl_bug_lsp.triage.running import batches, read_batch
from dl_bug_lsp.triage.sources import Source, listing
from dl_bug_lsp.triage.triaging import text_of

LOG = (progress(30) + failing()).encode()
Write = Callable[[str, "str | bytes"], Path]


def tarred(mode: str, files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return out.getvalue()


def zipped(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def test_every_form_of_one_log_is_one_failure(write: Write, tmp_path: Path) -> None:
    write("a/one.log", LOG)
    write("a/two.out.gz", gzip.compress(LOG))
    write("a/three.bz2", bz2.compress(LOG))
    write("a/four.log.xz", lzma.compress(LOG))
    write("b.zip", zipped({"x/five.log": LOG, "weights.pt": b"\0" * 100}))
    for number, mode in enumerate(("w", "w:gz", "w:bz2", "w:xz")):
        name = f"c{number}" + (".tar" + mode[1:].replace(":", ".") if mode != "w" else ".tar")
        write(name, tarred(mode, {"y/six.log": LOG, "y/seven.log.gz": gzip.compress(LOG)}))
    result = triage(tmp_path)
    assert result.unread == ()
    assert (result.logs, result.failures, len(result.groups)) == (13, 13, 1)
    assert any(log.endswith("b.zip!x/five.log") for log in result.groups[0].examples)


def test_globs_and_what_is_no_log_by_its_name(write: Write, tmp_path: Path) -> None:
    write("a/1.log", LOG)
    write("a/2.txt", LOG)
    write("a/model.safetensors", b"x")
    write("a/.hidden", LOG)
    assert triage(str(tmp_path / "a" / "*.log")).logs == 1
    whole = triage(tmp_path)
    assert (whole.logs, whole.left_out) == (2, 2)
    assert [u.reason for u in triage(str(tmp_path / "z*.log")).unread] == ["no file matches"]
    gone = triage(str(tmp_path / "gone.log"))
    assert [u.reason for u in gone.unread] == ["there is no such file or folder"]


def test_damaged_archives_are_named_and_the_rest_is_read(write: Write, tmp_path: Path) -> None:
    noise = os.urandom(20_000).hex().encode()
    packed = gzip.compress(LOG + noise)
    write("cut.log.gz", packed[: len(packed) - 900])
    whole = tarred("w:gz", {"good.log": LOG + noise, "lost.log": noise * 3})
    write("cut.tar.gz", whole[: len(whole) * 3 // 4])
    write("broken.zip", b"PK\x03\x04 no zip")
    write("fine.log", LOG)
    result = triage(tmp_path)
    reasons = {Path(u.log.partition("!")[0]).name: u.reason for u in result.unread}
    assert reasons.keys() == {"cut.log.gz", "cut.tar.gz", "broken.zip"}
    assert reasons["cut.log.gz"] == "read in part: it ends too early"
    assert "damaged" in reasons["broken.zip"]
    assert any(log.endswith("cut.tar.gz!good.log") for log in result.groups[0].examples)
    assert any(log.endswith("fine.log") for log in result.groups[0].examples)


def test_bombs_are_bounded(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dl_bug_lsp.triage.sources.ALWAYS_UNPACKED", 1_000_000)
    bomb = b"epoch 1 loss 0.1\n" * 1_000_000
    write("bomb.log.gz", gzip.compress(bomb))
    write("bomb.tar.xz", tarred("w:xz", {"a.log": bomb}))
    write("bomb.zip", zipped({"b.log": bomb, "inner.zip": zipped({"c.log": LOG}), "d.log": LOG}))
    result = triage(tmp_path)
    said = {u.log.rpartition("/")[2]: u.reason for u in result.unread}
    assert "unpacks to more than" in said["bomb.log.gz"]
    assert any("unpacks to more than" in why for log, why in said.items() if "tar.xz" in log)
    assert "unpacks to 17,000,000 bytes" in said["bomb.zip!b.log"]
    assert said["bomb.zip!inner.zip"] == "an archive inside an archive is not opened"
    assert result.failures == 1


def test_what_is_no_text_no_regular_file_or_forbidden(write: Write, tmp_path: Path) -> None:
    write("core.log", b"\x7fELF" + b"\0" * 500)
    write("outside/secret.log", LOG)
    folder = write("in/fine.log", LOG).parent
    (folder / "link.log").symlink_to(tmp_path / "outside" / "secret.log")
    (folder / "loop").symlink_to(folder)
    os.mkfifo(folder / "pipe.log")
    result = triage([folder, tmp_path / "core.log"])
    assert result.logs == 1
    assert [(Path(u.log).name, u.reason) for u in result.unread] == [("core.log", "it is binary")]
    assert result.left_out == 3


def test_archives_name_members_that_would_leave_them(write: Write, tmp_path: Path) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        link = tarfile.TarInfo("passwd.log")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
        entry = tarfile.TarInfo("../../escape.log")
        entry.size = len(LOG)
        archive.addfile(entry, io.BytesIO(LOG))
    write("t/evil.tar", out.getvalue())
    result = triage(tmp_path / "t")
    assert result.logs == result.failures == 1
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["evil.tar", "t"]


def test_a_log_that_changes_while_it_is_read_is_read_again(write: Write, tmp_path: Path) -> None:
    log = write("grow.log", LOG)
    source = listing([str(log)]).sources[0]
    with log.open("ab") as stream:
        stream.write(b"more\n")
    row = read_batch([source], Reader()).to_pylist()[0]
    assert row["note"] == "it changed while it was read"
    assert row["group"]


def test_urls_of_fsspec(tmp_path: Path) -> None:
    system = fsspec.filesystem("memory")
    system.pipe("/jobs/a/1.log", LOG)
    system.pipe("/jobs/b/2.log.gz", gzip.compress(LOG))
    try:
        result = triage(["memory://jobs", "nosuch://x/y"])
        assert (result.logs, result.failures) == (2, 2)
        assert [u.log for u in result.unread] == ["nosuch://x/y"]
        assert triage("memory://jobs/*/1.log").logs == 1
    finally:
        system.rm("/jobs", recursive=True)


def test_big_files_are_batches_of_their_own() -> None:
    sources = [Source(f"/x/{n}.log", 1000, 0.0, "t") for n in range(900)]
    sources += [Source("/x/big.log", 10**9, 0.0, "t"), Source("/x/a.zip", 10, 0.0, "t")]
    cut = list(batches(sources))
    assert sorted(s.url for batch in cut for s in batch) == sorted(s.url for s in sources)
    assert [len(batch) for batch in cut] == [1, 1, 400, 400, 100]


def test_the_text_of_a_representative(write: Write) -> None:
    archive = write("b.zip", zipped({"x/five.log": LOG}))
    text = text_of(f"{archive}!x/five.log")
    assert text is not None
    assert "mat1 and mat2" in text
    assert text_of(f"{archive}!x/none.log") is None
    assert text_of("/nowhere/at.log") is None
