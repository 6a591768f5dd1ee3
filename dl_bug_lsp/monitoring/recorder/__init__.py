"""The training recorder: runs in the user's interpreter, beside the user's framework.

It needs the standard library and `dl_bug_lsp.monitoring.tables`; frameworks are used only where the
program has imported them. It never draws random numbers, never changes a tensor, and switches
itself off at its first error.
"""
