"""Models of Keras, also as TensorFlow has it."""


def load() -> None:
    """Import all modules of models: they register what they know."""
    from dl_bug_lsp.interpretation.libraries.keras import (  # noqa: F401
        applications,
        attention,
        layer_rules,
        layers,
        metrics,
        models,
        operations,
        preprocessing,
        saving,
        weights,
    )
