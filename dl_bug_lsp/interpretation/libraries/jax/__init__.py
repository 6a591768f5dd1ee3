"""Models of JAX, and of Flax, Optax and Equinox, which build on it."""


def load() -> None:
    """Import all modules of models: they register what they know."""
    from dl_bug_lsp.interpretation.libraries.jax import (  # noqa: F401
        arrays,
        equinox,
        flax,
        functions,
    )
