"""A folder for ``PYTHONPATH``: the interpreters that a recorded command starts load it first."""
