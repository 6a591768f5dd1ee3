"""What someone who knows the frameworks would look at, by category and message."""
