"""The process: its way to the client, its parent, its log, its end."""
