"""Follows the log files of a folder as they grow and tells of failures in them."""
