"""What a user may set, in an editor or in ``pyproject.toml``: one table, read in one way."""
