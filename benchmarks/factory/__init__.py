"""The failure factory: programs that run well, small realistic faults in them, real failed runs.

``python -m factory --help`` (with ``benchmarks/`` on the path) lists the commands; README.md beside
this file tells how programs and operators are added.
"""
