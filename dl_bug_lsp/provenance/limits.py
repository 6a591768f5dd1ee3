"""How far the evaluation goes before it says that it does not know."""

CALL_METHODS = ("forward", "__call__", "call")
"""What calling an instance runs: torch and flax modules, Python, Keras."""
MAX_ALTERNATIVES = 6
"""Values that one expression may stand for."""
MAX_DEPTH = 24
"""Calls entered one inside the other."""
MAX_CALLERS = 6
"""Callers looked at for a parameter whose call is not known."""
MAX_NODES = 30_000
"""Nodes of one localization."""
MAX_NESTING = 60
"""Expressions under evaluation at one time; Python's own stack ends at about 1,000 frames."""
MAX_WRITTEN_OUT = 12
"""Rounds of a comprehension that are written out."""
MAX_BASES = 64
"""Classes that one class is looked up in."""
MAX_ITEMS = 256
"""Items of a list that is written by repetition."""
