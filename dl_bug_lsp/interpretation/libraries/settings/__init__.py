"""Models of what reads settings: documents, command lines, OmegaConf, Hydra, yacs, gin."""


def load() -> None:
    """Import all modules of models: they register what they know."""
    from dl_bug_lsp.interpretation.libraries.settings import (  # noqa: F401
        attribute_dicts,
        commands,
        documents,
        gin,
        hydra,
        omegaconf,
        openmmlab,
        pydantic,
        yacs,
    )
