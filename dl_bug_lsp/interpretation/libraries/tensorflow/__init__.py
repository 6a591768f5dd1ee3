"""Models of TensorFlow."""


def load() -> None:
    """Import all modules of models: they register what they know."""
    from dl_bug_lsp.interpretation.libraries.tensorflow import (  # noqa: F401
        data,
        functions,
        ragged,
        tensors,
        variables,
    )
