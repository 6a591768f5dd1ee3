"""Where the workspace can raise a message that stands without its traceback."""
