"""A folder for ``PYTHONPATH``: interpreters that a command starts load its `sitecustomize` first.

What of ours is started there, environment variables say: a run may be watched, traced, monitored.
"""
