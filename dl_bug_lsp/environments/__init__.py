"""The Python environment that a program runs in: what is installed there, without running it."""
