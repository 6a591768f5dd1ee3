"""Blame by repair: small edits that would satisfy the failing check, and what speaks for each."""
