"""The commands, and how what they ask for is shown."""
