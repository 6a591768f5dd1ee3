"""The failure categories, and the rules that tell them apart."""
