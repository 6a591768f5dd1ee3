"""What happens to files, in the editor and on disk; the index of a folder."""
