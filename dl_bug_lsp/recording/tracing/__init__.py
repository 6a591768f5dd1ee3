"""The tracer of recorded runs. It lives in the user's process: standard library, Python 3.9 on."""
