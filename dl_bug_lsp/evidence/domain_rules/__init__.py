"""Rules of the frameworks: what an expert would look at, by category and message."""
