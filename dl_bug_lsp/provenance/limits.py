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
"""Questions that are open at one time; Python's own stack ends at about 1,000 frames."""
MAX_POSTPONED = 400
"""Questions that wait for deeper ones to be answered first."""
MAX_ROUNDS = 5
"""How often a circle of questions is gone through before its answers are taken as incomplete."""
MAX_RECURSION = 2
"""Entries into one function, each from within the one before, that are kept apart."""
MAX_WRITTEN_OUT = 12
"""Rounds of a comprehension that are written out."""
MAX_BASES = 64
"""Classes that one class is looked up in."""
MAX_ITEMS = 256
"""Items of a list that is written by repetition."""
MAX_INSTANCES = 3
"""Instances of one class that are looked at where it is not known which one is meant."""
MAX_CHANGES = 24
"""Statements that put something into one object."""
MAX_DEFINITIONS = 6
"""Definitions of a name that may reach a line."""
MAX_SOLVED = 25_000
"""Questions that are worked out in one localization, each round of a circle counted."""
