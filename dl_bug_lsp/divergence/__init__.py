"""Ranks that part: stacks and records of several processes read, grouped, and the odd one named."""

from dl_bug_lsp.divergence.reader import read_divergence
from dl_bug_lsp.divergence.transcripts import joined, transcript

__all__ = ["joined", "read_divergence", "transcript"]
