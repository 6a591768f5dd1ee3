"""Failures that outlive the server."""
