"""Readings of what capsule does that share no code with it: the checks and the tests' vectors compare the two."""
