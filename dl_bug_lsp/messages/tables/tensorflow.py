"""TensorFlow and Keras."""

from __future__ import annotations

from dl_bug_lsp.messages.families import Family as Row

# fmt: off
FAMILIES: tuple[Row, ...] = ()
