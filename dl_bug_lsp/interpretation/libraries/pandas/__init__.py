"""Models of pandas."""


def load() -> None:
    """Import all modules of models: they register what they know."""
    from dl_bug_lsp.interpretation.libraries.pandas import (  # noqa: F401
        columns,
        groups,
        in_place,
        outlines,
        reading,
        rows,
        tables,
        times,
        unknown_cells,
        unknown_columns,
    )
