"""Fusion of the evidence into a ranking, calibrated and explained."""
