"""What kind of failure it is: category, bug type, origin, whether a retry can help, and advice."""
