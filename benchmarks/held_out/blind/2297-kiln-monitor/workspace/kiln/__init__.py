"""Anomaly scores for firing curves of ceramic kilns."""
