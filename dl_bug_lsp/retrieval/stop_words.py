"""Words that tell nothing: English function words, and Python's keywords."""

from __future__ import annotations

import keyword

_ENGLISH = """
a about above after again all also am an and any are as at be because been before being below
between both but by can cannot could did do does doing don down during each few for from further
had has have having he her here hers him his how i if in into is it its itself just let like me
more most my myself no nor not now of off on once only or other our ours out over own please same
she should so some such than that the their theirs them then there these they this those through
to too under until up us very was we were what when where which while who whom why will with would
you your yours yourself
"""
_PYTHON = {word.lower() for word in (*keyword.kwlist, "self", "cls", "print")}

STOP_WORDS = frozenset(_ENGLISH.split()) | _PYTHON
"""Lower-case words that are no terms."""
