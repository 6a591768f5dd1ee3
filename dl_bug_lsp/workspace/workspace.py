"""The user's files as the rest of the program sees them."""

from __future__ import annotations

import ast
import weakref
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from dl_bug_lsp import data_folder
from dl_bug_lsp.cancellation import checkpoint
from dl_bug_lsp.workspace.binary_files import (
    MAGIC,
    MOST_BYTES,
    MOST_MEDIA_BYTES,
    Picture,
    Sound,
    StoredArray,
    UnfitNumbers,
    arrays_in,
    media_in,
    unfit_numbers,
)
from dl_bug_lsp.workspace.configs import reader_for
from dl_bug_lsp.workspace.configs.build_files import dependencies
from dl_bug_lsp.workspace.configs.tables import read_table, rows_with
from dl_bug_lsp.workspace.contents import ConfigEntry, FileElements, Place, Table
from dl_bug_lsp.workspace.elements import elements_of, split_lines
from dl_bug_lsp.workspace.index import (
    CacheInfo,
    Derived,
    Index,
    Lru,
    Source,
    SourceSummary,
    is_settled,
    lines_of,
    read_source,
    summarize,
)
from dl_bug_lsp.workspace.index import info as cache_info
from dl_bug_lsp.workspace.locating import (
    Locator,
    Printed,
    Standing,
    by_name,
    is_absolute,
    module_file,
    only_module,
)
from dl_bug_lsp.workspace.notebooks import Cell
from dl_bug_lsp.workspace.stores import (
    LARGEST_COMPARED,
    DiskStore,
    History,
    LastCommit,
    Stamp,
    Store,
)
from dl_bug_lsp.workspace.walk import Listing, walk_again

Value = TypeVar("Value")

_TREE_LINES = 30_000
"""Lines of source whose trees are held: about 1 to 2 kB a line."""
_TABLES = 64
_PYTHON = (".py", ".pyw", ".ipynb")
_TEXTS = 256
_SIGNS = 16_000_000
"""Characters of the files whose texts are held, each file with some for what is kept beside."""
_QUESTIONS = 8
_Asked = tuple[frozenset[str], frozenset[str]]
_OF_LISTING = ("_listing", "_file_set", "_locator", "_python_names", "_config_names", "_modules",
               "_of_names")  # fmt: skip
_OF_STATE = (*_OF_LISTING, "_history", "_last_commit")


