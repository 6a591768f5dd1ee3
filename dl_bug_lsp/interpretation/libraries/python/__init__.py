"""Models of Python's builtins and standard library."""


def load() -> None:
    """Import all modules of models: they register what they know."""
    from dl_bug_lsp.interpretation.libraries.python import (  # noqa: F401
        argparse,
        builtins,
        collections,
        environment,
        files,
        functions,
        introspection,
        literals,
        patterns,
        processes,
        queues,
        standard_library,
    )
