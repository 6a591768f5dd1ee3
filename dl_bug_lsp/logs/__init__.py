"""Bytes and lines: decoding, terminal codes, prefixes of ranks and times."""
