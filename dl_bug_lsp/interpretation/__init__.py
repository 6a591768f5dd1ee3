"""Forward abstract interpretation of a program up to its failure (Cousot and Cousot, POPL 1977).

Nothing is executed: statements are followed in the order in which they would run, with plain
Python values where they are known, shapes and dtypes in place of arrays, and an explicit unknown.
Each value keeps the lines of the constants, settings and data that it was made of.
"""
