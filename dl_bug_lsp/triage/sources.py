"""Where logs are: folders, globs, archives, compressed files, on any file system of fsspec.

Whoever can write a log can write an archive: nothing is unpacked to disk, no link inside a folder
or an archive is followed, and what a file unpacks to is bounded by a multiple of its size.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, Any, cast

import fsspec
from fsspec.core import url_to_fs

from dl_bug_lsp.data_folder import open_regular
from dl_bug_lsp.logs.decoding import is_binary

CHUNK = 4 * 2**20
SAMPLE = 2**16
MOST_UNPACKED = 300
"""A compressed file may unpack to so many times its size (progress bars shrink to a hundredth) …"""
ALWAYS_UNPACKED = 256 * 2**20
"""… or to so many bytes, whichever is more, …"""
NEVER_UNPACKED = 64 * 2**30
"""… but never to more than this."""
MOST_MEMBERS = 1_000_000
_COMPRESSED = (".gz", ".bz2", ".xz", ".lzma")
_ARCHIVES = (".zip", ".tar", ".tgz", ".tbz2", ".txz", ".tar.gz", ".tar.bz2", ".tar.xz")
_NO_LOGS = frozenset((
    ".avi", ".bin", ".bmp", ".c", ".cfg", ".ckpt", ".cpp", ".cu", ".db", ".dll", ".egg", ".exe",
    ".flac", ".gif", ".h5", ".hdf5", ".ico", ".ipynb", ".jpeg", ".jpg", ".js", ".keras", ".lock",
    ".mat", ".mp3", ".mp4", ".msgpack", ".npy", ".npz", ".o", ".onnx", ".pb", ".pdf", ".pickle",
    ".pkl", ".png", ".pt", ".pth", ".py", ".pyc", ".safetensors", ".sbatch", ".sh", ".so",
    ".sqlite", ".svg", ".tfevents", ".tflite", ".tfrecord", ".tif", ".tiff", ".toml", ".wav",
    ".webp", ".whl", ".yaml", ".yml", ".parquet", ".feather", ".arrow", ".csv", ".tsv",
))  # fmt: skip
"""Suffixes of what lies beside logs in a job's folder."""
_DAMAGED = (
    EOFError, OSError, zlib.error, lzma.LZMAError, tarfile.TarError, zipfile.BadZipFile,
    NotImplementedError, RuntimeError, ValueError,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Source:
    """One file to read: a log, a compressed one or an archive of logs.

    ``token`` changes when the file does; ``modified`` is a POSIX time, None where none is known.
    """

    url: str
    size: int
    modified: float | None
    token: str

    @property
    def is_archive(self) -> bool:
        """Whether it holds files, by its name."""
        return self.url.lower().endswith(_ARCHIVES)

    @property
    def is_compressed(self) -> bool:
        """Whether it is one compressed file, by its name."""
        return not self.is_archive and self.url.lower().endswith(_COMPRESSED)


@dataclass(frozen=True, slots=True)
class Unread:
    """A log (or a file of logs) that was not read, or only in part, and why."""

    log: str
    reason: str


@dataclass(slots=True)
class Listing:
    """What paths lead to: the files to read, what cannot be, and how many are no logs by name."""

    sources: list[Source]
    unread: list[Unread]
    left_out: int = 0


def listing(paths: Sequence[str], without: Path | None = None) -> Listing:
    """Return the files that ``paths`` lead to, in order, each once; never raises.

    A path is a file, a folder (with all that lies in it), a glob, or a URL of fsspec. ``without``
    is a folder that is left out: the one of the results.
    """
    files = Listing([], [])
    for path in paths:
        try:
            if "://" in path:
                _remote(path, files)
            else:
                _local(path, files, without)
        except Exception as error:
            files.unread.append(Unread(path, reason_of(error)))
    seen: dict[str, Source] = {}
    for source in files.sources:
        seen.setdefault(source.url, source)
    files.sources = sorted(seen.values(), key=lambda source: source.url)
    return files


def _local(path: str, files: Listing, without: Path | None) -> None:
    place = Path(path).expanduser()
    if place.is_dir():
        _walk(str(place), files, str(without.resolve()) if without is not None else "")
        return
    if os.path.lexists(place):
        _add_file(str(place), place.stat(), files)
        return
    if not any(char in path for char in "*?["):
        files.unread.append(Unread(path, "there is no such file or folder"))
        return
    import glob

    matched = sorted(glob.iglob(str(place), recursive=True))  # noqa: PTH207
    for match in matched:
        if Path(match).is_dir():
            if not path.endswith("**"):
                _walk(match, files, str(without.resolve()) if without is not None else "")
        else:
            _add_file(match, Path(match).stat(), files)
    if not matched:
        files.unread.append(Unread(path, "no file matches"))


def _walk(folder: str, files: Listing, without: str) -> None:
    waiting = [folder]
    while waiting:
        folder = waiting.pop()
        if without and Path(folder).resolve() == Path(without):
            continue
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            files.unread.append(Unread(folder, reason_of(error)))
            continue
        for entry in entries:
            try:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                elif not entry.is_file(follow_symlinks=False) or not may_be_log(entry.name):
                    files.left_out += 1
                else:
                    _add_file(entry.path, entry.stat(follow_symlinks=False), files)
            except OSError as error:
                files.unread.append(Unread(entry.path, reason_of(error)))


def _add_file(path: str, state: os.stat_result, files: Listing) -> None:
    if not stat.S_ISREG(state.st_mode):
        files.unread.append(Unread(path, "it is no regular file"))
        return
    token = f"{state.st_size}-{state.st_mtime_ns}"
    files.sources.append(Source(os.path.realpath(path), state.st_size, state.st_mtime, token))


def _remote(url: str, files: Listing) -> None:
    system, path = url_to_fs(url)
    if any(char in path for char in "*?["):
        entries = system.glob(path, detail=True)
    elif system.isdir(path):
        entries = system.find(path, detail=True)
    else:
        entries = {path: system.info(path)}
    if not entries:
        files.unread.append(Unread(url, "there is nothing"))
    for name, info in sorted(entries.items()):
        if info.get("type") == "directory":
            continue
        if len(entries) > 1 and not may_be_log(name):
            files.left_out += 1
            continue
        size = int(info.get("size") or 0)
        modified = _time(info)
        changing = info.get("ETag") or info.get("etag") or info.get("md5Hash") or modified
        source = Source(system.unstrip_protocol(name), size, modified, f"{size}-{changing}")
        files.sources.append(source)


def _time(info: dict[str, Any]) -> float | None:
    for key in ("mtime", "LastModified", "last_modified", "updated", "created"):
        value = info.get(key)
        if isinstance(value, (int, float)):
            return float(value)
        if isinstance(value, datetime):
            return value.timestamp()
    return None


def may_be_log(name: str) -> bool:
    """Say whether a file in a folder may be a log or hold logs, by its name."""
    base = name.rpartition("/")[2].lower()
    if base.startswith(".") or base.endswith("~") or "tfevents" in base:
        return False
    inner = base
    for ending in _COMPRESSED:
        inner = inner.removesuffix(ending)
    return os.path.splitext(inner)[1] not in _NO_LOGS  # noqa: PTH122


@contextmanager
def opened(source: Source) -> Iterator[IO[bytes]]:
    """Open a source's own bytes; raises what the file system raises."""
    if "://" not in source.url:
        with open_regular(source.url) as stream:
            yield stream
        return
    with fsspec.open(source.url, "rb") as stream:
        yield cast("IO[bytes]", stream)


def is_unchanged(source: Source) -> bool:
    """Say whether a local file still is what it was when it was listed."""
    if "://" in source.url:
        return True
    try:
        state = os.stat(source.url)  # noqa: PTH116
    except OSError:
        return False
    return source.token == f"{state.st_size}-{state.st_mtime_ns}"


class TooLargeError(Exception):
    """A compressed file unpacks to more than is believed."""


class _Unpacked(io.RawIOBase):
    """What a compressed stream unpacks to, up to a limit; raises `TooLargeError` beyond it."""

    def __init__(self, stream: IO[bytes], limit: int) -> None:
        self._stream, self._left, self._limit = stream, limit, limit

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        # `read1` gives what is unpacked so far; `read` would lose it where the rest is damaged.
        part = getattr(self._stream, "read1", self._stream.read)
        data = bytes(part(CHUNK if size is None or size < 0 else size))
        self._left -= len(data)
        if self._left < 0:
            raise TooLargeError(f"it unpacks to more than {self._limit:,} bytes")
        return data


def unpacked_limit(size: int) -> int:
    """Return how many bytes a compressed file of ``size`` bytes may unpack to."""
    return min(max(size * MOST_UNPACKED, ALWAYS_UNPACKED), NEVER_UNPACKED)


_OPENERS: dict[str, Callable[[IO[bytes]], Any]] = {
    ".gz": lambda stream: gzip.GzipFile(fileobj=stream),
    ".tgz": lambda stream: gzip.GzipFile(fileobj=stream),
    ".bz2": bz2.BZ2File,
    ".tbz2": bz2.BZ2File,
    ".xz": lzma.LZMAFile,
    ".txz": lzma.LZMAFile,
    ".lzma": lzma.LZMAFile,
}


def unpacked(name: str, stream: IO[bytes], size: int) -> IO[bytes]:
    """Return the bounded text of a stream that is compressed by its name, else the stream."""
    opener = next((o for end, o in _OPENERS.items() if name.lower().endswith(end)), None)
    if opener is None:
        return stream
    return cast("IO[bytes]", _Unpacked(opener(stream), unpacked_limit(size)))


Member = tuple[str, "IO[bytes] | None", int, str]
"""A member's name, its stream (None where it is not read), its size, and why it is not read."""


def members(source: Source, stream: IO[bytes]) -> Iterator[Member]:
    """Yield the members of an archive that may be logs, each to be read before the next.

    Raises `TooLargeError` for an archive of too many files, and the errors of `damage` where it
    cannot be read further.
    """
    if source.url.lower().endswith(".zip"):
        yield from _zip_members(stream)
        return
    plain = unpacked(source.url, stream, source.size)
    with tarfile.open(fileobj=plain, mode="r|") as archive:
        for number, entry in enumerate(archive):
            if number >= MOST_MEMBERS:
                raise TooLargeError(f"it holds more than {MOST_MEMBERS:,} files")
            if not entry.isreg() or not may_be_log(entry.name):
                continue
            if (why := _nested(entry.name)) is not None:
                yield entry.name, None, entry.size, why
                continue
            inner = archive.extractfile(entry)
            if inner is not None:
                yield entry.name, unpacked(entry.name, inner, entry.size), entry.size, ""


def _zip_members(stream: IO[bytes]) -> Iterator[Member]:
    with zipfile.ZipFile(stream) as archive:
        entries = archive.infolist()
        if len(entries) > MOST_MEMBERS:
            raise TooLargeError(f"it holds more than {MOST_MEMBERS:,} files")
        for entry in entries:
            if entry.is_dir() or not may_be_log(entry.filename):
                continue
            why = _nested(entry.filename)
            if why is None and entry.flag_bits & 1:
                why = "it is encrypted"
            if why is None and entry.file_size > unpacked_limit(entry.compress_size):
                why = f"it unpacks to {entry.file_size:,} bytes from {entry.compress_size:,}"
            if why is not None:
                yield entry.filename, None, entry.file_size, why
                continue
            with ExitStack() as stack:
                try:
                    inner = stack.enter_context(archive.open(entry))
                except damage as error:
                    yield entry.filename, None, entry.file_size, reason_of(error)
                    continue
                yield entry.filename, unpacked(entry.filename, inner, entry.file_size), 0, ""


def _nested(name: str) -> str | None:
    return (
        "an archive inside an archive is not opened" if name.lower().endswith(_ARCHIVES) else None
    )


damage = (*_DAMAGED, TooLargeError)
"""What reading a damaged, hostile or vanished file may raise."""


def reason_of(error: BaseException) -> str:
    """Return why something could not be read, in a few words without its path."""
    if isinstance(error, TooLargeError):
        return str(error)
    if isinstance(error, FileNotFoundError):
        return "it is gone"
    if isinstance(error, PermissionError):
        return "permission denied"
    if isinstance(error, EOFError):
        return "it ends too early"
    if isinstance(error, (tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError)):
        return f"it is damaged ({' '.join(str(error).split())[:200] or type(error).__name__})"
    if isinstance(error, OSError) and error.errno:
        return os.strerror(error.errno).lower()
    if isinstance(error, ImportError):
        return f"its file system needs a package that is not installed ({error})"[:300]
    words = " ".join(str(error).split())[:200]
    return f"{type(error).__name__}: {words}" if words else type(error).__name__


def text_problem(sample: bytes) -> str | None:
    """Return why the beginning of a file shows that it is no log, None where it may be one."""
    return "it is binary" if is_binary(sample[:SAMPLE]) else None
