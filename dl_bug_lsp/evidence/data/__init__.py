"""Data files: their cells, lines, headers and records, and the scripts that wrote them."""
