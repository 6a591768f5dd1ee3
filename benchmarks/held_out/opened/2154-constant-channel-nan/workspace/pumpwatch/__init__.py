"""Reconstruction-based monitoring of one pump."""
