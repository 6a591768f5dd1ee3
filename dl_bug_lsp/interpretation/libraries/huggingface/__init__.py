"""Models of Hugging Face's libraries: datasets, tokenizers, transformers and its trainers."""


def load() -> None:
    """Import all modules of models: they register what they know."""
    from dl_bug_lsp.interpretation.libraries.huggingface import (  # noqa: F401
        collators,
        datasets,
        trainers,
        transformers,
    )
