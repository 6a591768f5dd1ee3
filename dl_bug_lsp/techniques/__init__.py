"""The published techniques of bug localization, each a short composition."""
