"""The local variables of the frames of an exception that ended a run: recorded, read, matched."""
