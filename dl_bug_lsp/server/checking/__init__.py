"""Findings before a run, as quiet diagnostics: when a command starts, or after a file was saved."""
