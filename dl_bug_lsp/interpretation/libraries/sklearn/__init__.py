"""Models of scikit-learn."""


def load() -> None:
    """Import all modules of models: they register what they know."""
    from dl_bug_lsp.interpretation.libraries.sklearn import (  # noqa: F401
        argument_checks,
        datasets,
        estimators,
        fitted,
        functions,
        meta_estimators,
    )
