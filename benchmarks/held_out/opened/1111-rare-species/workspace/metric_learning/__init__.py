"""Embedding learning for shape descriptors."""
