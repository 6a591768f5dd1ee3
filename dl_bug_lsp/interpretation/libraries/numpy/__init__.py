"""Models of NumPy and SciPy."""


def load() -> None:
    """Import all modules of models: they register what they know."""
    from dl_bug_lsp.interpretation.libraries.numpy import (  # noqa: F401
        dtypes,
        files,
        functions,
        known_cells,
        scipy,
        ufuncs,
    )
