"""gym was renamed to gymnasium; the interface that these scripts use is the same."""
from gymnasium import *  # noqa: F403
from gymnasium import make  # noqa: F401
