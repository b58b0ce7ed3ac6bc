"""The interpreter: the reference back end, which runs the IR as it is."""
