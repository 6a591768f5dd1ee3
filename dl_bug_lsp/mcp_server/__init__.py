"""The tools for assistants over the Model Context Protocol; only `protocol.py` knows its SDK."""
