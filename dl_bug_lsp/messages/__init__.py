"""What an exception's message says, as typed facts."""

from dl_bug_lsp.messages.extract import extract_facts, readable
from dl_bug_lsp.messages.facts import Fact, FactKind, FactValue, MessageFacts, Role, is_symmetric

__all__ = [
    "Fact",
    "FactKind",
    "FactValue",
    "MessageFacts",
    "Role",
    "extract_facts",
    "is_symmetric",
    "readable",
]
