"""Logs that are open in the editor: links and symbols."""
