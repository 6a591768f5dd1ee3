"""Models of Keras, also as TensorFlow has it."""


def load() -> None:
    """Import all modules of models: they register what they know."""
    from dl_bug_lsp.interpretation.libraries.keras import (  # noqa: F401
        applications,
        functions,
        layer_rules,
        layers,
        models,
        preprocessing,
        weights,
    )
