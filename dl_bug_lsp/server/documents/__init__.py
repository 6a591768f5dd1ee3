"""Folders and documents as the client has them: names, positions, edits, marks on lines."""
