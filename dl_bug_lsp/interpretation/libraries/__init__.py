"""What functions, objects and methods of libraries return, and what they refuse: the models.

A module registers its models in `MODELS` when it is imported. Where it replaces or refines what
another module registers, it imports that module, so that the order of imports does not matter.
"""


def load() -> None:
    """Import all modules of models: they register what they know."""
    from dl_bug_lsp.interpretation.libraries import (  # noqa: F401
        array_functions,
        effects,
        einops,
        gymnasium,
        hdf5,
        huggingface,
        images,
        jax,
        keras,
        lightning,
        numpy,
        opencv,
        pandas,
        python,
        settings,
        sklearn,
        tensorflow,
        torch,
        torchmetrics,
        torchvision,
    )

    packages = (
        huggingface,
        jax,
        keras,
        numpy,
        pandas,
        python,
        settings,
        sklearn,
        tensorflow,
        torch,
        torchmetrics,
    )
    for package in packages:
        package.load()
    from dl_bug_lsp.interpretation.libraries import argument_ranges  # noqa: F401