class Workspace:
    """A folder of the user's, read on demand; the only way to the disk for everything above.

    What was read stays as it was until `refresh`, so that one failure is judged on one state. With
    ``cache`` off nothing is written; ``cache`` on keeps the index of a larger workspace on disk.
    """

    def __init__(
        self,
        root: Path,
        cache: bool = True,
        *,
        store: Store | None = None,
    ) -> None:
        self.root = root
        self._cached = cache
        self._store: Store = DiskStore(root) if store is None else store
        self._derived = Derived()
        self._sources: Lru[Source] = Lru(_SIGNS, lambda source: 2_000 + len(source.text or ""))
        self._lines: Lru[tuple[str, ...]] = Lru(_TEXTS)
        self._trees: Lru[ast.Module | None] = Lru(_TREE_LINES, lines_of)
        # What is dropped above but still in use elsewhere must not be parsed, and held, twice.
        self._alive: weakref.WeakValueDictionary[str, ast.Module] = weakref.WeakValueDictionary()
        self._tables: Lru[Table] = Lru(_TABLES)
        # By what was asked for, the latest last: every failure asks for other words.
        self._summaries: dict[_Asked, dict[str, tuple[Stamp | None, SourceSummary]]] = {}
        # Of files that were read long enough after their last change to tell the next one.
        self._stamps: dict[str, Stamp | None] = {}

    @cached_property
    def _listing(self) -> Listing:
        return self._store.listing()

    @cached_property
    def _history(self) -> History:
        return self._store.history()

    @cached_property
    def _last_commit(self) -> LastCommit | None:
        return self._store.last_commit()

    @cached_property
    def _file_set(self) -> frozenset[str]:
        return frozenset(self._listing.files)

    @cached_property
    def _python_names(self) -> tuple[str, ...]:
        return tuple(f for f in self.files() if f.endswith(_PYTHON))

    @cached_property
    def _config_names(self) -> tuple[str, ...]:
        return tuple(file for file in self.files() if reader_for(file) is not None)

    @cached_property
    def _modules(self) -> dict[tuple[str, str | None], str | None]:
        return {}

    @cached_property
    def _of_names(self) -> dict[str, Any]:
        return {}

    @cached_property
    def _locator(self) -> Locator:
        return Locator(self, self._store, self._listing.files)

    @cached_property
    def _index(self) -> Index:
        return Index(self._store, self._read, len(self._listing.files), self._cached)

    def refresh(self, file: str | None = None) -> None:
        """Forget what was read of one file (an edit), or of all (files may have come or gone)."""
        if file is not None:
            for held in (self._sources, self._lines, self._trees, self._tables):
                held.forget(file)
            self._alive.pop(file, None)
            self._index.forget(file)
            return
        for held in (self._sources, self._lines, self._trees, self._tables):
            held.clear()
        self._alive.clear()
        self._index.forget_all()
        for name in _OF_STATE:
            self.__dict__.pop(name, None)

    def catch_up(self) -> None:
        """Forget what changed on disk since it was read, and nothing else.

        Costs a ``stat`` for each folder and for each file that is held, and a walk of the folders
        in which names came or went.
        """
        listing = walk_again(self.root, self._listing)
        if listing.files != self._listing.files:
            self._let_go(set(self._listing.files).difference(listing.files))
            for name in _OF_LISTING:
                self.__dict__.pop(name, None)
        self.__dict__["_listing"] = listing
        self.__dict__.pop("_last_commit", None)
        parts = (self._sources, self._lines, self._trees, self._tables)
        for file in dict.fromkeys(file for held in parts for file in held.files()):
            if file not in self._stamps or self._stamps[file] != self._store.stamp(file):
                for held in parts:
                    held.forget(file)
                self._alive.pop(file, None)
        self._index.catch_up()

    def _let_go(self, gone: set[str]) -> None:
        """Forget files that are no more: in a long day their names are many."""
        for file in gone:
            self._stamps.pop(file, None)
            for summaries in self._summaries.values():
                summaries.pop(file, None)
        self._derived.drop(gone)
        if isinstance(self._index, Index):
            self._index.drop(gone)

    def index(
        self,
        progress: Callable[[int, int], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> bool:
        """Index every Python and config file and write the cache; False where it was cancelled.

        ``progress`` is told how many files of how many are done.
        """
        for done, of in self.index_steps():
            if progress is not None and done:
                progress(done, of)
            if cancelled is not None and cancelled():
                return False
        return True

    def index_steps(self) -> Iterator[tuple[int, int]]:
        """Index as `index` does, a file a step; yield how many files of how many are done.

        Between two steps anything else may be asked of the workspace.
        """
        files = sorted({*self.python_files(), *self.config_files()})
        yield 0, len(files)
        for done, file in enumerate(files):
            self._index.ensure(file)
            yield done + 1, len(files)
        self._index.save(files)

    def index_files(self, files: Iterable[str]) -> None:
        """Index those of some files that `index` would, without writing the cache."""
        for file in files:
            if file in self._file_set and (file.endswith(_PYTHON) or reader_for(file) is not None):
                self._index.ensure(file)

    def keep_index(self) -> bool:
        """Write to the cache what was indexed so far; False where that adds nothing to it."""
        return self._index.save(self.files())

    def cache_info(self) -> CacheInfo:
        """Return where the index cache lies, its size and age."""
        return cache_info(self.root)

    def files(self) -> tuple[str, ...]:
        """Return every file that no ignore rule hides, sorted, relative with ``/``."""
        return self._listing.files

    def problems(self) -> tuple[str, ...]:
        """Return one sentence for each folder or link that could not be followed.

        So for our own folder and git's, where what lies there keeps them from being used.
        """
        from dl_bug_lsp.workspace.git import unreadable

        odd = unreadable(self.root)
        own = (
            data_folder.refusal(self.root),
            f"the history is not read: {odd} is no regular file" if odd is not None else None,
        )
        return (*filter(None, own), *self._listing.problems)

    def python_files(self) -> tuple[str, ...]:
        """Return the Python files and notebooks among `files`."""
        return self._python_names

    def text(self, file: str) -> str | None:
        """Return a file's text (newlines normalised), None where it is unreadable or binary."""
        return self._source(file).text

    def is_as_declared(self, file: str) -> bool:
        """Whether a file's text is in the encoding that it declares, in UTF-8 without one."""
        return self._source(file).problem is None

    def lines(self, file: str) -> tuple[str, ...]:
        """Return a file's lines without line ends; line n is at index n - 1."""
        return self._lines.get(file, lambda name: split_lines(self.text(name) or ""))

    def source_line(self, file: str, line: int) -> str:
        """Return a 1-based line as Python (a notebook's JSON taken off), empty outside the file."""
        raw = self.cells(file)
        if raw:
            texts = [
                text
                for cell in raw
                for text, at in zip(cell.lines, cell.raw, strict=True)
                if at == line
            ]
            return texts[0] if texts else ""
        lines = self.lines(file)
        return lines[line - 1] if 0 < line <= len(lines) else ""

    def tree(self, file: str) -> ast.Module | None:
        """Return the syntax tree of a Python file (or of a notebook's cells), None if broken.

        Lines in a notebook's tree are those of the ``.ipynb`` on disk.
        """
        return self._trees.get(file, self._parsed)

    def elements(self, file: str) -> FileElements:
        """Return the indexed elements of a file."""
        return self._index.elements(file)

    def derived(
        self, kind: str, file: str, make: Callable[[], Value], most: int | None = None
    ) -> Value:
        """Return what ``make`` makes of a file, remembered until the file's content changes.

        ``make`` may look at nothing but this file's content and name; ``kind`` names what it makes,
        as in ``"bm25.counts"``. Of a kind at most
        ``most`` files' values are held, those asked for last.
        """
        return self._derived.get(kind, file, self._index.content_id(file), make, most)

    def of_names(self, kind: str, make: Callable[[tuple[str, ...]], Value]) -> Value:
        """Return what ``make`` makes of the names of all files, until files come or go.

        ``make`` may look at nothing but these names; ``kind`` names what it makes.
        """
        known: dict[str, Value] = self._of_names
        if kind not in known:
            known[kind] = make(self.files())
        return known[kind]

    def derived_unindexed(self, kind: str, file: str, make: Callable[[], Value]) -> Value:
        """Return what ``make`` makes of a file, as `derived` does, without indexing the file.

        On disk a content is known by its stamp; while that cannot tell, nothing is remembered.
        """
        stamp = self._store.stamp(file)
        if not is_settled(stamp) or self._stamps.get(file, stamp) != stamp:
            return make()
        return self._derived.get(kind, file, str(stamp), make)

    def history(self) -> History:
        """Return the commits up to this state, newest first, with names relative to the root.

        Of a folder on disk: those of the git repository around it, read when first asked for and
        again after `refresh`; empty where there is none, or no git, or where its history is cut
        off.
        """
        return self._history

    def is_changed(self, file: str) -> bool | None:
        """Say whether a file differs from the newest commit's, or is not in it.

        None where there is no commit, of a file that is very large or cannot be read, and of one
        that an ignore rule hides and the commit has not: nobody knows since when it is there.
        """
        commit = self._last_commit
        content = self._store.content(file, LARGEST_COMPARED) if commit is not None else None
        if commit is None or content is None or content.data is None:
            return None
        if content.size > LARGEST_COMPARED or (file not in commit and not self._is_listed(file)):
            return None
        return commit.is_changed(file, content.data)

    def _is_listed(self, file: str) -> bool:
        files = self.files()
        at = bisect_left(files, file)
        return at < len(files) and files[at] == file

    def changed_lines(self, file: str) -> tuple[int, ...]:
        """Return the 1-based lines that differ from the newest commit's; of a new file none."""
        commit = self._last_commit
        content = self._store.content(file, LARGEST_COMPARED) if commit is not None else None
        if commit is None or content is None or content.data is None:
            return ()
        return commit.changed_lines(file, content.data)

    def source_summary(
        self, file: str, words: frozenset[str], modules: frozenset[str]
    ) -> SourceSummary:
        """Return which words and imports a source file has, unparsed and read in part; cheap."""
        stamp = self._store.stamp(file)
        summaries = self._summaries[words, modules] = self._summaries.pop((words, modules), {})
        while len(self._summaries) > _QUESTIONS:
            del self._summaries[next(iter(self._summaries))]
        before, held = summaries.get(file, (None, None))
        if held is not None and stamp is not None and stamp == before:
            return held
        checkpoint()
        seen = summarize(self._store, file, words, modules)
        if is_settled(stamp):
            summaries[file] = (stamp, seen)
        return seen

    def config_files(self) -> tuple[str, ...]:
        """Return the files among `files` whose settings can be read."""
        return self._config_names

    def config_entries(self, file: str | None = None) -> tuple[ConfigEntry, ...]:
        """Return the entries of one config file, or of all."""
        if file is not None:
            return self.elements(file).entries
        return tuple(e for name in self.config_files() for e in self.elements(name).entries)

    def dependencies(self) -> tuple[ConfigEntry, ...]:
        """Return the declared dependencies, each with its name as path and its version as value."""
        return dependencies(self.config_entries())

    def table(self, file: str) -> Table | None:
        """Return a data file in outline (CSV, JSON lines, JSON records), None if unreadable."""
        source = self._source(file)
        if source.text is None:
            return None
        text, is_cut = source.text, source.is_cut
        return self._tables.get(file, lambda name: read_table(name, text, is_cut))

    def arrays(self, file: str) -> tuple[StoredArray, ...] | None:
        """Return the arrays that a file holds (``.npy``, ``.npz``), None where it holds none."""

        def read() -> tuple[StoredArray, ...] | None:
            content = self._store.content(file, MOST_BYTES)
            data = content.data
            if data is None or (content.size > MOST_BYTES and not data.startswith(MAGIC)):
                return None
            return arrays_in(file, data)

        return self.derived_unindexed("arrays", file, read)

    def unfit_numbers(self, file: str) -> tuple[UnfitNumbers, ...]:
        """Return the arrays of a file (``.npy``, ``.npz``) that hold NaN or infinite numbers."""

        def read() -> tuple[UnfitNumbers, ...]:
            content = self._store.content(file, MOST_BYTES)
            data = content.data
            if data is None or (content.size > MOST_BYTES and not data.startswith(MAGIC)):
                return ()
            return unfit_numbers(file, data)

        return self.derived_unindexed("unfit_numbers", file, read)

    def media(self, file: str) -> Picture | Sound | None:
        """Return the sizes of a picture or sound, None where a file is neither."""

        def read() -> Picture | Sound | None:
            content = self._store.content(file, MOST_MEDIA_BYTES)
            return None if content.data is None else media_in(content.data, content.size)

        return self.derived_unindexed("media", file, read)

    def table_rows(
        self, file: str, value: str, column: str | None = None
    ) -> tuple[tuple[int, str], ...]:
        """Return (line, column) of the first cells of a data file that hold exactly a value.

        With ``column``, only cells of that column are looked at.
        """
        return rows_with(file, self.text(file) or "", value, column=column)

    def module_file(self, module: str, importer: str | None = None) -> str | None:
        """Return the workspace file of a dotted module as ``importer`` would import it.

        Leading dots are relative to the importer's package; a package gives its ``__init__.py``.
        Source roots (the root, ``src/``, the importer's folder) are tried in turn.
        """
        key = (module, importer)
        cached = self._modules
        if key not in cached:
            named = self.of_names("modules", by_name)
            file = module_file(self._file_set, module, importer, named)
            if file is None and importer is not None and not module.startswith("."):
                file = self._on_changed_path(module, importer, named)
            cached[key] = file
        return cached[key]

    def _on_changed_path(
        self, module: str, importer: str, named: Mapping[str, list[str]]
    ) -> str | None:
        """Return the file of a module in a folder that its importer adds to ``sys.path``."""
        file = only_module(named, module)
        if file is None:
            return None
        text = self.text(importer) or ""
        folder = file.removesuffix("/__init__.py").split("/")[: -len(module.split("."))]
        return file if folder and "sys.path" in text and folder[-1] in text else None

    def has_module(self, module: str) -> bool:
        """Whether a dotted module is the user's own."""
        return self.module_file(module) is not None

    def enclosing_function(self, file: str, line: int) -> str | None:
        """Return the dotted name of the innermost function or class around a 1-based line."""
        around = [f for f in self.elements(file).functions if f.line <= line <= f.end_line]
        return max(around, key=lambda f: (f.line, -f.end_line)).name if around else None

    def locate(
        self,
        printed_file: str,
        line: int,
        function: str | None = None,
        source: str | None = None,
        path_map: tuple[tuple[str, str], ...] = (),
    ) -> Place | None:
        """Find the local place of a frame that was printed on some machine, or None.

        ``path_map`` first, then the longest path suffix; a line whose text is not ``source`` is
        re-anchored by the function's name and the source text nearest to ``line``.
        """
        return self._locator.locate(Printed(printed_file, line, function, source), path_map)

    def locate_stack(
        self, frames: Sequence[Printed], path_map: tuple[tuple[str, str], ...] = ()
    ) -> tuple[Place | None, ...]:
        """Find the local places of a stack's frames, outermost first, as `locate` does of one.

        Frames of what ``%time`` ran in a notebook are found by the frames beside them.
        """
        return self._locator.locate_stack(frames, path_map)

    def standing(
        self,
        place: Place,
        printed: Printed,
        path_map: tuple[tuple[str, str], ...] = (),
    ) -> Standing:
        """Say how sure it is that a located frame means the place that `locate` found."""
        return self._locator.standing(printed, place, path_map)

    def is_mapped(self, printed_file: str) -> bool:
        """Say whether a printed path is another machine's, so that its file here is a guess."""
        return is_absolute(printed_file) and self._store.inside(printed_file) is None

    def existing_file(self, path: str, importer: str | None = None) -> str | None:
        """Return the workspace file that a path written in code, config or log means, or None.

        Relative paths are tried from the root, then from ``importer``'s folder; files that an
        ignore rule hides are found too.
        """
        return self._locator.existing(path, importer)

    def folder_files(self, folder: str) -> tuple[str, ...]:
        """Return the files right in a folder, relative to the root, sorted.

        Those that an ignore rule hides are among them; a folder of very many files gives none.
        """
        return self._store.directly_in(folder)

    def folders_in(self, folder: str) -> tuple[str, ...]:
        """Return the folders right in a folder, relative to the root, sorted, hidden ones not."""
        return self._store.folders_in(folder)

    def file_named(self, path: str) -> str | None:
        """Return the listed file that a path written in code or a message means, or None.

        It is the path itself, or the only file whose path ends with it.
        """
        return self._locator.named(path)

    def _source(self, file: str) -> Source:
        return self._sources.get(file, self._read)

    def _parsed(self, file: str) -> ast.Module | None:
        checkpoint()
        tree = self._alive.get(file) or self._source(file).parse().tree
        if tree is not None:
            self._alive[file] = tree
        return tree

    def _read(self, file: str) -> Source:
        checkpoint()
        source = read_source(self._store, file)
        if is_settled(source.stamp):
            self._stamps[file] = source.stamp
        else:
            self._stamps.pop(file, None)
        return source

    def cells(self, file: str) -> tuple[Cell, ...]:
        """Return the code cells of a notebook, empty for any other file."""
        return self._source(file).cells


class EditedWorkspace(Workspace):
    """Another workspace's files, of which one has another syntax tree or another text.

    Everything else, and what was read of it, is shared with ``base``; nothing is written to disk.
    """

    def __init__(
        self, base: Workspace, file: str, *, tree: ast.Module | None = None, text: str | None = None
    ) -> None:
        # The constructor of the base would read the folder again.
        self.__dict__.update(base.__dict__)
        self.base = base
        self.edited = file
        self._edited_tree = tree
        self._edited_text = text

    def tree(self, file: str) -> ast.Module | None:
        """Return the syntax tree of a file, the changed one of the file that is changed."""
        if file == self.edited and self._edited_tree is not None:
            return self._edited_tree
        return super().tree(file)

    def text(self, file: str) -> str | None:
        """Return a file's text, the changed one of the file that is changed."""
        if file == self.edited and self._edited_text is not None:
            return self._edited_text
        return super().text(file)

    def lines(self, file: str) -> tuple[str, ...]:
        """Return a file's lines without line ends."""
        if file == self.edited and self._edited_text is not None:
            return split_lines(self._edited_text)
        return super().lines(file)

    def elements(self, file: str) -> FileElements:
        """Return the elements of a file, of the changed one as its text has them."""
        if file == self.edited and self._edited_text is not None:
            return elements_of(file, Source(file, self._edited_text).record())
        return super().elements(file)
