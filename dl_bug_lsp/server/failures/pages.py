"""Pages on disk for editors to open: of categories, to which a code links; of reports."""

from __future__ import annotations

import contextlib
import os
from functools import cache
from pathlib import Path

from dl_bug_lsp import __version__


def cache_folder() -> Path:
    """Return the folder of things that can be made again, by the platform's custom."""
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return Path(base or Path.home() / ".cache") / "dl-bug-lsp"


@cache
def page_uri(category_id: str) -> str | None:
    """Write a category's page where it is not yet and return its URI, None if that fails."""
    # Imported here: there is no page before there is a failure.
    from dl_bug_lsp.taxonomy.categories import category
    from dl_bug_lsp.views.explain import explain_markdown

    try:
        page = explain_markdown(category(category_id))
        folder = cache_folder() / "pages" / __version__
        place = folder / f"{category_id}.md"
        if not place.is_file() or place.read_text(encoding="utf-8") != page:
            folder.mkdir(parents=True, exist_ok=True)
            _replace(place, page)
        return place.resolve().as_uri()
    except (KeyError, OSError, RuntimeError, ValueError):
        return None


MOST_REPORTS = 20
"""Pages of reports that are kept; they tell of logs, so they go soon, and are the user's alone."""


def report_page(report: str, page: str) -> str | None:
    """Write the page of a report's id and return its URI, None where that fails."""
    try:
        folder = cache_folder() / "reports"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        place = folder / f"{report}.md"
        _replace(place, page)
        pages = sorted(folder.glob("*.md"), key=lambda p: p.stat().st_mtime_ns, reverse=True)
        for old in pages[MOST_REPORTS:]:
            old.unlink(missing_ok=True)
        return place.resolve().as_uri()
    except (OSError, RuntimeError, ValueError):
        return None


def _replace(place: Path, text: str) -> None:
    """Write so that another server that reads at the same time never sees half a page."""
    import tempfile

    handle, name = tempfile.mkstemp(dir=place.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
        Path(name).replace(place)
    except OSError:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise
