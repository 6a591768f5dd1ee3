"""Runs of the user's commands that are recorded: their output, their exit, their place."""
