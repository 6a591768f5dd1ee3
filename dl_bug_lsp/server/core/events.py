"""What happens in the server, as events to which its other parts subscribe."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, ParamSpec

if TYPE_CHECKING:
    from dl_bug_lsp.server.documents.folders import Folder
    from dl_bug_lsp.server.failures.publication import Publication

Arguments = ParamSpec("Arguments")


class Event(Generic[Arguments]):
    """Something that happens again and again; its handlers are called in the order they came."""

    def __init__(self) -> None:
        self._handlers: list[Callable[Arguments, object]] = []

    def subscribe(self, handler: Callable[Arguments, object]) -> None:
        """Call a handler each time that the event happens."""
        self._handlers.append(handler)

    def notify(self, *args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
        """Call all handlers; what one raises goes to the caller, and the later are not called."""
        for handler in self._handlers:
            handler(*args, **kwargs)


class Events:
    """All events of the server, on its event loop's thread."""

    def __init__(self) -> None:
        self.publishing: Event[[Publication]] = Event()
        """A new publication, before it is shown."""
        self.shown: Event[[]] = Event()
        """What is shown changed."""
        self.folder_opened: Event[[Folder]] = Event()
        """A folder is open and the client is ready."""
        self.folder_closed: Event[[Folder]] = Event()
        """A folder was closed; what it shows still stands."""
        self.settings_changed: Event[[Folder]] = Event()
        """The settings of a folder may be others than before."""
        self.document_edited: Event[[str]] = Event()
        """A document was edited, by its URI."""
        self.document_saved: Event[[str]] = Event()
        """A document was saved, by its URI."""
        self.document_closed: Event[[str]] = Event()
        """A document was closed, by its URI."""
