"""What tests and runs executed: recorded, imported from coverage data, kept in a file."""
