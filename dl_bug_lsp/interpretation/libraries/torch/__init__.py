"""Models of PyTorch."""


def load() -> None:
    """Import all modules of models: they register what they know."""
    from dl_bug_lsp.interpretation.libraries.torch import (  # noqa: F401
        argument_checks,
        attention,
        attributes,
        autocast,
        data,
        distributions,
        elementwise,
        functions,
        global_state,
        gradients,
        layers,
        losses,
        optimizers,
        parameters,
        probability_losses,
        reductions,
        samplers,
        serialization,
        shapes,
        tensors,
    )
