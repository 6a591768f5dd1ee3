"""Ranks that part: stacks and records of several processes read, grouped, and the odd one named."""

from dl_bug_lsp.divergence.rank_files import joined, transcript
from dl_bug_lsp.divergence.reader import read_divergence

__all__ = ["joined", "read_divergence", "transcript"]
