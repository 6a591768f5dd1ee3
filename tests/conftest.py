"""Stands here so that tests in subfolders can import the helpers beside it."""
