"""The server itself: its state, protocol and settings, and the way from a text to its places."""
